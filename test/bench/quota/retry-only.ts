import pRetry from 'p-retry';
import { REPLY_DEADLINE_MS } from '../../../src/replies/deferred-reply.ts';
import { plainClient, shown } from './plain-client.ts';
import type { ServiceAddress, Strategy } from './strategy.ts';

/** No cache; failures are retried with exponential back-off and jitter until the deadline of the reply. */
export async function retryOnly(service: ServiceAddress): Promise<Strategy> {
  const request = plainClient(service);
  let closed = false;
  // Retries that still wait when the strategy is closed must not keep the process alive.
  const options = { randomize: true, maxRetryTime: REPLY_DEADLINE_MS, shouldRetry: () => !closed, unref: true };
  return {
    lookUp: (cardId) => shown(pRetry(() => request(cardId), options)),
    async close() {
      closed = true;
    },
  };
}
