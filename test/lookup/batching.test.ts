import { describe, expect, it } from 'vitest';
import { fillBatch, leavesAtMs } from '../../src/lookup/batching.ts';
import type { PendingLookup } from '../../src/lookup/pending-lookup.ts';

/** `a`, of members; `A`, a renewal; `a2`, that may go with one other; `,`, that goes by itself. */
function pending(name: string): PendingLookup {
  const [letter = ''] = name;
  const mostTogether = name.length > 1 ? Number(name.slice(1)) : Number.POSITIVE_INFINITY;
  const lane = letter === letter.toLowerCase() ? 'members' : 'renewals';
  return { cardId: name, lane, mostTogether } as PendingLookup;
}

/** The longest address holds four ids. */
const ROOM = { room: 4, lengthOf: (id: string) => (id === ',' ? Number.POSITIVE_INFINITY : 1) };

function batch(waiting: string, { most = 20 } = {}): string {
  const ready = waiting.split(' ').filter(Boolean).map(pending);
  const limits = { ...ROOM, most };
  const { pending: chosen, isFull } = fillBatch(ready, ([first]) => first, limits);
  return `${chosen.map(({ cardId }) => cardId).join(' ')}${isFull ? ' (full)' : ''}`;
}

describe('a batch', () => {
  it.each([
    ['', ''],
    ['a', 'a'],
    ['a b c', 'a b c'],
    ['a b c d', 'a b c d'],
    ['a b c d e', 'a b c d (full)'],
    ['a b A B', 'a b A B'],
    ['A B', 'A B'],
    [', a b', ', (full)'],
    ['a , b', 'a b'],
    ['a1 b c', 'a1 (full)'],
    ['a b1 c', 'a c'],
    ['a2 b c', 'a2 b (full)'],
    ['a b2 c', 'a b2 (full)'],
    ['a b c2 d', 'a b (full)'],
  ])('of "%s", best first, is "%s"', (waiting, expected) => {
    expect(batch(waiting)).toBe(expected);
  });

  it.each([
    [1, 'a b c', 'a (full)'],
    [2, 'a b c', 'a b (full)'],
    [3, 'a b c', 'a b c (full)'],
  ])('of at most %i of "%s" is "%s"', (most, waiting, expected) => {
    expect(batch(waiting, { most })).toBe(expected);
  });
});

describe('a batch that has a permit', () => {
  it.each([
    ['leaves at once when no request is under way', { isFull: false }, { underWay: 0 }, 1_000],
    ['waits for others while one is', { isFull: false }, { underWay: 1 }, 1_250],
    ['leaves when one has returned', { isFull: false }, { underWay: 1, hasReturned: true }, 1_000],
    ['leaves when it is full', { isFull: true }, { underWay: 2 }, 1_000],
  ])('%s', (_, which, more, atMs) => {
    expect(leavesAtMs(which, { hasReturned: false, heldSinceMs: 1_000, ...more })).toBe(atMs);
  });
});
