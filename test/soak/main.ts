import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { machine } from '../bench/machine.ts';
import { replaceSection } from '../bench/marked-section.ts';
import { count } from '../bench/quota/format.ts';
import { toMarkdown } from '../bench/table.ts';
import { scoped } from '../support/on-finished.ts';
import { drawSoak } from './plot.ts';
import { runSoak, type SoakReport } from './run.ts';
import { judge, SERIES, type SoakSample, type Verdict } from './series.ts';

/** A quarter of a short run. */
const WARM_UP_MINUTES = 5;
const PAGE = 'docs/benchmarks.md';
const PICTURE = 'docs/soak.svg';

const { minutes, seed, write } = new Command('npm run soak --')
  .description('Runs one bot under commands, faults and restarts of the service, and shows whether anything grows.')
  .option('--minutes <number>', 'how long', positive, 20)
  .option('--seed <text>', 'replays the schedule of that seed', String(Date.now()))
  .option('--write', `writes ${PICTURE} and its section of ${PAGE}`, false)
  .parse()
  .opts<{ minutes: number; seed: string; write: boolean }>();

const warmUpMs = Math.min(WARM_UP_MINUTES, minutes / 4) * 60_000;
process.stdout.write(`Seed ${seed}, ${minutes} min. Again with: npm run soak -- --minutes ${minutes} --seed ${seed}\n`);
const report = await scoped(() => runSoak(minutes, seed, (sample) => void process.stdout.write(`${shown(sample)}\n`)));
const verdicts = judge(report.samples, warmUpMs);
const svg = drawSoak(report.samples, warmUpMs);
const picture = write ? PICTURE : join(tmpdir(), 'cardbot-soak.svg');
writeFileSync(picture, svg);
if (write) {
  const section = replaceSection(readFileSync(PAGE, 'utf8'), markdown(report, verdicts), 'soak', 'npm run soak');
  writeFileSync(PAGE, section);
}
process.stdout.write(`\n${markdown(report, verdicts)}\n\nThe picture: ${picture}\n`);
for (const alarm of report.alarms) process.stdout.write(`alarm: ${alarm}\n`);
process.exit(report.alarms.length === 0 && verdicts.every(({ isFlat }) => isFlat) ? 0 : 1);

function shown({ atMs, ...sample }: SoakSample): string {
  const names = Object.keys(SERIES) as (keyof typeof SERIES)[];
  const figures = names.map((name) => `${SERIES[name].title.toLowerCase()} ${SERIES[name].shown(sample[name])}`);
  return [new Date(atMs).toISOString().slice(11, 19), ...figures].join('   ');
}

function markdown({ commands, faults, restarts, alarms }: SoakReport, verdicts: readonly Verdict[]): string {
  return toMarkdown({
    title: `One process for ${minutes} minutes on ${machine()}`,
    columns: ['', 'first', 'last', ''],
    rows: verdicts.map(({ name, first, last, isFlat }) => {
      const { title, shown: text } = SERIES[name];
      return [title, text(first), text(last), isFlat ? 'flat' : '**grows**'];
    }),
    notes: [
      `${count(commands)} commands, ${count(faults)} faults, ${count(restarts)} restarts of the card service; ${alarms.length === 0 ? 'no' : alarms.length} log lines that no fault explains. Means of the first and of the last third after ${warmUpMs / 60_000} minutes.`,
    ],
  });
}

function positive(text: string): number {
  const number = Number(text);
  if (number > 0) return number;
  throw new InvalidArgumentError('Write a number of minutes above 0.');
}
