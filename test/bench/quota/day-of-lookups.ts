import type { ServiceCard } from '../../../sandbox/sample-cards.ts';
import { seededRandom } from '../../../sandbox/seeded-random.ts';
import type { Requester } from '../../../src/model/quota.ts';

export const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const LOOKUPS = 20_000;
const CARDS = 500;
const MEMBERS = 300;
const SERVERS = 40;

const CUMULATIVE: number[] = [];
for (let rank = 1; rank <= CARDS; rank++) CUMULATIVE.push((CUMULATIVE.at(-1) ?? 0) + 1 / rank);

export interface Lookup {
  /** Whole milliseconds since the day began, or the first of several. */
  atMs: number;
  cardId: string;
  requester: Requester;
}

/** The cards that are looked up on that day; all exist. */
export const DAY_CARDS: readonly ServiceCard[] = Array.from({ length: CARDS }, (_, rank) => ({
  id: cardId(rank),
  name: `Card of rank ${rank + 1}`,
  tcg: 'Lanternfolk',
  set: { id: 'bench', name: 'Benchmark' },
  prices: { market: 1, low: 0.5, high: 2 },
}));

/**
 * The day's lookups in order of time: cards by Zipf's law, members at random, each member in one server.
 *
 * @param firstHourShare of all lookups that come in the first hour; 1/24 makes an even day
 */
export function dayOfLookups(firstHourShare: number): Lookup[] {
  const random = seededRandom('a day of lookups');
  const inFirstHour = Math.round(LOOKUPS * firstHourShare);
  return inOrder(LOOKUPS, random, (index) =>
    Math.floor(index < inFirstHour ? random() * HOUR_MS : HOUR_MS + random() * (DAY_MS - HOUR_MS)),
  );
}

/** The hour of the day, in UTC, in which most is looked up: the evening in Europe, and the last hours before the reset. */
const BUSIEST_HOUR = 20;
/** By how much the busiest hour is above the mean, and the quietest below. */
const SWING = 0.8;

/** The same cards and members with a daily rhythm. @param day each has other lookups, from `day * DAY_MS` on */
export function rhythmicDay(lookups: number, day: number, cards = CARDS): Lookup[] {
  const random = seededRandom(`day ${day} of ${lookups} lookups`);
  const shareAt = (atMs: number) =>
    1 + SWING * Math.cos((2 * Math.PI * (atMs - (BUSIEST_HOUR + 0.5) * HOUR_MS)) / DAY_MS);
  const anyTime = (): number => {
    const atMs = Math.floor(random() * DAY_MS);
    return random() * (1 + SWING) < shareAt(atMs) ? atMs : anyTime();
  };
  return inOrder(lookups, random, () => day * DAY_MS + anyTime(), cards);
}

function inOrder(count: number, random: () => number, timeOf: (index: number) => number, cards = CARDS): Lookup[] {
  return Array.from({ length: count }, (_, index) => {
    const atMs = timeOf(index);
    const member = Math.floor(random() * MEMBERS);
    return {
      atMs,
      cardId: cardId(rankAt(random(), cards)),
      requester: { memberId: `member ${member}`, guildId: `server ${member % SERVERS}` },
    };
  }).sort((a, b) => a.atMs - b.atMs);
}

/** By Zipf's law: the second is looked up half as often as the first, the third a third as often. @param share from 0 up to 1 */
function rankAt(share: number, cards: number): number {
  const found = CUMULATIVE.findIndex((upTo) => upTo > share * (CUMULATIVE[cards - 1] ?? 0));
  return found < 0 ? cards - 1 : found;
}

function cardId(rank: number): string {
  return `bench-${rank + 1}`;
}
