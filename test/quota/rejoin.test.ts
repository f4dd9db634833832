import { describe, expect, it } from 'vitest';
import type { Gate } from '../../src/quota/gate.ts';
import { FIRST_PACING, type PacingState } from '../../src/quota/pacing.ts';
import { rejoined } from '../../src/quota/rejoin.ts';

const OPEN: Gate = FIRST_PACING.gate;
const HOUR_MS = 3_600_000;

function gate(why: Gate['why'], untilMs: number): Gate {
  return { why, sinceMs: 0, untilMs, probing: false, failures: 1 };
}

function quota(remaining: number | undefined, receivedAtMs: number, resetsAtMs: number | undefined = HOUR_MS) {
  return { limit: 1_000, remaining, resetsAtMs, receivedAtMs };
}

describe('what is known after a time alone', () => {
  it('is what one knew, when nothing is known there', () => {
    const own: PacingState = { ...FIRST_PACING, gate: gate('day', 9) };
    expect(rejoined(undefined, own)).toBe(own);
  });

  it.each<[string, Gate, Gate, Gate]>([
    ['theirs, when ours is over', gate('minute', 5), OPEN, gate('minute', 5)],
    ['ours, when theirs is over', OPEN, gate('minute', 5), gate('minute', 5)],
    ['the longer, if that is theirs', gate('day', 9), gate('minute', 5), gate('day', 9)],
    ['the longer, if that is ours', gate('minute', 5), gate('down', 9), gate('down', 9)],
    ['none, when nobody has one', OPEN, OPEN, OPEN],
  ])('of pauses is %s', (_, there, own, both) => {
    expect(rejoined({ ...FIRST_PACING, gate: there }, { ...FIRST_PACING, gate: own }).gate).toEqual(both);
  });

  it.each([
    ['the lower, if it is older', quota(300, 1), quota(400, 2), 300],
    ['the lower, if it is newer', quota(300, 1), quota(200, 2), 200],
    ['that of the later window', quota(0, 1), quota(999, 2, 25 * HOUR_MS), 999],
    ['the only one', undefined, quota(400, 2), 400],
    ['one that is known', quota(300, 1), quota(undefined, 2), 300],
    ['of no window the lower', quota(300, 1), { ...quota(400, 2), resetsAtMs: undefined }, 300],
  ])('of figures is %s', (_, a, b, remaining) => {
    for (const [there, own] of [
      [a, b],
      [b, a],
    ]) {
      expect(rejoined({ ...FIRST_PACING, quota: there }, { ...FIRST_PACING, quota: own }).quota?.remaining).toBe(
        remaining,
      );
    }
  });

  it.each([
    ['the smaller of one window', 9, HOUR_MS, 4, HOUR_MS, 4],
    ['that of the later window', 4, HOUR_MS, 9, 2 * HOUR_MS, 9],
  ])('of learnt bursts is %s', (_, capacityA, untilA, capacityB, untilB, capacity) => {
    const a = { ...FIRST_PACING, learnedBurst: { capacity: capacityA, untilMs: untilA } };
    const b = { ...FIRST_PACING, learnedBurst: { capacity: capacityB, untilMs: untilB } };
    expect([rejoined(a, b).learnedBurst?.capacity, rejoined(b, a).learnedBurst?.capacity]).toEqual([
      capacity,
      capacity,
    ]);
    expect(rejoined(FIRST_PACING, a).learnedBurst?.capacity).toBe(capacityA);
  });
});
