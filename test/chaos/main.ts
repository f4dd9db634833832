import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { PAGE, replaceSection } from '../bench/table.ts';
import { scoped } from '../support/on-finished.ts';
import { type Ending, runChaos } from './run.ts';
import { Soak } from './soak.ts';

/**
 * Types commands and injects faults at random, and counts how every command ended: none may be lost or answered twice. For
 * 30 s, or `--seconds`; `--seed` replays the schedule of that seed; `--soak`: twenty minutes with fewer faults and no restart,
 * whether anything of the bot grows; `--write` writes what a soak has found into its page.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string' },
    seed: { type: 'string', default: String(Date.now()) },
    soak: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
const { seed, soak } = values;
const seconds = Number(values.seconds ?? (soak ? 1_200 : 30));
const print = (line: string) => process.stdout.write(`${line}\n`);

print(
  `Seed ${seed}, ${seconds} s. Again with: npm run chaos -- --seconds ${seconds} --seed ${seed}${soak ? ' --soak' : ''}`,
);
const soaking = soak ? new Soak() : undefined;
const { commands, faults, endings, alarms } = await scoped(() => runChaos(seed, seconds, soaking));
const ended = (ending: Ending) => endings.get(ending) ?? [];
const failures = [...ended('lost'), ...ended('twice'), ...alarms];
print(`${commands} commands, among ${faults} faults`);
for (const [ending, { length }] of endings) print(`${String(length).padStart(6)} ${ending}`);
for (const line of [...ended('excused'), ...failures]) print(`  ${line}`);
if (soaking) {
  const section = soaking.section(seconds, `${commands} commands, ${faults} faults`, failures.length);
  if (values.write) writeFileSync(PAGE, replaceSection(readFileSync(PAGE, 'utf8'), 'soak', section));
  print(`\n${section}`);
}
// Of 25 commands a second some find no bot; the fewest faults are those of a soak, one in three seconds.
const didLittle = commands < 10 * seconds || faults < seconds / 4;
if (didLittle) print('Too few commands or faults to tell.');
process.exit(failures.length === 0 && !didLittle && (soaking?.isFlat ?? true) ? 0 : 1);
