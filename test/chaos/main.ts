import { readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { redisServerBinary } from '../../sandbox/redis-binary.ts';
import { PAGE, replaceSection } from '../bench/table.ts';
import { positive, whole } from './options.ts';
import { runChaos } from './run.ts';
import { Soak } from './soak.ts';

const [SECONDS, SOAK_SECONDS] = [30, 1_200];

const { seed, processes, soak, write, ...given } = new Command('npm run chaos --')
  .description(
    'Types commands and injects faults at random, and counts how every command ended. None may be lost or answered twice.',
  )
  .option('--seconds <number>', `how long; ${SECONDS} unless given, of a soak ${SOAK_SECONDS}`, positive)
  .option('--seed <text>', 'replays the schedule of that seed', String(Date.now()))
  .option('--processes <number>', 'bots that share the shards and a Redis; 1 uses files', whole, 1)
  .option('--soak', 'with fewer faults and no restart: whether anything of one bot grows', false)
  .option('--write', `writes what a soak has found into ${PAGE}`, false)
  .parse()
  .opts<{ seconds?: number; seed: string; processes: number; soak: boolean; write: boolean }>();
const { seconds = soak ? SOAK_SECONDS : SECONDS } = given;

if (processes > 1 && redisServerBinary() === undefined) {
  process.stderr.write('Several processes need a redis-server or valkey-server on PATH, to be killed and started.\n');
  process.exit(1);
}

const again = `--seconds ${seconds} --seed ${seed} ${soak ? '--soak' : `--processes ${processes}`}`;
process.stdout.write(`Seed ${seed}, ${seconds} s. Again with: npm run chaos -- ${again}\n`);
const soaking = soak ? new Soak() : undefined;
const report = await runChaos({ seed, seconds, ...(soaking?.options ?? { processes }) });
const { endings, excused, failures } = report;
const figures: Readonly<Record<string, string | number>> = {
  commands: `${report.commands}, among ${report.faults} faults`,
  'answered with a card': endings.card,
  'answered with a sentence': endings.sentence,
  'not received': `${endings['not received']} (no bot was connected within 3 s)`,
  excused: `${endings.excused} (a process ended, or was without Redis, before what it did was recorded)`,
  lost: endings.lost,
  'answered twice': endings.twice,
  'watched prices told': report.crossings,
};
const told = [...excused, ...failures];
const details = [...told, ...(told.length > 0 ? report.troubles : [])].map((line) => `  ${line}`);
const lines = [...Object.entries(figures).map(([what, figure]) => `${what.padEnd(24)} ${figure}`), ...details];
process.stdout.write(`${lines.join('\n')}\n`);
if (soaking) {
  const section = soaking.section(seconds, report);
  if (write) writeFileSync(PAGE, replaceSection(readFileSync(PAGE, 'utf8'), 'soak', section));
  process.stdout.write(`\n${section}\n`);
}
process.exit(failures.length === 0 && (soaking?.isFlat ?? true) ? 0 : 1);
