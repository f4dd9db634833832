import { readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { PAGE, replaceSection } from '../bench/table.ts';
import { positive } from './options.ts';
import { runChaos } from './run.ts';
import { Soak } from './soak.ts';

const [SECONDS, SOAK_SECONDS] = [30, 1_200];

const { seed, soak, write, ...given } = new Command('npm run chaos --')
  .description(
    'Types commands and injects faults at random, and counts how every command ended. None may be lost or answered twice.',
  )
  .option('--seconds <number>', `how long; ${SECONDS} unless given, of a soak ${SOAK_SECONDS}`, positive)
  .option('--seed <text>', 'replays the schedule of that seed', String(Date.now()))
  .option('--soak', 'with fewer faults and no restart: whether anything of the bot grows', false)
  .option('--write', `writes what a soak has found into ${PAGE}`, false)
  .parse()
  .opts<{ seconds?: number; seed: string; soak: boolean; write: boolean }>();
const { seconds = soak ? SOAK_SECONDS : SECONDS } = given;

const again = `--seconds ${seconds} --seed ${seed}${soak ? ' --soak' : ''}`;
process.stdout.write(`Seed ${seed}, ${seconds} s. Again with: npm run chaos -- ${again}\n`);
const soaking = soak ? new Soak() : undefined;
const report = await runChaos({ seed, seconds, ...soaking?.options });
const { endings, excused, failures } = report;
const figures: Readonly<Record<string, string | number>> = {
  commands: `${report.commands}, among ${report.faults} faults`,
  'answered with a card': endings.card,
  'answered with a sentence': endings.sentence,
  'not received': `${endings['not received']} (no bot was connected within 3 s)`,
  excused: `${endings.excused} (the bot ended before what it did was recorded)`,
  lost: endings.lost,
  'answered twice': endings.twice,
};
const told = [...excused, ...failures];
const details = [...told, ...(told.length > 0 ? report.gaps : [])].map((line) => `  ${line}`);
const lines = [...Object.entries(figures).map(([what, figure]) => `${what.padEnd(24)} ${figure}`), ...details];
process.stdout.write(`${lines.join('\n')}\n`);
if (soaking) {
  const section = soaking.section(seconds, report);
  if (write) writeFileSync(PAGE, replaceSection(readFileSync(PAGE, 'utf8'), 'soak', section));
  process.stdout.write(`\n${section}\n`);
}
// Of 25 commands a second some find no bot; the fewest faults are those of a soak, one in three seconds.
const didLittle = report.commands < 10 * seconds || report.faults < seconds / 4;
if (didLittle) process.stdout.write('Too few commands or faults to tell.\n');
process.exit(failures.length === 0 && !didLittle && (soaking?.isFlat ?? true) ? 0 : 1);
