import { seededRandom } from '../../../sandbox/seeded-random.ts';
import { WatchRenewals } from '../../../src/watches/renewals.ts';
import { DAY_CARDS, DAY_MS, rhythmicDay } from '../quota/day-of-lookups.ts';
import { type Beside, ourBot } from '../quota/our-bot.ts';
import { type SimulatedDay, simulateDays, sinceMidnightMs, until } from '../quota/simulated-day.ts';

export interface Setting {
  days: number;
  lookupsADay: number;
  /** `WATCH_RENEWALS`. */
  isOn: boolean;
  /** Whether other cards are watched than those that are looked up. */
  isOther?: boolean;
  /** Others of the bot. */
  variables?: Record<string, string>;
}

/** A price that went across the line of a watch. */
interface Crossed {
  atMs: number;
  /** From the crossing until an answer showed it; `undefined` when none did. */
  noticedAfterMs: number | undefined;
}

interface WatchedDays extends SimulatedDay {
  crossings: Crossed[];
  /** Requests for watches, by day. */
  sentByDay: number[];
  /** Lookups that got no card, or no newer one, on a day after a request for watches. */
  missed: number;
  /** Permits that a member had to wait for within a minute after a request for watches. */
  delayed: number;
}

/** A tenth of the cards that are watched. */
const CROSSING_SHARE = 0.1;
const [PRICE, LINE, PRICE_BEYOND] = [1, 1.5, 2];
const WATCHES_OF_A_MEMBER = 25;
const MINUTE_MS = 60_000;

/** Days on which 500 cards are watched; those that cross their line do so at any time but on the first and the last day. */
export async function watchedDays({
  days,
  lookupsADay,
  isOn,
  isOther = false,
  variables = {},
}: Setting): Promise<WatchedDays> {
  const random = seededRandom('crossings');
  const idOf = (id: string) => (isOther ? `other-${id}` : id);
  const cards = DAY_CARDS.map((card) => ({ ...card, id: idOf(card.id), prices: { market: PRICE } }));
  const crossing = cards.filter((_, rank) => rank % (1 / CROSSING_SHARE) === 0);
  const crossings = new Map(
    crossing.map(({ id }): [string, Crossed] => {
      const atMs = Math.floor((1 + random() * (days - 2)) * DAY_MS);
      return [id, { atMs, noticedAfterMs: undefined }];
    }),
  );
  const sentByDay: number[] = [];
  const sentAtMs: number[] = [];
  let delayed = 0;

  const watching: Beside = async ({ services, state, events, log }) => {
    const { watches, ledger } = services;
    const { limiter } = services;
    const acquire = limiter.acquire.bind(limiter);
    limiter.acquire = async (lane) => {
      const acquired = await acquire(lane);
      const isPermit = acquired.kind === 'permit';
      if (lane === 'watches' && isPermit) sentAtMs.push(sinceMidnightMs());
      const isAfter = sinceMidnightMs() - (sentAtMs.at(-1) ?? Number.NEGATIVE_INFINITY) < MINUTE_MS;
      if (lane !== 'watches' && !isPermit && isAfter) delayed += 1;
      return acquired;
    };
    events.subscribe('priced', (event) => void watches.priced(event));
    watches.onCrossing(({ cardId }) => {
      const found = crossings.get(cardId);
      if (found) found.noticedAfterMs ??= sinceMidnightMs() - found.atMs;
    });
    for (const [rank, { id, name }] of cards.entries()) {
      const memberId = `watcher ${Math.floor(rank / WATCHES_OF_A_MEMBER)}`;
      await watches.set({ memberId, cardId: id, cardName: name, locale: 'en-US', above: LINE }, PRICE);
    }
    for (const card of crossing) {
      void until(crossings.get(card.id)?.atMs ?? 0).then(() => {
        card.prices.market = PRICE_BEYOND;
      });
    }
    for (let day = 0; day < days; day++) {
      void until((day + 1) * DAY_MS - 1).then(async () => {
        sentByDay[day] = (await ledger.watchesToday()).requests;
      });
    }
    const renewals = new WatchRenewals({ ...services, claims: state.claims, hasWindow: true, log });
    if (isOn) renewals.start();
    return () => renewals.close();
  };

  const lookups = Array.from({ length: days }, (_, day) => rhythmicDay(lookupsADay, day));
  const lived = await simulateDays((service) => ourBot(service, variables, watching), lookups, {
    cards: [...DAY_CARDS, ...cards],
  });
  const firstOfDay = new Map(sentAtMs.toReversed().map((atMs) => [Math.floor(atMs / DAY_MS), atMs]));
  const missed = lived.lived.filter(({ lookup: { atMs }, outcome }) => {
    const isAfter = atMs > (firstOfDay.get(Math.floor(atMs / DAY_MS)) ?? Number.POSITIVE_INFINITY);
    return isAfter && (!outcome.card || outcome.isKept);
  }).length;
  return { ...lived, crossings: [...crossings.values()], sentByDay, missed, delayed };
}
