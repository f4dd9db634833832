import { onTestFinished, vi } from 'vitest';

type Faked = Parameters<typeof vi.useFakeTimers>[0];

/** These clocks and timers stand still until the test ends, but for what it moves; `beforeEach` may call it, too. */
export function fakeTimers(faked?: Faked): void {
  vi.useFakeTimers(faked);
  onTestFinished(() => void vi.useRealTimers());
}
