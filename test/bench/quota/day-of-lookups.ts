import type { Requester } from '../../../src/model/quota.ts';
import type { ServiceCard } from '../../../src/sandbox/sample-cards.ts';
import { seededRandom } from '../../../src/sandbox/seeded-random.ts';
import { zipf } from './zipf.ts';

export const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const LOOKUPS = 20_000;
const CARDS = 500;
const ZIPF_EXPONENT = 1;
const MEMBERS = 300;
const SERVERS = 40;

export interface Lookup {
  /** Whole milliseconds since the day began. */
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
  const rank = zipf(CARDS, ZIPF_EXPONENT, random);
  const inFirstHour = Math.round(LOOKUPS * firstHourShare);
  return Array.from({ length: LOOKUPS }, (_, index) => {
    const atMs = Math.floor(index < inFirstHour ? random() * HOUR_MS : HOUR_MS + random() * (DAY_MS - HOUR_MS));
    const member = Math.floor(random() * MEMBERS);
    return {
      atMs,
      cardId: cardId(rank()),
      requester: { memberId: `member ${member}`, guildId: `server ${member % SERVERS}` },
    };
  }).sort((a, b) => a.atMs - b.atMs);
}

function cardId(rank: number): string {
  return `bench-${rank + 1}`;
}
