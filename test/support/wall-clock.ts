import { onTestFinished, vi } from 'vitest';

/** The real clock, which the test can set forward. Running timers are not affected. */
export function movableClock(): { forward(ms: number): void } {
  const now = Date.now.bind(Date);
  let aheadMs = 0;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs);
  onTestFinished(() => clock.mockRestore());
  return {
    forward(ms) {
      aheadMs += ms;
    },
  };
}
