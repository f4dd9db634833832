import { afterEach, expect, it, vi } from 'vitest';
import { EmbeddedCardService } from '../../sandbox/card-service.ts';
import type { Claims } from '../../src/model/claims.ts';
import { fakeTime, lookup, lookupQueueOver } from '../support/lookup-queue.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it.each([1, 5, 10, 15, 20, 25, 30, 40, 50])(
  'serves a lookup that becomes due while the queue looks for one, with %i ms between two looks at the clock',
  async (tickMs) => {
    fakeTime();
    let passedMs = 0;
    const startMs = Date.now();
    const now = vi.spyOn(Date, 'now');
    const claims: Claims = {
      isShared: true,
      // Another process has the card at first: it is looked at again after 50 ms.
      claim: vi
        .fn<Claims['claim']>(async () => 'mine')
        .mockImplementationOnce(async () => {
          now.mockImplementation(() => {
            passedMs += tickMs;
            return startMs + passedMs;
          });
          return { heldForMs: 1 };
        }),
      release: async () => {},
    };
    const { queue } = lookupQueueOver(new EmbeddedCardService(), { plan: 'free' }, { claims });
    const served = vi.fn();
    queue.enqueue(lookup('base1-4')).then(served, () => {});
    await vi.advanceTimersByTimeAsync(0);
    now.mockRestore();
    await vi.advanceTimersByTimeAsync(1_000);

    expect(served).toHaveBeenCalledOnce();
    await queue.close(0);
  },
);
