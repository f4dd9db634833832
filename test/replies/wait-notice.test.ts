import { describe, expect, it, vi } from 'vitest';
import { WaitNotice, worthTelling } from '../../src/replies/wait-notice.ts';
import { fakeTime } from '../support/lookup-queue.ts';

const NOW_MS = 1_000_000;

describe('who waits is told of the turn', () => {
  it.each<[string, number | undefined, number, boolean]>([
    ['not when it comes now', undefined, 0, false],
    ['not when it came already', undefined, -5_000, false],
    ['not when it comes within 3 s', undefined, 3_000, false],
    ['when it comes later', undefined, 3_001, true],
    ['not again while it stays', 20_000, 20_000, false],
    ['not again when it moves by 15 s', 20_000, 35_000, false],
    ['again when it moves further', 20_000, 35_001, true],
    ['not again when it comes 15 s sooner', 20_000, 5_000, false],
    ['again when it comes sooner still', 20_000, 4_999, true],
    ['not again when it moves to now: the answer will', 20_000, 0, false],
    ['not again when it moves to within 3 s', 20_000, 3_000, false],
    ['again when what was told is past and it is still to come', -20_000, 3_001, true],
  ])('%s', (_, toldAfterMs, turnAfterMs, worth) => {
    const toldAtMs = toldAfterMs === undefined ? undefined : NOW_MS + toldAfterMs;
    expect(worthTelling(toldAtMs, NOW_MS + turnAfterMs, NOW_MS)).toBe(worth);
  });
});

describe('a notice that had to wait for the one before', () => {
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

  it('shows what is to be expected by then', async () => {
    const { shown, expectAfter } = slowNotice();
    expectAfter(30_000);
    await vi.advanceTimersByTimeAsync(0);
    for (const ms of [60_000, 90_000]) expectAfter(ms);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(shown).toEqual([30_000, 90_000]);
  });

  it.each([
    ['whose time is past by then', 9_000],
    ['of a turn that has come by then', undefined],
  ])('is left out: one %s', async (_, thenAfterMs) => {
    const { shown, notice, expectAfter } = slowNotice();
    expectAfter(30_000);
    await vi.advanceTimersByTimeAsync(0);
    expectAfter(thenAfterMs ?? 60_000);
    if (thenAfterMs === undefined) void notice.end();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(shown).toEqual([30_000]);
  });
});
