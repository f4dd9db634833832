import pRetry from 'p-retry';
import { REPLY_LIFE_MS } from '../../../src/replies/debt.ts';
import { plainClient, shown } from './plain-client.ts';
import type { ServiceAddress, Strategy } from './strategy.ts';

/** No cache; a failure is tried again with exponential back-off and jitter, as long as the reply lives. */
export async function retryAlone(service: ServiceAddress): Promise<Strategy> {
  const ask = plainClient(service);
  const closing = new AbortController();
  const options = { randomize: true, maxRetryTime: REPLY_LIFE_MS, signal: closing.signal };
  return {
    ask: (cardId) => shown(pRetry(() => ask(cardId), options)),
    close: async () => closing.abort(),
  };
}
