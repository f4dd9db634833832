import { Keyv } from 'keyv';
import PQueue from 'p-queue';
import type { Card } from '../../../src/model/card.ts';
import { plainClient, shown } from './plain-client.ts';
import { FRESH_MS, type ServiceAddress, type Strategy } from './strategy.ts';

/** Keyv with a time to live, and p-queue at the plan's rate. */
export async function cacheAndQueue(service: ServiceAddress): Promise<Strategy> {
  const request = plainClient(service);
  const cache = new Keyv<Card>({ ttl: FRESH_MS });
  const queue = new PQueue(intervalOf(service));

  const lookUp = async (cardId: string): Promise<Card | undefined> => {
    const cached = await cache.get(cardId);
    if (cached !== undefined) return cached;
    const card = await queue.add(() => request(cardId));
    if (card !== undefined) await cache.set(cardId, card);
    return card;
  };
  return {
    lookUp: (cardId) => shown(lookUp(cardId)),
    close: async () => queue.clear(),
  };
}

/** The ends of two intervals can coincide, so each interval allows at most half the burst. */
function intervalOf({ requestsPerMinute, burst }: ServiceAddress): { intervalCap: number; interval: number } {
  const intervalCap = Math.min(requestsPerMinute, Math.floor(burst / 2));
  return { intervalCap, interval: (intervalCap / requestsPerMinute) * 60_000 };
}
