import { count, percent } from '../quota/format.ts';
import { LISTS } from '../quota/our-bot.ts';
import { type BenchTable, type Verdict, wanted } from '../table.ts';
import { type Setting, watchedDays } from './watched-days.ts';

const DAYS = 14;
const DAY_MS = 86_400_000;
const NOTICED_SHARE = 0.95;
const QUIET = 3_000;
const BUSY = 20_000;

const RUNS: readonly (Omit<Setting, 'days'> & { way: string })[] = [
  { lookupsADay: BUSY, isOn: true, way: 'this bot' },
  { lookupsADay: QUIET, isOn: false, way: '`WATCH_RENEWALS=off`' },
  { lookupsADay: QUIET, isOn: true, way: 'this bot' },
  { lookupsADay: QUIET, isOn: true, variables: LISTS, way: 'this bot, 20 cards a request' },
  { lookupsADay: QUIET, isOn: true, isOther: true, way: 'this bot, cards that nobody looks up' },
  { lookupsADay: QUIET, isOn: true, isOther: true, variables: LISTS, way: 'the same, 20 cards a request' },
];

/** The figures of one run. */
interface Figures {
  requests: number;
  refused: number;
  sent: number;
  missed: number;
  delayed: number;
  crossings: number;
  noticedInADay: number;
  longestMs: number | undefined;
}

/** What members' watches cost, and how soon a price is noticed that goes across a line. */
export async function run(): Promise<BenchTable> {
  const found: Figures[] = [];
  for (const { way: _, ...setting } of RUNS) found.push(await figuresOf({ ...setting, days: DAYS }));
  return {
    title: `500 watched cards on the Free plan, ${DAYS} days: what renewing them costs, and when a price is noticed`,
    columns: [
      ...['lookups a day', 'way', 'requests a day', 'for watches', 'refused (429)', 'missed by members', 'delayed'],
      ...['noticed in 24 h', 'slowest'],
    ],
    rows: [
      ...RUNS.flatMap(({ lookupsADay, way }, index) => rowOf(lookupsADay, way, found[index])),
      ['any', 'hourly polling, 20 cards a request', '600 and those of members', '600', '', '', '', '100 %', '1 h'],
      ['any', 'hourly polling, one by one', '12,000 and those of members', '12,000', '', '', '', '', ''],
    ],
    notes: [
      'A tenth of the 500 cards go across their line once, at any time from the second day to the last but one; each is watched by one member. ' +
        'The lookups are those of the day above, with a daily rhythm whose busiest hour is 20:00 UTC, in the last hours before the reset; the watched cards are the ones that are looked up, unless it says otherwise. Time is simulated, every request takes 200 ms.',
      'Missed: lookups after the first request for watches of a day that got no card, or no newer one. Delayed: permits that members had to wait for within a minute after such a request. ' +
        'With 20,000 lookups members use up every day, so that nothing is sent for watches. Hourly polling is computed; the plan has 1,000 requests a day.',
    ],
    verdicts: RUNS.flatMap((setting, index) => verdictsOf(setting, found[index])),
  };
}

function rowOf(lookupsADay: number, way: string, figures: Figures | undefined): string[][] {
  if (!figures) return [];
  const { requests, sent, refused, missed, delayed, crossings, noticedInADay, longestMs } = figures;
  const slowest = longestMs === undefined ? 'not in time' : `${Math.ceil(longestMs / 3_600_000)} h`;
  return [
    [
      ...[count(lookupsADay), way, count(Math.round(requests / DAYS)), count(Math.round(sent / DAYS))],
      ...[count(refused), count(missed), count(delayed), percent(noticedInADay, crossings), slowest],
    ],
  ];
}

function verdictsOf(
  { lookupsADay, way, isOn, isOther, variables }: (typeof RUNS)[number],
  figures?: Figures,
): Verdict[] {
  if (!figures || !isOn) return [];
  const { refused, missed, delayed, sent, noticedInADay, crossings } = figures;
  const name = `${count(lookupsADay)} lookups a day, ${way}`;
  const harm = wanted(
    `${name}: ${missed} missed, ${delayed} delayed, ${refused} answers 429`,
    missed + delayed + refused === 0,
  );
  // One by one, what remains is fewer requests than there are cards that nobody looks up.
  if (lookupsADay !== QUIET || (isOther && !variables)) return [harm];
  const isNoticed = sent > 0 && noticedInADay >= NOTICED_SHARE * crossings;
  return [harm, wanted(`${percent(noticedInADay, crossings)} noticed in 24 h`, isNoticed)];
}

async function figuresOf(setting: Setting): Promise<Figures> {
  const { requests, crossings, sentByDay, missed, delayed } = await watchedDays(setting);
  const noticedMs = crossings.map(({ noticedAfterMs }) => noticedAfterMs ?? Number.POSITIVE_INFINITY);
  const longestMs = Math.max(...noticedMs);
  return {
    requests: requests.filter(({ status }) => status !== 429).length,
    refused: requests.filter(({ status }) => status === 429).length,
    sent: sentByDay.reduce((sum, sent) => sum + sent, 0),
    missed,
    delayed,
    crossings: crossings.length,
    noticedInADay: noticedMs.filter((ms) => ms <= DAY_MS).length,
    longestMs: Number.isFinite(longestMs) ? longestMs : undefined,
  };
}
