import pRetry from 'p-retry';
import { REPLY_DEADLINE_MS } from '../../../src/replies/deferred-reply.ts';
import { plainClient, shown } from './plain-client.ts';
import type { ServiceAddress, Strategy } from './strategy.ts';

/** No cache; a failure is tried again with exponential back-off and jitter, as long as the reply lives. */
export async function retryOnly(service: ServiceAddress): Promise<Strategy> {
  const request = plainClient(service);
  let closed = false;
  // What still waits when the strategy is closed must not keep the process alive.
  const options = { randomize: true, maxRetryTime: REPLY_DEADLINE_MS, shouldRetry: () => !closed, unref: true };
  return {
    lookUp: (cardId) => shown(pRetry(() => request(cardId), options)),
    async close() {
      closed = true;
    },
  };
}
