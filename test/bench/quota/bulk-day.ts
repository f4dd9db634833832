import type { BenchTable, Verdict } from '../table.ts';
import { type ContestantDay, contestantDays } from './contestant-days.ts';
import { type Contestant, OURS } from './contestants.ts';
import { count, minutes, percent } from './format.ts';
import { ourBot } from './our-bot.ts';

const SINGLY: Contestant = { ...OURS, name: 'one card a request' };
const TOGETHER: Contestant = {
  name: 'several cards a request',
  start: (service) => ourBot(service, { CARD_SERVICE_BULK_PATH: '/cards?ids={ids}' }),
};

const DAYS = [
  { day: 'even', firstHourShare: 1 / 24 },
  { day: 'rush', firstHourShare: 0.3 },
];

/** The days of figure 1, with and without a path at which the service lists several cards. */
export async function run(): Promise<BenchTable> {
  const rows: string[][] = [];
  const verdicts: Verdict[] = [];
  for (const { day, firstHourShare } of DAYS) {
    const days = await contestantDays(firstHourShare, [SINGLY, TOGETHER]);
    rows.push(...days.map((one) => row(day, one)));
    verdicts.push(...judge(day, days));
  }
  return {
    title: 'The same days on the Free plan with `CARD_SERVICE_BULK_PATH`: requests, and lookups answered',
    columns: [
      'day',
      'way',
      'requests',
      'refused (429)',
      'needless cards',
      'answered',
      '≤ 3 s',
      'no card',
      'first lookups',
      'slowest',
    ],
    rows,
    notes: [
      'At most 20 cards a request, which the service counts as one. Answered: shown a card by the first command. ' +
        'Most lookups of a day come when nobody else waits, and one card is one request; a rush is where requests are shared.',
    ],
    verdicts,
  };
}

function row(day: string, { name, report }: ContestantDay): string[] {
  const { lookups, withoutCard, atOnce, shortWait, firstLookups } = report;
  return [
    day,
    name,
    count(report.spent),
    count(report.refused),
    count(report.needless),
    percent(lookups - withoutCard, lookups),
    percent(atOnce + shortWait, lookups),
    count(withoutCard),
    `${firstLookups.answered} of ${firstLookups.cards}`,
    minutes(firstLookups.longestMs),
  ];
}

function judge(day: string, [singly, together]: ContestantDay[]): Verdict[] {
  if (!singly || !together) return [];
  const [before, after] = [singly.report, together.report];
  return [
    {
      claim: `${day} day: ${count(after.spent)} requests instead of ${count(before.spent)}`,
      reached: after.spent <= before.spent,
    },
    {
      claim: `${count(after.withoutCard)} lookups without a card instead of ${count(before.withoutCard)}`,
      reached: after.withoutCard <= before.withoutCard,
    },
    { claim: `${after.refused} answers 429`, reached: after.refused === 0 },
  ];
}
