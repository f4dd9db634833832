import { describe, expect, it } from 'vitest';
import { currentQuota, mergeReading } from '../../src/quota/quota.ts';
import type { QuotaReading, QuotaState } from '../../src/quota-state.ts';

const RESET_MS = 1_000_000;
const NEXT_RESET_MS = RESET_MS + 86_400_000;

/** Known since 100 s: 500 of 1,000 left. */
const KNOWN: QuotaState = { limit: 1_000, remaining: 500, resetsAtMs: RESET_MS, receivedAtMs: 100_000 };

interface Reported extends Partial<Pick<QuotaReading, 'limit' | 'remaining'>> {
  resetsAtMs?: number | undefined;
  sentAtMs: number;
  receivedAtMs: number;
}

/** A reading whose reset is given on our clock. */
function reading({ limit, remaining, sentAtMs, receivedAtMs, ...rest }: Reported): QuotaReading {
  const resetsAtMs = 'resetsAtMs' in rest ? rest.resetsAtMs : RESET_MS;
  const resetInMs = resetsAtMs === undefined ? undefined : resetsAtMs - receivedAtMs;
  return { limit, remaining, resetInMs, sentAtMs, receivedAtMs };
}

const LATER = { sentAtMs: 100_000, receivedAtMs: 101_000 };
const OVERLAPPING = { sentAtMs: 99_999, receivedAtMs: 101_000 };

describe('mergeReading', () => {
  it('believes the first answer', () => {
    expect(mergeReading(undefined, reading({ limit: 1_000, remaining: 3, ...LATER }))).toEqual({
      limit: 1_000,
      remaining: 3,
      resetsAtMs: RESET_MS,
      receivedAtMs: 101_000,
    });
  });

  it.each<[string, Reported, Partial<QuotaState>]>([
    ['a later answer', { remaining: 499, ...LATER }, { remaining: 499 }],
    ['a later answer whose remaining went up by itself', { remaining: 900, ...LATER }, { remaining: 900 }],
    [
      'a later answer with another limit',
      { limit: 50_000, remaining: 49_000, ...LATER },
      { limit: 50_000, remaining: 49_000 },
    ],
    [
      'a later answer of an earlier window',
      { remaining: 7, resetsAtMs: RESET_MS - 300_000, ...LATER },
      { remaining: 7, resetsAtMs: RESET_MS - 300_000 },
    ],
    ['the lower of overlapping answers, the new one', { remaining: 498, ...OVERLAPPING }, { remaining: 498 }],
    ['the lower of overlapping answers, the known one', { remaining: 501, ...OVERLAPPING }, { remaining: 500 }],
    [
      'the lower, when the reset is off by a minute',
      { remaining: 501, resetsAtMs: RESET_MS + 60_000, ...OVERLAPPING },
      { remaining: 500 },
    ],
    [
      'the lower, when the reset is off by a minute back',
      { remaining: 498, resetsAtMs: RESET_MS - 60_000, ...OVERLAPPING },
      { remaining: 498 },
    ],
    [
      'the lower, when no reset is given',
      { remaining: 501, resetsAtMs: undefined, ...OVERLAPPING },
      { remaining: 500, resetsAtMs: RESET_MS },
    ],
    [
      'the new window of overlapping answers',
      { remaining: 999, resetsAtMs: NEXT_RESET_MS, ...OVERLAPPING },
      { remaining: 999, resetsAtMs: NEXT_RESET_MS },
    ],
    [
      'the known window of overlapping answers',
      { remaining: 1, resetsAtMs: RESET_MS - 60_001, ...OVERLAPPING },
      { ...KNOWN },
    ],
    [
      'what was known, where a later answer says nothing',
      { resetsAtMs: undefined, ...LATER },
      { limit: 1_000, remaining: 500, resetsAtMs: RESET_MS },
    ],
    [
      'what was known, where an overlapping answer says nothing',
      { resetsAtMs: undefined, ...OVERLAPPING },
      { limit: 1_000, remaining: 500, resetsAtMs: RESET_MS },
    ],
  ])('believes %s', (_, reported, believed) => {
    expect(mergeReading(KNOWN, reading(reported))).toMatchObject(believed);
  });

  it('comes to the same for overlapping answers in any order', () => {
    const answers = [498, 500, 497, 499].map((remaining, index) =>
      reading({ limit: 1_000, remaining, sentAtMs: 99_000, receivedAtMs: 101_000 + index }),
    );
    const orders = [answers, answers.toReversed(), [...answers.slice(2), ...answers.slice(0, 2)]];
    const believed = orders.map((order) => order.reduce<QuotaState | undefined>(mergeReading, KNOWN)?.remaining);
    expect(believed).toEqual([497, 497, 497]);
  });
});

describe('currentQuota', () => {
  it.each<[string, QuotaState | undefined, number, QuotaState | undefined]>([
    ['nothing, while nothing is known', undefined, 0, undefined],
    ['what is known, until the reset', KNOWN, RESET_MS - 1, KNOWN],
    [
      'only the size of the day, from the reset on',
      KNOWN,
      RESET_MS,
      { ...KNOWN, remaining: undefined, resetsAtMs: undefined },
    ],
    [
      'what is known, when no reset is',
      { ...KNOWN, resetsAtMs: undefined },
      RESET_MS,
      { ...KNOWN, resetsAtMs: undefined },
    ],
  ])('is %s', (_, known, nowMs, current) => {
    expect(currentQuota(known, nowMs)).toEqual(current);
  });
});
