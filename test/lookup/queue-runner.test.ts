import { afterEach, expect, it, vi } from 'vitest';
import { NO_OTHER_QUEUES } from '../../src/lookup/fair-order.ts';
import { PendingLookups } from '../../src/lookup/pending-lookups.ts';
import { QueueRunner } from '../../src/lookup/queue-runner.ts';
import { Events } from '../../src/model/events.ts';
import { createCardService } from '../../src/sandbox/card-service.ts';
import { clientOf } from '../service/clients.ts';
import { logLines } from '../support/log-lines.ts';
import { fakeTime, lookup, lookupQueueOver } from '../support/lookup-queue.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it.each([1, 2, 3, 4, 5, 6])(
  'serves a lookup that becomes due while the clock ticks on, %i ms before its time',
  async (beforeMs) => {
    fakeTime();
    const pendingLookups = new PendingLookups();
    pendingLookups.start(pendingLookups.add({ lookup: lookup('base1-4'), resolve: () => {}, reject: () => {} }, 0));
    const pending = pendingLookups.get('base1-4');
    if (pending) pending.notBeforeMs = Date.now() + beforeMs;
    const served = vi.fn();
    const { limiter } = lookupQueueOver(createCardService({}), { plan: 'free' });
    const { log } = logLines();
    const runner = new QueueRunner({
      pendingLookups,
      requests: {
        prepare: async (selected) => {
          served(selected.map(({ cardId }) => cardId));
          return [];
        },
        send: async () => {},
        abandon: async () => {},
      },
      limiter,
      service: clientOf('http://cards.test'),
      otherQueues: NO_OTHER_QUEUES,
      events: new Events(),
      log,
    });
    served.mockImplementation(() => pendingLookups.close()); // nothing more is to be served

    let passedMs = 0;
    const startMs = Date.now();
    vi.spyOn(Date, 'now').mockImplementation(() => startMs + passedMs++);
    runner.wake();
    await vi.advanceTimersByTimeAsync(100);

    expect(served).toHaveBeenCalledWith(['base1-4']);
    await runner.close();
  },
);
