import { type BenchTable, type Verdict, wanted } from '../table.ts';
import { dayOfLookups } from './day-of-lookups.ts';
import { type DayReport, dayReport } from './day-report.ts';
import { count, minutes, percent } from './format.ts';
import { ourBot, WAYS, type Way } from './our-bot.ts';
import { simulateDays } from './simulated-day.ts';

/** The kinds of day, by the share of the lookups that come in the first hour. */
const FIRST_HOUR_SHARE = { even: 1 / 24, rush: 0.3 } as const;
type Kind = keyof typeof FIRST_HOUR_SHARE;
interface Day {
  kind: Kind;
  way: Way;
}
type LivedDay = Day & { report: DayReport };

const DAYS: readonly Day[] = (['even', 'rush'] as const).flatMap((kind) =>
  (['this bot', 'this bot with lists'] as const).map((way) => ({ kind, way })),
);

/** Share of an even day's lookups that show a card at once or within 3 s. */
const QUICK_SHARE = 0.99;

/** What the columns show. */
const CELLS: Readonly<Record<string, (report: DayReport) => string>> = {
  answered: ({ spent }) => count(spent),
  'refused (429)': ({ refused }) => count(refused),
  needless: ({ needless }) => count(needless),
  'at once': ({ atOnce, lookups }) => percent(atOnce, lookups),
  '≤ 3 s': ({ shortWait, lookups }) => percent(shortWait, lookups),
  later: ({ longWait, lookups }) => percent(longWait, lookups),
  'no card': ({ withoutCard, lookups }) => percent(withoutCard, lookups),
  'first lookups': ({ firstLookups: { seen, cards } }) => `${seen} of ${cards}`,
};

/** How far the Free plan's 1,000 requests go. */
export async function run(): Promise<BenchTable> {
  const days: LivedDay[] = [];
  for (const day of DAYS) days.push(await lived(day));
  const ours = days.filter(({ way }) => way === 'this bot');
  return {
    title: 'One day on the Free plan (1,000 requests a day, 10 a minute, burst 20): 20,000 lookups of 500 cards',
    columns: ['day', 'way', ...Object.keys(CELLS)],
    rows: days.map(({ kind, way, report }) => [kind, way, ...Object.values(CELLS).map((cell) => cell(report))]),
    notes: [
      "Lookups by Zipf's law (exponent 1) by 300 members of 40 servers, from a cold start. Even: spread over the day. " +
        'Rush: 30 % of them in the first hour, 6,000 where the plan allows about 620 requests. ' +
        'Time is simulated, every request takes 200 ms.',
      'With lists: `CARD_SERVICE_BULK_PATH` is set, and a request for up to 20 cards counts as one. ' +
        'Most lookups of a day come when nobody else waits, and one card is one request; a rush is where requests are shared.',
      'Needless: cards requested again within the 6 hours in which a price counts as fresh. ' +
        'No card: an error, a refusal, or an answer after the 15 minutes that Discord waits. ' +
        'First lookups: whether the first member who wanted a card saw it, also on coming back at the time they were told.',
      ...ours.map(ofOurs),
    ],
    verdicts: [...ours.flatMap(judge), ...days.filter(({ way }) => way !== 'this bot').map(byLists(ours))],
  };
}

function ofOurs({ kind, report: { staleCopies, lookups, firstLookups } }: LivedDay): string {
  const stale = `${percent(staleCopies, lookups)} of the lookups showed a stale copy with its age`;
  return `This bot on the ${kind} day: ${stale}; of the first lookups the slowest had its card after ${minutes(firstLookups.longestMs)}.`;
}

function judge({ kind, report }: LivedDay): Verdict[] {
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

function byLists(singly: readonly LivedDay[]): (lists: LivedDay) => Verdict {
  return ({ kind, report: { spent, withoutCard, refused } }) => {
    const one = singly.find((day) => day.kind === kind)?.report;
    const isBetter = one !== undefined && spent <= one.spent && withoutCard <= one.withoutCard && refused === 0;
    return wanted(
      `${kind} day with lists: ${spent} requests, ${withoutCard} without a card, ${refused} answers 429`,
      isBetter,
    );
  };
}

async function lived({ kind, way }: Day): Promise<LivedDay> {
  const lookups = dayOfLookups(FIRST_HOUR_SHARE[kind]);
  return { kind, way, report: dayReport(await simulateDays((service) => ourBot(service, WAYS[way]), [lookups])) };
}
