import { seededRandom } from '../../../sandbox/seeded-random.ts';
import { WatchRenewals } from '../../../src/members/renewals.ts';
import { simulatedMs } from '../../simulate/fake-time.ts';
import { type BenchTable, count, percent, type Verdict } from '../table.ts';
import { type Bot, DAY_CARDS, DAY_MS, HOUR_MS, LISTS, live, reportOf, rhythmicDays, until } from './days.ts';

const DAYS = 14;
const [QUIET, BUSY] = [3_000, 20_000];
const NOTICED_SHARE = 0.95;
/** One of so many watched cards goes across its line. */
const CROSSING = 10;
const [PRICE, LINE, PRICE_BEYOND] = [1, 1.5, 2];
const WATCHES_OF_A_MEMBER = 25;
const MINUTE_MS = 60_000;

interface Setting {
  way: string;
  lookups: number;
  /** Other cards are watched than those that are looked up. */
  isOther?: true;
  variables?: Record<string, string>;
  /** Nearly all prices have to be noticed within a day. */
  isQuick?: true;
}

const RUNS: readonly Setting[] = [
  { lookups: BUSY, way: 'this bot' },
  { lookups: QUIET, variables: { WATCH_RENEWALS: 'off' }, way: '`WATCH_RENEWALS=off`' },
  { lookups: QUIET, isQuick: true, way: 'this bot' },
  { lookups: QUIET, isQuick: true, variables: LISTS, way: 'this bot, 20 cards a request' },
  // One by one, what remains is fewer requests than there are cards that nobody looks up.
  { lookups: QUIET, isOther: true, way: 'this bot, cards that nobody looks up' },
  { lookups: QUIET, isQuick: true, isOther: true, variables: LISTS, way: 'the same, 20 cards a request' },
];

/** What members' watches cost, and how soon a price is noticed that goes across a line. */
export async function run(): Promise<BenchTable> {
  const [rows, verdicts]: [BenchTable['rows'], Verdict[]] = [[], []];
  for (const setting of RUNS) {
    const { spent, sent, refused, missed, delayed, tookMs } = await watched(setting);
    const lookups = count(setting.lookups);
    const noticed = tookMs.filter((ms) => ms <= DAY_MS).length / tookMs.length;
    rows.push({
      'lookups a day': lookups,
      way: setting.way,
      'requests a day': count(Math.round(spent / DAYS)),
      'for watches': count(Math.round(sent / DAYS)),
      'refused (429)': count(refused),
      'missed by members': count(missed),
      delayed: count(delayed),
      'noticed in 24 h': percent(noticed, 1),
      slowest: `${count(Math.ceil(Math.max(...tookMs) / HOUR_MS))} h`,
    });
    const name = `${lookups} lookups a day, ${setting.way}`;
    verdicts.push(
      [`${name}: ${missed} missed, ${delayed} delayed, ${refused} answers 429`, missed + delayed + refused === 0],
      [`${name}: ${percent(noticed, 1)} noticed in 24 h`, !setting.isQuick || (noticed >= NOTICED_SHARE && sent > 0)],
    );
  }
  const title = `500 watched cards on the Free plan, ${DAYS} days: what renewing them costs, and when a price is noticed`;
  return { title, rows, verdicts };
}

/** Days on which 500 cards are watched; those that cross their line do so at any time but on the first and the last day. */
async function watched({ lookups, isOther, variables }: Setting) {
  const random = seededRandom('crossings');
  const cards = DAY_CARDS.map((card) => ({
    ...card,
    id: isOther ? `other-${card.id}` : card.id,
    prices: { market: PRICE },
  }));
  const crossings = cards.flatMap(({ id, prices }, rank) => {
    if (rank % CROSSING > 0) return [];
    return { id, prices, atMs: Math.floor((1 + random() * (DAYS - 2)) * DAY_MS), tookMs: Number.POSITIVE_INFINITY };
  });
  /** When requests for watches left. */
  const sentAtMs: number[] = [];
  let delayed = 0;

  const watch = async ({ services, state, events, config, log }: Bot) => {
    const { watches, limiter } = services;
    const acquire = limiter.acquire.bind(limiter);
    limiter.acquire = async (lane) => {
      const acquired = await acquire(lane);
      const isPermit = acquired.kind === 'permit';
      if (lane === 'watches' && isPermit) sentAtMs.push(simulatedMs());
      const isSoonAfter = simulatedMs() - (sentAtMs.at(-1) ?? Number.NEGATIVE_INFINITY) < MINUTE_MS;
      if (lane !== 'watches' && !isPermit && isSoonAfter) delayed += 1;
      return acquired;
    };
    events.subscribe('priced', (event) => void watches.priced(event));
    watches.onCrossing = ({ cardId }) => {
      const crossing = crossings.find(({ id }) => id === cardId);
      if (crossing) crossing.tookMs = Math.min(crossing.tookMs, simulatedMs() - crossing.atMs);
    };
    for (const [rank, { id, name }] of cards.entries()) {
      const memberId = `watcher ${Math.floor(rank / WATCHES_OF_A_MEMBER)}`;
      await watches.set({ memberId, cardId: id, cardName: name, locale: 'en-US', above: LINE }, PRICE);
    }
    for (const { atMs, prices } of crossings)
      void until(atMs).then(() => Object.assign(prices, { market: PRICE_BEYOND }));
    if (config.renewsWatched) new WatchRenewals({ ...services, claims: state.claims, hasWindow: true, log }).start();
  };

  const found = await live(rhythmicDays(DAYS, lookups), variables, { cards: [...DAY_CARDS, ...cards] }, watch);
  const dayOf = (atMs: number) => Math.floor(atMs / DAY_MS);
  /** Lookups that showed no card or a saved one, on a day on which a request for watches had left before. */
  const missed = found.lived.filter(({ atMs, outcome }) => {
    const isWithout = !outcome.card || outcome.isKept;
    return isWithout && sentAtMs.some((sent) => sent < atMs && dayOf(sent) === dayOf(atMs));
  });
  const tookMs = crossings.map((crossing) => crossing.tookMs);
  return { ...reportOf(found), sent: sentAtMs.length, missed: missed.length, delayed, tookMs };
}
