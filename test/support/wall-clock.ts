import { onTestFinished, vi } from 'vitest';

/** A clock that goes on as ever, and that the test can put forward. Timers that are set already do not notice. */
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
