import { describe, expect, it } from 'vitest';
import type { QuotaState } from '../../src/model/quota.ts';
import {
  addSample,
  isNewWarning,
  lastWarning,
  type QuotaWarning,
  QuotaWarnings,
  type RemainingSample,
  runsOutAtMs,
} from '../../src/quota/quota-trend.ts';
import { logLines } from '../support/log-lines.ts';

const HOUR = 3_600_000;
const MIDNIGHT = Date.UTC(2026, 10, 21);
const NOON = MIDNIGHT - 12 * HOUR;

function quota(remaining: number | undefined, limit: number | undefined = 1_000, resetsAtMs?: number): QuotaState {
  return { limit, remaining, resetsAtMs: resetsAtMs ?? MIDNIGHT, receivedAtMs: NOON };
}

describe('warnings', () => {
  it('are due once at 80, 95 and 100 % of each window', () => {
    const due: number[] = [];
    let given: QuotaWarning | undefined;
    for (const [remaining, windowEndsMs] of [
      [201, MIDNIGHT],
      [200, MIDNIGHT],
      [100, MIDNIGHT + 30_000], // the same window: resets are rounded and recomputed
      [50, MIDNIGHT],
      [0, MIDNIGHT],
      [0, MIDNIGHT],
      [150, MIDNIGHT + 24 * HOUR],
    ] as const) {
      const next = lastWarning(given, quota(remaining, 1_000, windowEndsMs), NOON);
      if (next && next !== given) due.push(next.share);
      given = next;
    }
    expect(due).toEqual([0.8, 0.95, 1, 0.8]);
  });

  it('are not due while the daily limit is unknown', () => {
    expect(lastWarning(undefined, { ...quota(0), limit: undefined }, NOON)).toBeUndefined();
  });

  it.each<[string, QuotaWarning, QuotaWarning | undefined, boolean]>([
    ['the first', { share: 0.8, windowEndsMs: MIDNIGHT }, undefined, true],
    ['the same', { share: 0.8, windowEndsMs: MIDNIGHT }, { share: 0.8, windowEndsMs: MIDNIGHT + 30_000 }, false],
    ['a larger share', { share: 0.95, windowEndsMs: MIDNIGHT }, { share: 0.8, windowEndsMs: MIDNIGHT }, true],
    ['a smaller share', { share: 0.8, windowEndsMs: MIDNIGHT }, { share: 0.95, windowEndsMs: MIDNIGHT }, false],
    ['another window', { share: 0.8, windowEndsMs: MIDNIGHT + 24 * HOUR }, { share: 1, windowEndsMs: MIDNIGHT }, true],
  ])('are new or not by one rule: %s', (_, warning, given, isNew) => {
    expect(isNewWarning(warning, given)).toBe(isNew);
  });

  it('are logged with the figures, each once', () => {
    const { log, lines } = logLines();
    const warnings = new QuotaWarnings(log);
    const given = { share: 0.8, windowEndsMs: MIDNIGHT };
    warnings.lowQuota(undefined, undefined, quota(900));
    warnings.lowQuota(undefined, given, quota(200));
    warnings.lowQuota(given, given, quota(199));
    expect(lines).toMatchObject([{ share: 0.8, limit: 1_000, remaining: 200, msg: "the day's requests run low" }]);
  });
});

describe('the time at which the day runs out', () => {
  const samplesOf = (...points: [number, number][]) =>
    points.reduce<RemainingSample[]>((samples, [atMs, remaining]) => addSample(samples, quota(remaining), atMs), []);

  it('uses the last hour', () => {
    const samples = samplesOf([NOON - HOUR, 500], [NOON, 400]);
    expect(runsOutAtMs(samples, quota(400), NOON)).toBe(NOON + 4 * HOUR);
  });

  it('uses the window so far while there is nothing better', () => {
    expect(runsOutAtMs([], quota(250), NOON)).toBe(NOON + 4 * HOUR);
  });

  it('is unknown when enough remains, nothing remains, or nothing is known', () => {
    const samples = samplesOf([NOON - HOUR, 500], [NOON, 499]);
    expect(runsOutAtMs(samples, quota(499), NOON)).toBeUndefined();
    expect(runsOutAtMs(samples, quota(0), NOON)).toBeUndefined();
    expect(runsOutAtMs([], quota(undefined), NOON)).toBeUndefined();
    expect(runsOutAtMs([], undefined, NOON)).toBeUndefined();
  });

  it('is unknown in the first minutes of a window: a burst is no rate', () => {
    const begun = quota(990, 1_000, NOON + 24 * HOUR - 60_000);
    expect(runsOutAtMs(samplesOf([NOON - 60_000, 1_000]), begun, NOON)).toBeUndefined();
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
