import { describe, expect, it, vi } from 'vitest';
import { isWorthShowing, WaitNotice } from '../../src/replies/wait-notice.ts';
import { fakeTime } from '../support/lookup-queue.ts';

const NOW_MS = 1_000_000;

describe('the time of the permit is shown', () => {
  it.each<[string, number | undefined, number, boolean]>([
    ['not when it is now', undefined, 0, false],
    ['not when it is past', undefined, -5_000, false],
    ['not when it is within 3 s', undefined, 3_000, false],
    ['when it is later', undefined, 3_001, true],
    ['not again while it stays', 20_000, 20_000, false],
    ['not again when it moves by 15 s', 20_000, 35_000, false],
    ['again when it moves further', 20_000, 35_001, true],
    ['not again when it moves 15 s closer', 20_000, 5_000, false],
    ['again when it moves further than that', 20_000, 4_999, true],
    ['not again when it moves to now: the answer follows', 20_000, 0, false],
    ['not again when it moves to within 3 s', 20_000, 3_000, false],
    ['again when the shown time is past and the permit is still to come', -20_000, 3_001, true],
  ])('%s', (_, shownAfterMs, permitAfterMs, worth) => {
    const shownAtMs = shownAfterMs === undefined ? undefined : NOW_MS + shownAfterMs;
    expect(isWorthShowing(shownAtMs, NOW_MS + permitAfterMs, NOW_MS)).toBe(worth);
  });
});

describe('a notice that waits for the edit before it', () => {
  function slowNotice() {
    fakeTime();
    const shown: number[] = [];
    const notice = new WaitNotice(async (permitAtMs) => {
      shown.push(permitAtMs - startMs);
      await new Promise((resolve) => setTimeout(resolve, 10_000));
    });
    const startMs = Date.now();
    return { shown, notice, expectAfter: (ms: number) => notice.expect(startMs + ms) };
  }

  it('shows the time that is expected by then', async () => {
    const { shown, expectAfter } = slowNotice();
    expectAfter(30_000);
    await vi.advanceTimersByTimeAsync(0);
    for (const ms of [60_000, 90_000]) expectAfter(ms);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(shown).toEqual([30_000, 90_000]);
  });

  it.each([
    ['whose time is past by then', 9_000],
    ['of a permit that was given by then', undefined],
  ])('is skipped: one %s', async (_, thenAfterMs) => {
    const { shown, notice, expectAfter } = slowNotice();
    expectAfter(30_000);
    await vi.advanceTimersByTimeAsync(0);
    expectAfter(thenAfterMs ?? 60_000);
    if (thenAfterMs === undefined) void notice.end();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(shown).toEqual([30_000]);
  });
});
