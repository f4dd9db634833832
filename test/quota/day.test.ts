import { describe, expect, it } from 'vitest';
import type { QuotaState } from '../../src/model/quota.ts';
import { memberCap } from '../../src/quota/budget.ts';
import { learnBurst, learntPace } from '../../src/quota/learned-burst.ts';
import { planPace } from '../../src/quota/pace.ts';
import { type Warned, warnedAfter } from '../../src/quota/quota-warnings.ts';
import { addSample, type RemainingSample, runsOutAtMs } from '../../src/quota/rate-samples.ts';
import { reserveUntilMs } from '../../src/quota/reserve.ts';

const HOUR = 3_600_000;
const MIDNIGHT = Date.UTC(2026, 10, 21);
const NOON = MIDNIGHT - 12 * HOUR;

function quota(remaining: number | undefined, limit: number | undefined = 1_000, resetsAtMs?: number): QuotaState {
  return { limit, remaining, resetsAtMs: resetsAtMs ?? MIDNIGHT, receivedAtMs: NOON };
}

describe('the learned burst', () => {
  const planned = planPace({ plan: 'free' }, undefined);

  it('halves with each unforeseen 429, down to one', () => {
    const learned = Array.from({ length: 6 }).reduce<number[]>((capacities) => {
      const known = capacities.length > 0 ? { capacity: capacities.at(-1) ?? 0, untilMs: MIDNIGHT } : undefined;
      return [...capacities, learnBurst(planned, known, MIDNIGHT, NOON).capacity];
    }, []);
    expect(learned).toEqual([9, 4, 2, 1, 1, 1]);
  });

  it('holds until the next window of the day', () => {
    const learned = learnBurst(planned, undefined, NOON + HOUR, NOON);
    expect(learntPace(planned, learned, NOON + HOUR - 1).capacity).toBe(9);
    expect(learntPace(planned, learned, NOON + HOUR)).toEqual(planned);
  });

  it('holds until 00:00 UTC when nobody said when the window ends', () => {
    expect(learnBurst(planned, undefined, undefined, NOON).untilMs).toBe(MIDNIGHT);
    expect(learnBurst(planned, undefined, NOON - 1, NOON).untilMs).toBe(MIDNIGHT);
  });

  it('never raises what the plan allows', () => {
    expect(learntPace({ intervalMs: 1, capacity: 3 }, { capacity: 9, untilMs: MIDNIGHT }, NOON).capacity).toBe(3);
  });
});

describe('the reserve', () => {
  it.each([
    ['5 % of a large day', quota(2_499, 50_000), MIDNIGHT],
    ['not a request more', quota(2_500, 50_000), undefined],
    ['20 of a small day', quota(19, 100), MIDNIGHT],
    ['20 of a day of unknown size', { ...quota(19), limit: undefined }, MIDNIGHT],
    ['nothing while what remains is unknown', quota(undefined), undefined],
  ])('keeps %s', (_, known, untilMs) => {
    expect(reserveUntilMs(known, NOON)).toBe(untilMs);
  });
});

describe('the warnings', () => {
  it('come once at 80, 95 and 100 % of each window', () => {
    const due: number[] = [];
    let warned: Warned | undefined;
    for (const [remaining, windowEndsMs] of [
      [201, MIDNIGHT],
      [200, MIDNIGHT],
      [100, MIDNIGHT + 30_000], // the same window: resets are rounded and recomputed
      [50, MIDNIGHT],
      [0, MIDNIGHT],
      [0, MIDNIGHT],
      [150, MIDNIGHT + 24 * HOUR],
    ] as const) {
      const next = warnedAfter(warned, quota(remaining, 1_000, windowEndsMs), NOON);
      if (next && next !== warned) due.push(next.share);
      warned = next;
    }
    expect(due).toEqual([0.8, 0.95, 1, 0.8]);
  });

  it('keep still while the size of the day is unknown', () => {
    expect(warnedAfter(undefined, { ...quota(0), limit: undefined }, NOON)).toBeUndefined();
  });
});

describe('the forecast', () => {
  const samplesOf = (...points: [number, number][]) =>
    points.reduce<readonly RemainingSample[]>(
      (samples, [atMs, remaining]) => addSample(samples, quota(remaining), atMs),
      [],
    );

  it('goes by the last hour', () => {
    const samples = samplesOf([NOON - HOUR, 500], [NOON, 400]);
    expect(runsOutAtMs(samples, quota(400), NOON)).toBe(NOON + 4 * HOUR);
  });

  it('goes by the window so far while there is nothing better', () => {
    expect(runsOutAtMs([], quota(250), NOON)).toBe(NOON + 4 * HOUR);
  });

  it('says nothing when enough remains, nothing remains, or nothing is known', () => {
    const samples = samplesOf([NOON - HOUR, 500], [NOON, 499]);
    expect(runsOutAtMs(samples, quota(499), NOON)).toBeUndefined();
    expect(runsOutAtMs(samples, quota(0), NOON)).toBeUndefined();
    expect(runsOutAtMs([], quota(undefined), NOON)).toBeUndefined();
    expect(runsOutAtMs([], undefined, NOON)).toBeUndefined();
  });

  it('says nothing in the first minutes of a window: a burst is no rate', () => {
    const begun = quota(990, 1_000, NOON + 24 * HOUR - 60_000);
    expect(runsOutAtMs(samplesOf([NOON - 60_000, 1_000]), begun, NOON)).toBeUndefined();
  });

  it('begins anew when more remains than before', () => {
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

describe("a member's share", () => {
  it.each([
    ['a tenth of the day', undefined, 50_000, 5_000],
    ['20 at least', undefined, 100, 20],
    ['what is configured', 7, 1_000, 7],
    ['no cap for 0', 0, 1_000, undefined],
    ['no cap while the day is of unknown size', undefined, undefined, undefined],
  ])('is %s', (_, memberDaily, day, cap) => {
    expect(memberCap({ guildDaily: undefined, memberDaily }, day)).toBe(cap);
  });
});
