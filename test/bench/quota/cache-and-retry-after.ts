import { Keyv } from 'keyv';
import type { Card } from '../../../src/model/card.ts';
import { RateLimited } from '../../../src/model/errors.ts';
import { REPLY_DEADLINE_MS } from '../../../src/replies/deferred-reply.ts';
import { plainClient, shown } from './plain-client.ts';
import { FRESH_MS, type ServiceAddress, type Strategy } from './strategy.ts';

/** Keyv with a time to live; sends requests at once and, after a 429, retries when `Retry-After` has passed. */
export async function cacheAndRetryAfter(service: ServiceAddress): Promise<Strategy> {
  const request = plainClient(service);
  const cache = new Keyv<Card>({ ttl: FRESH_MS });

  const lookUp = async (cardId: string): Promise<Card | undefined> => {
    const cached = await cache.get(cardId);
    if (cached !== undefined) return cached;
    const card = await untilAllowed(() => request(cardId), Date.now() + REPLY_DEADLINE_MS);
    if (card !== undefined) await cache.set(cardId, card);
    return card;
  };
  return { lookUp: (cardId) => shown(lookUp(cardId)), close: async () => {} };
}

async function untilAllowed<T>(send: () => Promise<T>, deadlineMs: number): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof RateLimited)) throw error;
      const waitMs = (error.seconds ?? 1) * 1000;
      if (Date.now() + waitMs > deadlineMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, waitMs)); // the global timer, because only that one is faked
    }
  }
}
