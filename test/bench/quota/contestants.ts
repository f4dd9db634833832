import { Keyv } from 'keyv';
import PQueue from 'p-queue';
import { createLog } from '../../../src/log.ts';
import type { Card } from '../../../src/model/card.ts';
import { RateLimited } from '../../../src/model/errors.ts';
import type { ServiceDescription } from '../../../src/model/service-description.ts';
import { REPLY_DEADLINE_MS } from '../../../src/replies/reply-ports.ts';
import { CardService } from '../../../src/service/card-service.ts';
import { described } from '../../support/described.ts';
import { ourBot } from './our-bot.ts';
import { FRESH_MS, type Outcome, type ServiceAddress, type StartStrategy } from './strategy.ts';

export interface Contestant {
  name: string;
  start: StartStrategy;
}

type Request = (cardId: string) => Promise<Card | undefined>;

export const OURS: Contestant = { name: 'this bot', start: ourBot };

export const LISTS: Contestant = {
  name: 'this bot with lists',
  start: (service) => ourBot(service, { CARD_SERVICE_BULK_PATH: '/cards?ids={ids}' }),
};

/** As their documentation uses them. */
export const ALTERNATIVES: readonly Contestant[] = [
  { name: 'Keyv + p-queue', start: cacheAndQueue },
  { name: 'Keyv + Retry-After', start: cacheAndRetryAfter },
];

/** Keyv with a time to live, and p-queue at the plan's rate. */
async function cacheAndQueue(service: ServiceAddress) {
  const { requestsPerMinute, burst } = service;
  // The ends of two intervals can coincide, so each interval allows at most half the burst.
  const intervalCap = Math.min(requestsPerMinute, Math.floor(burst / 2));
  const queue = new PQueue({ intervalCap, interval: (intervalCap / requestsPerMinute) * 60_000 });
  const request = plainClient(service);
  return { lookUp: cached((cardId) => queue.add(() => request(cardId))), close: async () => queue.clear() };
}

/** Keyv with a time to live; sends requests at once and, after a 429, retries when `Retry-After` has passed. */
async function cacheAndRetryAfter(service: ServiceAddress) {
  const request = plainClient(service);
  const untilAllowed: Request = async (cardId) => {
    const deadlineMs = Date.now() + REPLY_DEADLINE_MS;
    for (;;) {
      try {
        return await request(cardId);
      } catch (error) {
        if (!(error instanceof RateLimited)) throw error;
        const waitMs = (error.seconds ?? 1) * 1000;
        if (Date.now() + waitMs > deadlineMs) throw error;
        await new Promise((resolve) => setTimeout(resolve, waitMs)); // the global timer, because only that one is faked
      }
    }
  };
  return { lookUp: cached(untilAllowed), close: async () => {} };
}

function cached(request: Request): (cardId: string) => Promise<Outcome> {
  const cache = new Keyv<Card>({ ttl: FRESH_MS });
  const lookUp: Request = async (cardId) => {
    const known = await cache.get(cardId);
    if (known !== undefined) return known;
    const card = await request(cardId);
    if (card !== undefined) await cache.set(cardId, card);
    return card;
  };
  return (cardId) => shown(lookUp(cardId));
}

/** Any failure is the same to a member: "try again later". */
export function shown(card: Promise<Card | undefined>): Promise<Outcome> {
  return card.then(
    (found) => ({ card: found !== undefined, stale: false }),
    () => ({ card: false, stale: false }),
  );
}

/** The bot's own client, so that strategies differ only in when they send requests. @throws as `CardService.fetch` */
export function plainClient(
  { url, fetch }: ServiceAddress,
  service: { description: ServiceDescription; apiKey?: string } = { description: described() },
): Request {
  const client = new CardService({
    baseUrl: url,
    ...service,
    timeoutMs: 10_000,
    fetch,
    limiter: { observe: () => {} },
    log: createLog({ level: 'silent', secrets: [] }),
  });
  return async (cardId) => {
    const found = (await client.fetch([cardId])).cards.get(cardId);
    if (found instanceof Error) throw found;
    return found === 'noSuchCard' ? undefined : found;
  };
}
