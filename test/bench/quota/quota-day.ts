import { type BenchTable, percent, type Verdict } from '../table.ts';
import { type Column, cellsOf, dayOfLookups, LISTS, live, type Report, reportOf } from './days.ts';

/** The kinds of day, by the share of the lookups that come in the first hour. */
const FIRST_HOUR_SHARE = { even: 1 / 24, rush: 0.3 };
const WAYS = { 'this bot': {}, 'this bot with lists': LISTS };
/** Share of an even day's lookups that show a card at once or within 3 s. */
const QUICK_SHARE = 0.99;
const COLUMNS: readonly Column[] = [
  ...(['answered', 'refused (429)', 'needless', 'at once', '≤ 3 s', 'later', 'no card', 'first lookups'] as const),
];

/** How far the Free plan's 1,000 requests go. */
export async function run(): Promise<BenchTable> {
  const [rows, notes, verdicts]: [string[][], string[], Verdict[]] = [[], [], []];
  for (const [kind, share] of Object.entries(FIRST_HOUR_SHARE)) {
    for (const [way, variables] of Object.entries(WAYS)) {
      const report = reportOf(await live([dayOfLookups(share)], variables));
      rows.push([kind, way, ...cellsOf(report, COLUMNS)]);
      verdicts.push(...judge(`${kind} day, ${way}`, report));
      if (variables !== LISTS) notes.push(noteOf(kind, report));
    }
  }
  return {
    title: 'One day on the Free plan (1,000 requests a day, 10 a minute, burst 20): 20,000 lookups of 500 cards',
    columns: ['day', 'way', ...COLUMNS],
    rows,
    notes,
    verdicts,
  };
}

function noteOf(kind: string, { stale, lookups, slowestFirstMs }: Report): string {
  const minutes = Math.ceil(slowestFirstMs / 60_000);
  return `This bot on the ${kind} day: ${percent(stale, lookups)} of the lookups showed a stale copy with its age; of the first lookups the slowest had its card after ${minutes} min.`;
}

function judge(day: string, { refused, needless, firsts, firstsSeen, lookups, atOnce, shortWait }: Report): Verdict[] {
  const quick = atOnce + shortWait;
  return [
    { claim: `${day}: ${refused} answers 429, ${needless} needless requests`, reached: refused + needless === 0 },
    { claim: `${day}: ${firstsSeen} of ${firsts} first lookups got their card`, reached: firstsSeen === firsts },
    {
      claim: `${day}: ${percent(quick, lookups)} shown a card within 3 s (99 % wanted)`,
      reached: quick >= QUICK_SHARE * lookups || !day.startsWith('even'),
    },
  ];
}
