import { describe, expect, it } from 'vitest';
import { worthTelling } from '../../src/replies/turn-notice.ts';

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
    ['again when it moves to now', 20_000, 0, true],
  ])('%s', (_, toldAfterMs, turnAfterMs, worth) => {
    const toldAtMs = toldAfterMs === undefined ? undefined : NOW_MS + toldAfterMs;
    expect(worthTelling(toldAtMs, NOW_MS + turnAfterMs, NOW_MS)).toBe(worth);
  });
});
