import { Command } from 'commander';
import { redisServerBinary } from '../../src/sandbox/redis-binary.ts';
import { positive, whole } from './options.ts';
import { runChaos } from './run.ts';

const { seconds, seed, processes } = new Command('npm run chaos --')
  .description(
    'Types commands and injects faults at random, and counts how every command ended. None may be lost or answered twice.',
  )
  .option('--seconds <number>', 'how long', positive, 30)
  .option('--seed <text>', 'replays the schedule of that seed', String(Date.now()))
  .option('--processes <number>', 'bots that share the shards and a Redis; 1 uses files', whole, 1)
  .parse()
  .opts<{ seconds: number; seed: string; processes: number }>();

if (processes > 1 && redisServerBinary() === undefined) {
  process.stderr.write('Several processes need a redis-server or valkey-server on PATH, to be killed and started.\n');
  process.exit(1);
}

const again = `--seconds ${seconds} --seed ${seed} --processes ${processes}`;
process.stdout.write(`Seed ${seed}, ${seconds} s. Again with: npm run chaos -- ${again}\n`);
const report = await runChaos({ seed, seconds, processes });
const { endings, excused, failures } = report;
const figures: Readonly<Record<string, string | number>> = {
  commands: `${report.commands}, among ${report.faults} faults`,
  'answered with a card': endings.card,
  'answered with a sentence': endings.sentence,
  'not received': `${endings['not received']} (no bot was connected within 3 s)`,
  'lost with Redis': `${endings['lost with Redis']} (its process ended, and Redis had not stored it or lost it)`,
  'completed again': `${endings['completed again']} (its process ended or was cut off before it could record that)`,
  lost: endings.lost,
  'answered twice': endings.twice,
  'watched prices told': report.crossings,
  'requests by status': listed(report.requests),
  'over the plan': `${report.overruns} (429s without a storm or a spent day)`,
  'over it on return': `${report.overrunsOnReturn} (when a process that was cut off from Redis was back)`,
  logged: listed(report.outcomes),
};
const told = [...excused, ...failures];
const details = [...told, ...(told.length > 0 ? report.disruptions : [])].map((line) => `  ${line}`);
const lines = [...Object.entries(figures).map(([what, figure]) => `${what.padEnd(24)} ${figure}`), ...details];
process.stdout.write(`${lines.join('\n')}\n`);
process.exit(failures.length === 0 ? 0 : 1);

function listed(counts: Record<string, number>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name}: ${count}`)
    .join(', ');
}
