import { type BenchTable, type Verdict, wanted } from '../table.ts';
import { type ContestantDay, contestantDays, dayRows } from './contestant-days.ts';
import { OURS } from './contestants.ts';
import { drawDay } from './day-picture.ts';
import { count, minutes, percent } from './format.ts';

/** Share of an even day's lookups that show a card at once or within 3 s. */
const QUICK_SHARE = 0.99;

/** How far the Free plan's 1,000 requests go. */
export async function run(): Promise<BenchTable> {
  const days = await contestantDays('alternatives');
  const ours = days.filter(({ name }) => name === OURS.name);
  return {
    title: 'One day on the Free plan (1,000 requests a day, 10 a minute, burst 20): 20,000 lookups of 500 cards',
    ...dayRows(days, {
      answered: ({ spent }) => count(spent),
      'refused (429)': ({ refused }) => count(refused),
      needless: ({ needless }) => count(needless),
      'at once': ({ atOnce, lookups }) => percent(atOnce, lookups),
      '≤ 3 s': ({ shortWait, lookups }) => percent(shortWait, lookups),
      later: ({ longWait, lookups }) => percent(longWait, lookups),
      'no card': ({ withoutCard, lookups }) => percent(withoutCard, lookups),
      'first lookups': ({ firstLookups: { seen, cards } }) => `${seen} of ${cards}`,
    }),
    notes: [
      "Lookups by Zipf's law (exponent 1) by 300 members of 40 servers, from a cold start. Even: spread over the day. " +
        'Rush: 30 % of them in the first hour, 6,000 where the plan allows about 620 requests. ' +
        'Time is simulated, every request takes 200 ms.',
      'Needless: requested again within the 6 hours in which a price counts as fresh. ' +
        'No card: an error, a refusal, or an answer after the 15 minutes that Discord waits. ' +
        'First lookups: whether the first member who wanted a card saw it, also on coming back at the time they were told; only this bot names one.',
      ...ours.map(ofOurs),
    ],
    verdicts: ours.flatMap(judge),
    pictures: [{ file: 'docs/quota-day.svg', svg: drawDay(days.filter(({ kind }) => kind === 'even')) }],
  };
}

function ofOurs({ kind, report }: ContestantDay): string {
  const { firstLookups, withoutCard, refusedLate, cameBack, staleCopies, lookups } = report;
  const { answered, seen, cards, longestMs } = firstLookups;
  const stale = `This bot on the ${kind} day: ${percent(staleCopies, lookups)} of the lookups showed a stale copy with its age`;
  if (withoutCard === 0) return `${stale}.`;
  return (
    `${stale}; ${count(withoutCard)} members were refused (${count(refusedLate)} of them only after a wait), and ${count(cameBack)} of these saw the card on coming back at the time they were told; ` +
    `${answered} of the ${cards} first lookups were answered without that, ${seen} in the end, the slowest after ${minutes(longestMs)}.`
  );
}

function judge({ kind, report }: ContestantDay): Verdict[] {
  const { refused, needless, firstLookups, lookups, atOnce, shortWait } = report;
  const { seen, cards } = firstLookups;
  const quick = atOnce + shortWait;
  const isQuick = wanted(
    `${percent(quick, lookups)} shown a card within 3 s (99 % wanted)`,
    quick >= QUICK_SHARE * lookups,
  );
  return [
    wanted(`${kind} day: ${refused} answers 429`, refused === 0),
    wanted(`${needless} needless requests`, needless === 0),
    wanted(`${seen} of ${cards} first lookups got their card`, seen === cards),
    ...(kind === 'even' ? [isQuick] : []),
  ];
}
