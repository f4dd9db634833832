import type { BenchTable, Verdict } from '../table.ts';
import { type ContestantDay, daysInThread } from './contestant-days.ts';
import { OURS } from './contestants.ts';
import { drawDay } from './day-picture.ts';
import { count, minutes, percent } from './format.ts';

interface Kind {
  name: string;
  firstHourShare: number;
}

const EVEN: Kind = { name: 'even', firstHourShare: 1 / 24 };
const RUSH: Kind = { name: 'rush', firstHourShare: 0.3 };

/** Share of an even day's lookups that show a card at once or within 3 s. */
const QUICK_SHARE = 0.99;

interface Day extends ContestantDay {
  kind: Kind;
}

/** Figure 1: how far the Free plan's 1,000 requests go. */
export async function run(): Promise<BenchTable> {
  const days = (await Promise.all([EVEN, RUSH].map(daysOf))).flat();
  const ours = days.filter(({ name }) => name === OURS.name);
  return {
    title: 'One day on the Free plan (1,000 requests a day, 10 a minute, burst 20): 20,000 lookups of 500 cards',
    columns: [
      'day',
      'way',
      'answered',
      'refused (429)',
      'needless',
      'at once',
      '≤ 3 s',
      'later',
      'no card',
      'first lookups',
    ],
    rows: days.map(row),
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
    pictures: [{ file: 'docs/quota-day.svg', svg: drawDay(days.filter(({ kind }) => kind === EVEN)) }],
  };
}

async function daysOf(kind: Kind): Promise<Day[]> {
  return (await daysInThread(kind.firstHourShare)).map((day) => ({ ...day, kind }));
}

function row({ kind, name, report }: Day): string[] {
  const share = (part: number) => percent(part, report.lookups);
  const { seen, cards } = report.firstLookups;
  return [
    kind.name,
    name,
    count(report.spent),
    count(report.refused),
    count(report.needless),
    share(report.atOnce),
    share(report.shortWait),
    share(report.longWait),
    share(report.withoutCard),
    `${seen} of ${cards}`,
  ];
}

function ofOurs({ kind, report }: Day): string {
  const { firstLookups, withoutCard, refusedLate, cameBack, staleCopies, lookups } = report;
  const { answered, seen, cards, longestMs } = firstLookups;
  const stale = `This bot on the ${kind.name} day: ${percent(staleCopies, lookups)} of the lookups showed a stale copy with its age`;
  if (withoutCard === 0) return `${stale}.`;
  return (
    `${stale}; ${count(withoutCard)} members were refused (${count(refusedLate)} of them only after a wait), and ${count(cameBack)} of these saw the card on coming back at the time they were told; ` +
    `${answered} of the ${cards} first lookups were answered without that, ${seen} in the end, the slowest after ${minutes(longestMs)}.`
  );
}

function judge({ kind, report }: Day): Verdict[] {
  const { refused, needless, firstLookups, lookups, atOnce, shortWait } = report;
  const { seen, cards } = firstLookups;
  const day = `${kind.name} day`;
  const quick = atOnce + shortWait;
  return [
    { claim: `${day}: ${refused} answers 429`, reached: refused === 0 },
    { claim: `${needless} needless requests`, reached: needless === 0 },
    { claim: `${seen} of ${cards} first lookups got their card`, reached: seen === cards },
    ...(kind === EVEN
      ? [
          {
            claim: `${percent(quick, lookups)} shown a card within 3 s (99 % wanted)`,
            reached: quick >= QUICK_SHARE * lookups,
          },
        ]
      : []),
  ];
}
