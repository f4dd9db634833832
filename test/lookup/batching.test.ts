import { describe, expect, it } from 'vitest';
import { Batching, fillBatch } from '../../src/lookup/batching.ts';
import { NO_OTHER_QUEUES } from '../../src/lookup/fair-order.ts';
import type { PendingLookup } from '../../src/lookup/pending-lookup.ts';
import { LocalClaims } from '../../src/model/claims.ts';
import type { LimiterView } from '../../src/quota/limiter-port.ts';
import { fakeTime } from '../support/lookup-queue.ts';

/** `a`, of members; `A`, a renewal; `a2`, that may go with one other; `,`, that goes by itself. */
function pending(name: string): PendingLookup {
  const [letter = ''] = name;
  const lane = letter === letter.toLowerCase() ? 'members' : 'renewals';
  return { cardId: name, lane } as PendingLookup;
}

/** The longest address holds four ids. */
const ROOM = { room: 4, lengthOf: (id: string) => (id === ',' ? Number.POSITIVE_INFINITY : 1) };

function batch(waiting: string, { most = 20 } = {}): string {
  const ready = waiting.split(' ').filter(Boolean).map(pending);
  const limits = { ...ROOM, most };
  const { pending: chosen, isFull } = fillBatch(
    (isLeftOut) => ready.values().filter((next) => !isLeftOut(next)),
    limits,
    (name) => (name.length > 1 ? Number(name.slice(1)) : Number.POSITIVE_INFINITY),
  );
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
    ['a2 b', 'a2 b (full)'],
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

it('the cards of one list are told one time, that of its permit', () => {
  const limiter = { view: () => ({ quota: undefined, forecast: (_, permit) => 6 * permit }) as LimiterView };
  const service = { limits: () => ({ ...ROOM, most: 3 }) };
  const batching = new Batching({ service, limiter, otherQueues: NO_OTHER_QUEUES, claims: new LocalClaims() });
  expect([1, 2, 3, 4, 5, 6, 7].map((position) => batching.permitAtMs(position))).toEqual([6, 6, 6, 12, 12, 12, 18]);
});

it('with other processes, lists have no more cards together than this one’s part of what remains of the day', () => {
  const limiter = { view: () => ({ quota: { remaining: 100 } }) as LimiterView };
  const service = { limits: (_: number, cardsLeft = 0) => ({ ...ROOM, most: cardsLeft }) };
  const mostBeside = (lengths: number[]) => {
    const otherQueues = { ...NO_OTHER_QUEUES, lengths: () => lengths };
    return new Batching({ service, limiter, otherQueues, claims: new LocalClaims() }).limits(0).most;
  };
  expect([mostBeside([]), mostBeside([0, 3])]).toEqual([100, 33]);
});

it.each<[string, number | undefined, unknown[]]>([
  ['a list with a rate of its own takes its turn, and gives it back', 500, ['mine', { heldForMs: 500 }]],
  ['a list at the rate of single cards takes no turn', undefined, [undefined, undefined]],
])('%s', async (_, everyMs, turns) => {
  fakeTime();
  const limiter = { view: () => ({ quota: undefined }) as LimiterView };
  const service = { limits: () => ({ ...ROOM, most: 20, everyMs }) };
  const batching = new Batching({ service, limiter, otherQueues: NO_OTHER_QUEUES, claims: new LocalClaims() });
  const turn = await batching.turn();
  expect([turn, await batching.turn()]).toEqual(turns);
  batching.giveBack(turn);
  expect(await batching.turn()).toBe(turn);
});

describe('a batch for which there is a permit', () => {
  const limiter = { view: () => ({ quota: undefined }) as LimiterView };
  const service = { limits: () => ({ ...ROOM, most: 20 }) };
  const HALF = { pending: [pending('a')], isFull: false };
  const held = () => new Batching({ service, limiter, otherQueues: NO_OTHER_QUEUES, claims: new LocalClaims() });
  const withOneUnderWay = () => {
    const batching = held();
    batching.beginRequest({ probe: false, leftAtMs: 0 }, 1);
    return batching;
  };

  it('leaves at once when no request is under way', () => {
    expect(held().leavesAtMs(HALF, 0, 1_000)).toBe(1_000);
  });

  it('leaves at once when the last request has returned', () => {
    const batching = withOneUnderWay();
    batching.endRequest();
    expect(batching.leavesAtMs(HALF, 0, 1_000)).toBe(1_000);
  });

  it.each([
    ['while a request is under way', withOneUnderWay, 0],
    ['while another batch leaves', held, 1],
  ])('waits 250 ms for others %s, and leaves when it is full', (_, batchingWith, leaving) => {
    const batching = batchingWith();
    expect(batching.leavesAtMs(HALF, leaving, 1_000)).toBe(1_250);
    expect(batching.leavesAtMs(HALF, leaving, 1_100)).toBe(1_250);
    expect(batching.leavesAtMs({ ...HALF, isFull: true }, leaving, 1_100)).toBe(1_100);
  });

  it.each<[string, (batching: Batching) => unknown]>([
    ['the one before has left', (batching) => batching.beginRequest({ probe: false, leftAtMs: 0 }, 1)],
    ['nothing has waited', (batching) => batching.leavesAtMs({ pending: [], isFull: false }, 0, 1_100)],
    [
      'a request has returned for which nothing waited',
      (batching) => {
        batching.beginRequest({ probe: false, leftAtMs: 0 }, 1);
        batching.endRequest();
      },
    ],
  ])('waits 250 ms anew after %s', (_, happens) => {
    const batching = withOneUnderWay();
    batching.leavesAtMs(HALF, 0, 1_000);
    happens(batching);
    expect(batching.leavesAtMs(HALF, 0, 1_200)).toBe(1_450);
  });

  it('leaves when a request has returned, though another is under way', () => {
    const batching = withOneUnderWay();
    batching.beginRequest({ probe: false, leftAtMs: 0 }, 1);
    batching.leavesAtMs(HALF, 0, 1_000);
    batching.endRequest();
    expect(batching.leavesAtMs(HALF, 0, 1_100)).toBeLessThanOrEqual(1_100);
  });

  it('is one card if it is to probe whether requests flow again', () => {
    expect(held().beginRequest({ probe: true, leftAtMs: 0 }, 30)).toBe(1);
    expect(held().beginRequest({ probe: false, leftAtMs: 0 }, 30)).toBe(20);
  });
});
