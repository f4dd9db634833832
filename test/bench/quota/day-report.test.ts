import { expect, it } from 'vitest';
import { dayReport } from './day-report.ts';
import type { Lived } from './simulated-day.ts';
import type { WatchedRequest } from './watched-fetch.ts';

const HOUR_MS = 3_600_000;
const CARD = { card: true, old: false };
const NONE = { card: false, old: false };

function lived(atMs: number, cardId: string, what: Partial<Lived>): Lived {
  const cards = { atMs, cardId, requester: { memberId: 'one', guildId: 'here' } };
  const { told = CARD, waitMs = 0 } = what;
  return { cards, told, waitMs, comebacks: 0, seenAfterMs: told.card ? waitMs : undefined, ...what };
}

function request(sentAtMs: number, what: Partial<WatchedRequest> = {}): WatchedRequest {
  return { sentAtMs, answeredAtMs: sentAtMs + 200, path: '/cards/a', status: 200, retryAfterMs: undefined, ...what };
}

it('counts every lookup once, by what its first command brought', () => {
  const report = dayReport({
    requests: [],
    lived: [
      lived(0, 'a', {}),
      lived(1, 'a', { told: { card: true, old: true } }),
      lived(2, 'a', { waitMs: 3_000 }),
      lived(3, 'a', { waitMs: 3_001 }),
      lived(4, 'a', { told: NONE, comebacks: 1, seenAfterMs: 60_000 }),
      lived(5, 'a', { told: NONE, waitMs: 3_001 }),
    ],
  });
  expect(report).toMatchObject({ lookups: 6, atOnce: 2, shortWait: 1, longWait: 1, withoutCard: 2 });
  expect(report).toMatchObject({ oldCopies: 1, toldLate: 1, cameBack: 1 });
});

it.each([
  ['while the answer is fresh', [request(0), request(6 * HOUR_MS)], 1],
  ['once it is old', [request(0), request(6 * HOUR_MS + 200)], 0],
  ['side by side', [request(0), request(1)], 1],
  ['after a 429', [request(0, { status: 429 }), request(1)], 0],
  ['for another card', [request(0), request(1, { path: '/cards/b' })], 0],
])('tells needless requests from others: %s', (_, requests, askedTwice) => {
  expect(dayReport({ lived: [], requests }).askedTwice).toBe(askedTwice);
});

it('follows who asked first for each card, on coming back too', () => {
  const { firstLookups } = dayReport({
    requests: [],
    lived: [
      lived(1, 'a', {}),
      lived(0, 'a', { told: NONE, comebacks: 2, seenAfterMs: 60_000 }),
      lived(0, 'b', { waitMs: 200 }),
      lived(0, 'c', { told: NONE }),
    ],
  });
  expect(firstLookups).toEqual({ cards: 3, answered: 1, seen: 2, longestMs: 60_000 });
});
