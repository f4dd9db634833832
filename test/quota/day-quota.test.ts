import { describe, expect, it } from 'vitest';
import type { QuotaReading, QuotaState } from '../../src/model/quota.ts';
import {
  addSample,
  currentQuota,
  isReadingOfDay,
  mergeReading,
  newlySpentShare,
  type RemainingSample,
  runsOutAtMs,
} from '../../src/quota/day-quota.ts';
import { INITIAL_LIMITER_STATE } from '../../src/quota/limiter-state.ts';
import { StateView } from '../../src/quota/limiter-view.ts';

function viewOf(quota: QuotaState | undefined, nowMs: number): StateView {
  const facts = {
    setting: { plan: 'free' },
    underWay: 0,
    isUnconfirmed: false,
    longestWaitMs: 0,
    answersTakeMs: 0,
  } as const;
  return new StateView({ ...facts, state: { ...INITIAL_LIMITER_STATE, quota } }, nowMs);
}

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
const STATED = { limit: 1_000, remaining: 500, resetsAtMs: RESET_MS };
const PRO = { limit: 50_000, remaining: 49_000 };
const OVERLAPPING = { sentAtMs: 99_999, receivedAtMs: 101_000 };
/** So many remain until then. */
const left = (remaining: number, resetsAtMs?: number) => ({ remaining, resetsAtMs });
const EARLIER = left(7, RESET_MS - 300_000);
const NEXT = left(999, NEXT_RESET_MS);

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
    ['a later one with another limit', { ...PRO, ...LATER }, { ...PRO }],
    ['a later one of an earlier window', { ...EARLIER, ...LATER }, EARLIER],
    ['the lower of overlapping answers, the new one', { remaining: 498, ...OVERLAPPING }, { remaining: 498 }],
    ['the lower of overlapping answers, the known one', { remaining: 501, ...OVERLAPPING }, { remaining: 500 }],
    ['the lower, a minute after that reset', { ...left(501, RESET_MS + 60_000), ...OVERLAPPING }, { remaining: 500 }],
    ['the lower, a minute before it', { ...left(498, RESET_MS - 60_000), ...OVERLAPPING }, { remaining: 498 }],
    ['the lower, when no reset is given', { ...left(501), ...OVERLAPPING }, left(500, RESET_MS)],
    ['the new window', { ...NEXT, ...OVERLAPPING }, NEXT],
    ['the known window', { remaining: 1, resetsAtMs: RESET_MS - 60_001, ...OVERLAPPING }, KNOWN],
    ['an overlapping one with the limit of another plan', { ...PRO, ...OVERLAPPING }, { ...PRO }],
    ['what was known, where a later one is silent', { resetsAtMs: undefined, ...LATER }, STATED],
    ['what was known, where an overlapping one is silent', { resetsAtMs: undefined, ...OVERLAPPING }, STATED],
  ])('believes %s', (_, reported, believed) => {
    expect(mergeReading(KNOWN, reading(reported))).toMatchObject(believed);
  });

  it('remembers what was sent for watches until the window ends', () => {
    const known = { ...KNOWN, forWatches: 7 };
    expect(mergeReading(known, reading({ remaining: 490, ...LATER })).forWatches).toBe(7);
    expect(mergeReading(known, reading({ ...NEXT, ...OVERLAPPING })).forWatches).toBeUndefined();
    expect(mergeReading(known, reading({ ...NEXT, ...LATER })).forWatches).toBeUndefined();
    expect(currentQuota(known, RESET_MS)?.forWatches).toBeUndefined();
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

describe('headers', () => {
  const MINUTE_MS = 60_000;
  const HOUR_MS = 60 * MINUTE_MS;
  /** 10 hours before the day's reset. */
  const NOW_MS = 100 * HOUR_MS;
  const DAY: QuotaState = { limit: 1_000, remaining: 500, resetsAtMs: NOW_MS + 10 * HOUR_MS, receivedAtMs: NOW_MS };
  const ENDING: QuotaState = { ...DAY, resetsAtMs: NOW_MS + 5 * MINUTE_MS };
  const OVER: QuotaState = { ...DAY, remaining: undefined, resetsAtMs: undefined };
  const CUSTOM: QuotaState = { ...DAY, limit: 5_000 };

  function speakOfDay(known: QuotaState | undefined, limit: number | undefined, resetInMs: number | undefined) {
    return isReadingOfDay(known, { limit, remaining: 0, resetInMs, sentAtMs: NOW_MS, receivedAtMs: NOW_MS });
  }

  it.each<[string, QuotaState | undefined, number | undefined, number | undefined]>([
    ['whose reset is far', undefined, 10, 2 * HOUR_MS],
    ['whose reset is far, also after another limit', DAY, 50_000, 10 * HOUR_MS],
    ['whose limit is the known one, as the day ends', ENDING, 1_000, 5 * MINUTE_MS],
    ['whose limit is the known one, whatever the reset', CUSTOM, 5_000, MINUTE_MS],
    ['whose limit is the known one, in the first answer of a new day', { ...OVER, limit: 5_000 }, 5_000, MINUTE_MS],
    ["whose limit is a plan's, as the day ends, in the very first answer", undefined, 1_000, 5 * MINUTE_MS],
    ["whose limit is another plan's, as the known day ends", ENDING, 50_000, 5 * MINUTE_MS],
    ["whose limit is another plan's, once the day is over", OVER, 50_000, 5 * MINUTE_MS],
    ["whose limit is a plan's, with a reset that is past", undefined, 1_000, -MINUTE_MS],
    ['that are empty', DAY, undefined, undefined],
    ['without a limit, as the known day ends', ENDING, undefined, 5 * MINUTE_MS],
    ['without a reset, of a service that never states one', OVER, 50_000, undefined],
    ['without a reset, in the very first answer', undefined, 5_000, undefined],
    ["without a reset, of the smallest plan's limit, in the very first answer", undefined, 1_000, undefined],
  ])('%s are of the day', (_, known, limit, resetInMs) => {
    expect(speakOfDay(known, limit, resetInMs)).toBe(true);
  });

  it.each<[string, QuotaState | undefined, number | undefined, number | undefined]>([
    ['of another limit and a near reset', DAY, 10, MINUTE_MS],
    ["of another limit and a near reset, though it is a plan's", { ...DAY, limit: 50_000 }, 1_000, MINUTE_MS],
    ['of another limit and a reset within the hour', DAY, 100, HOUR_MS],
    ['of a near reset in the very first answer', undefined, 10, MINUTE_MS],
    ['of a near reset in the first answer of a new day', OVER, 10, MINUTE_MS],
    ['of a near reset in the last minutes of the day', ENDING, 10, MINUTE_MS],
    ['of a reset that is past', DAY, 10, -1_000],
    ['of a near reset and no limit', DAY, undefined, MINUTE_MS],
    ['of a near reset and no limit, in the very first answer', undefined, undefined, MINUTE_MS],
    ['of another limit without a reset, when the day has one', DAY, 50_000, undefined],
    ["of less than any plan's day without a reset, in the very first answer", undefined, 10, undefined],
  ])('%s are of another window', (_, known, limit, resetInMs) => {
    expect(speakOfDay(known, limit, resetInMs)).toBe(false);
  });
});

describe('currentQuota', () => {
  const NO_RESET: QuotaState = { ...KNOWN, resetsAtMs: undefined };
  const ONLY_LIMIT: QuotaState = { ...NO_RESET, remaining: undefined };

  it.each<[string, QuotaState | undefined, number, QuotaState | undefined]>([
    ['nothing, while nothing is known', undefined, 0, undefined],
    ['what is known, until the reset', KNOWN, RESET_MS - 1, KNOWN],
    ['only the limit, from the reset on', KNOWN, RESET_MS, ONLY_LIMIT],
    ['what is known, until 00:00 UTC, when no reset is', NO_RESET, 86_399_999, NO_RESET],
    ['only the limit from 00:00 UTC on, when no reset is known', NO_RESET, 86_400_000, ONLY_LIMIT],
  ])('is %s', (_, known, nowMs, current) => {
    expect(currentQuota(known, nowMs)).toEqual(current);
  });
});

describe('the reserve', () => {
  const MIDNIGHT = Date.UTC(2026, 10, 21);
  const NOON = MIDNIGHT - 12 * 3_600_000;
  const quota = (remaining: number | undefined, limit = 1_000): QuotaState => ({
    limit,
    remaining,
    resetsAtMs: MIDNIGHT,
    receivedAtMs: NOON,
  });

  it.each([
    ['5 % of a large day', quota(2_499, 50_000), MIDNIGHT],
    ['not a request more', quota(2_500, 50_000), undefined],
    ['20 of a small day', quota(19, 200), MIDNIGHT],
    ['a tenth of a day under 200', quota(18, 190), MIDNIGHT],
    ['not a request more of such a day', quota(19, 190), undefined],
    ['20 of an unknown daily limit', { ...quota(19), limit: undefined }, MIDNIGHT],
    ['nothing while what remains is unknown', quota(undefined), undefined],
  ])('keeps %s', (_, known, untilMs) => {
    expect(viewOf(known, NOON).refusalFor('renewals')?.untilMs).toBe(untilMs);
    expect(viewOf(known, NOON).refusalFor('members')).toBeUndefined();
  });
});

describe('of the day,', () => {
  const HOUR = 3_600_000;
  const MIDNIGHT = Date.UTC(2026, 10, 21);
  const NOON = MIDNIGHT - 12 * HOUR;

  function quota(remaining: number | undefined, limit: number | undefined = 1_000, resetsAtMs?: number): QuotaState {
    return { limit, remaining, resetsAtMs: resetsAtMs ?? MIDNIGHT, receivedAtMs: NOON };
  }

  describe('warnings', () => {
    it('are due once at 80, 95 and 100 % of each window', () => {
      const due: number[] = [];
      let known: QuotaState | undefined;
      for (const [remaining, windowEndsMs] of [
        [201, MIDNIGHT],
        [200, MIDNIGHT],
        [100, MIDNIGHT + 30_000], // the same window: resets are rounded and recomputed
        [50, MIDNIGHT],
        [0, MIDNIGHT],
        [0, MIDNIGHT],
        [150, MIDNIGHT + 24 * HOUR],
      ] as const) {
        const next = quota(remaining, 1_000, windowEndsMs);
        const share = newlySpentShare(known, next, NOON);
        if (share !== undefined) due.push(share);
        known = next;
      }
      expect(due).toEqual([0.8, 0.95, 1, 0.8]);
    });

    it.each<[string, QuotaState | undefined, QuotaState, number | undefined]>([
      ['while the daily limit is unknown', undefined, { ...quota(0), limit: undefined }, undefined],
      ['of a window that is over', undefined, { ...quota(0), resetsAtMs: NOON - 1 }, undefined],
      ['of a larger share in the first figures', undefined, quota(40), 0.95],
      ['after a share that was larger', quota(40), quota(60), undefined],
      ['of what was sent for watches', undefined, { ...quota(60), forWatches: 300 }, undefined],
      [
        'of a day of which nothing remains, whatever was sent for watches',
        quota(60),
        { ...quota(0), forWatches: 300 },
        1,
      ],
    ])('are due or not %s', (_, before, after, share) => {
      expect(newlySpentShare(before, after, NOON)).toBe(share);
    });
  });

  describe('the time at which the day runs out', () => {
    const samplesOf = (...points: [number, number][]) =>
      points.reduce<RemainingSample[]>((samples, [atMs, remaining]) => addSample(samples, quota(remaining), atMs), []);

    it('uses the last hour', () => {
      const samples = samplesOf([NOON - HOUR, 500], [NOON, 400]);
      expect(runsOutAtMs(samples, quota(400), NOON)).toBe(NOON + 4 * HOUR);
    });

    it('is not sooner because of what is sent for watches', () => {
      const samples = samplesOf([NOON - HOUR, 500]);
      expect(runsOutAtMs(samples, { ...quota(300), forWatches: 100 }, NOON)).toBe(NOON + 3 * HOUR);
      expect(addSample(samples, { ...quota(300), forWatches: 100 }, NOON).at(-1)?.remaining).toBe(400);
    });

    it('uses the window so far while there is nothing better', () => {
      expect(runsOutAtMs([], quota(250), NOON)).toBe(NOON + 4 * HOUR);
      expect(runsOutAtMs(samplesOf([NOON - 60_000, 260]), quota(250), NOON)).toBe(NOON + 4 * HOUR);
    });

    it('is told until the last request has left', () => {
      expect(runsOutAtMs(samplesOf([NOON - HOUR, 21]), quota(1), NOON)).toBe(NOON + HOUR / 20);
    });

    it('is unknown when enough remains, nothing remains, or nothing is known', () => {
      const samples = samplesOf([NOON - HOUR, 500], [NOON, 499]);
      expect(runsOutAtMs(samples, quota(499), NOON)).toBeUndefined();
      expect(runsOutAtMs(samples, quota(0), NOON)).toBeUndefined();
      expect(runsOutAtMs([], quota(undefined), NOON)).toBeUndefined();
      expect(runsOutAtMs([], undefined, NOON)).toBeUndefined();
    });

    it('is unknown in the first minutes of a window: a burst is no rate', () => {
      const begun = quota(900, 1_000, NOON + 24 * HOUR - 60_000);
      expect(runsOutAtMs(samplesOf([NOON - 60_000, 1_000]), begun, NOON)).toBeUndefined();
    });

    it('is unknown after a few requests, unless few remain', () => {
      const tenMinutes = (from: number, to: number) => samplesOf([NOON - HOUR / 6, from], [NOON, to]);
      expect(runsOutAtMs(tenMinutes(1_000, 988), quota(988), NOON)).toBeUndefined();
      expect(runsOutAtMs(tenMinutes(36, 24), quota(24), NOON)).toBe(NOON + HOUR / 3);
    });

    it('starts anew when more remains than before', () => {
      expect(samplesOf([NOON - HOUR, 10], [NOON, 1_000])).toEqual([{ atMs: NOON, remaining: 1_000 }]);
    });

    it('keeps an hour in steps of five minutes', () => {
      const points = Array.from({ length: 600 }, (_, minute): [number, number] => [
        NOON + minute * 60_000,
        1_000 - minute,
      ]);
      expect(samplesOf(...points).length).toBeLessThanOrEqual(13);
    });
  });
});
