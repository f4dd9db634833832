import { expect, it } from 'vitest';
import { dayReport } from './day-report.ts';
import type { RecordedRequest } from './recorded-fetch.ts';
import type { Lived } from './simulated-day.ts';

const HOUR_MS = 3_600_000;
const CARD = { card: true, stale: false };
const NONE = { card: false, stale: false };

function lived(atMs: number, cardId: string, what: Partial<Lived>): Lived {
  const lookup = { atMs, cardId, requester: { memberId: 'one', guildId: 'here' } };
  const { outcome = CARD, waitMs = 0 } = what;
  return { lookup, outcome, waitMs, comebacks: 0, seenAfterMs: outcome.card ? waitMs : undefined, ...what };
}

function request(sentAtMs: number, what: Partial<RecordedRequest> = {}): RecordedRequest {
  return {
    sentAtMs,
    answeredAtMs: sentAtMs + 200,
    path: '/cards/a',
    cardIds: [],
    status: 200,
    retryAfterMs: undefined,
    ...what,
  };
}

it('counts every lookup once, by the outcome of its first command', () => {
  const report = dayReport({
    requests: [],
    lived: [
      lived(0, 'a', {}),
      lived(1, 'a', { outcome: { card: true, stale: true } }),
      lived(2, 'a', { waitMs: 3_000 }),
      lived(3, 'a', { waitMs: 3_001 }),
      lived(4, 'a', { outcome: NONE, comebacks: 1, seenAfterMs: 60_000 }),
      lived(5, 'a', { outcome: NONE, waitMs: 3_001 }),
    ],
  });
  expect(report).toMatchObject({ lookups: 6, atOnce: 2, shortWait: 1, longWait: 1, withoutCard: 2 });
  expect(report).toMatchObject({ staleCopies: 1, refusedLate: 1, cameBack: 1 });
});

it.each([
  ['while the answer is fresh', [request(0), request(6 * HOUR_MS)], 1],
  ['once it is old', [request(0), request(6 * HOUR_MS + 200)], 0],
  ['side by side', [request(0), request(1)], 1],
  ['after a 429', [request(0, { status: 429 }), request(1)], 0],
  ['for another card', [request(0), request(1, { path: '/cards/b' })], 0],
])('counts needless requests: %s', (_, requests, needless) => {
  expect(dayReport({ lived: [], requests }).needless).toBe(needless);
});

it('follows the first lookup of each card, later commands of its member included', () => {
  const { firstLookups } = dayReport({
    requests: [],
    lived: [
      lived(1, 'a', {}),
      lived(0, 'a', { outcome: NONE, comebacks: 2, seenAfterMs: 60_000 }),
      lived(0, 'b', { waitMs: 200 }),
      lived(0, 'c', { outcome: NONE }),
    ],
  });
  expect(firstLookups).toEqual({ cards: 3, answered: 1, seen: 2, longestMs: 60_000 });
});
