import { describe, expect, it } from 'vitest';
import { afterStep, nextStep, nonceOf, TRIED_FOR_MS, type Tries } from '../../src/watches/delivery.ts';
import { type Crossing, newWatch, type Watch } from '../../src/watches/watch.ts';

const NOW_MS = Date.UTC(2026, 10, 23);
const CROSSING: Crossing = { number: 1, line: 'below', price: 29.5, atMs: NOW_MS, tellBy: 'message' };
const WISH = { memberId: 'alice', cardId: 'base1-4', cardName: 'Emberwing Drake', locale: 'de', below: 30 };
const WATCH: Watch = { ...newWatch(WISH, 36, NOW_MS), crossings: 2, untold: [CROSSING, { ...CROSSING, number: 2 }] };

describe('a crossing that is to be told by message', () => {
  it.each<[string, ageMs: number, Partial<Tries>, ReturnType<typeof nextStep>]>([
    ['is sent at once', 0, {}, 'send'],
    ['is sent for two minutes', TRIED_FOR_MS - 1, {}, 'send'],
    ['is then held for the next command', TRIED_FOR_MS, {}, 'hold'],
    ['waits after Discord has failed', 1_000, { notBeforeMs: NOW_MS + 1_001 }, 'wait'],
    ['is sent again after that', 1_000, { notBeforeMs: NOW_MS + 1_000 }, 'send'],
    ['waits no longer than two minutes', TRIED_FOR_MS, { notBeforeMs: NOW_MS + TRIED_FOR_MS + 1 }, 'hold'],
    ['that was sent and could not be noted is noted', 1_000, { isSent: true }, 'note'],
    ['that was sent is not held, however long that takes', TRIED_FOR_MS, { isSent: true }, 'note'],
  ])('%s', (_rule, ageMs, tries, expected) => {
    expect(nextStep(CROSSING, { isSent: false, notBeforeMs: 0, nowMs: NOW_MS + ageMs, ...tries })).toBe(expected);
  });
});

it('leaves its watch when it is told, and waits there for a command when it is held', () => {
  const [, second] = WATCH.untold;
  expect(afterStep(WATCH, 1, 'note').untold).toEqual([second]);
  expect(afterStep(WATCH, 1, 'hold').untold).toEqual([{ ...CROSSING, tellBy: 'command' }, second]);
});

it('has a nonce of its own that fits, also when the watch was stopped and set again', () => {
  const nonce = nonceOf({ watch: WATCH, crossing: CROSSING });
  expect(nonce.length).toBeLessThanOrEqual(25);
  const setAgain = { watch: newWatch(WISH, 36, NOW_MS + 1), crossing: { ...CROSSING, atMs: NOW_MS + 1 } };
  expect(nonceOf(setAgain)).not.toBe(nonce);
});
