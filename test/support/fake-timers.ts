import { onTestFinished, vi } from 'vitest';

type Faked = Parameters<typeof vi.useFakeTimers>[0];

/** Until the test ends, also where its `beforeEach` calls it, these clocks and timers stand still but for what the test moves. */
export function fakeTimers(faked?: Faked): void {
  vi.useFakeTimers(faked);
  onTestFinished(() => void vi.useRealTimers());
}
