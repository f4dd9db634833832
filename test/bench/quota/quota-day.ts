import { type BenchTable, percent, type Verdict } from '../table.ts';
import { cellsOf, dayOfLookups, LISTS, live, type Report, reportOf } from './days.ts';

/** The kinds of day, by the share of the lookups that come in the first hour. */
const FIRST_HOUR_SHARE = { even: 1 / 24, rush: 0.3 };
const WAYS = { 'this bot': {}, 'this bot with lists': LISTS };
/** Share of an even day's lookups that show a card at once or within 3 s. */
const QUICK_SHARE = 0.99;

/** How far the Free plan's 1,000 requests go. */
export async function run(): Promise<BenchTable> {
  const title = 'One day on the Free plan (1,000 requests a day, 10 a minute, burst 20): 20,000 lookups of 500 cards';
  const [rows, notes, verdicts]: [BenchTable['rows'], string[], Verdict[]] = [[], [], []];
  for (const [day, share] of Object.entries(FIRST_HOUR_SHARE)) {
    for (const [way, variables] of Object.entries(WAYS)) {
      const report = reportOf(await live([dayOfLookups(share)], variables));
      const waits = cellsOf(report, 'at once', '≤ 3 s', 'later', 'no card', 'first lookups');
      const cells = { ...cellsOf(report, 'answered', 'refused (429)', 'needless'), ...waits };
      rows.push({ day, way, ...cells });
      verdicts.push(...judge(`${day} day, ${way}`, report));
      if (variables === LISTS) continue;
      const minutes = Math.ceil(report.slowestFirstMs / 60_000);
      notes.push(
        `On the ${day} day ${report.cells.stale} showed a stale copy; the slowest first lookup had its card after ${minutes} min.`,
      );
    }
  }
  return { title, rows, notes, verdicts };
}

function judge(day: string, { refused, needless, unseen, lookups, quick }: Report): Verdict[] {
  return [
    [`${day}: ${refused} answers 429, ${needless} needless requests`, refused + needless === 0],
    [`${day}: ${unseen} first lookups without their card`, unseen === 0],
    [
      `${day}: ${percent(quick, lookups)} shown a card within 3 s (99 % wanted)`,
      quick >= QUICK_SHARE * lookups || !day.startsWith('even'),
    ],
  ];
}
