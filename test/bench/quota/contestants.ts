import { cacheAndQueue } from './cache-and-queue.ts';
import { cacheAndRetryAfter } from './cache-and-retry-after.ts';
import { ourBot } from './our-bot.ts';
import { retryOnly } from './retry-only.ts';
import type { StartStrategy } from './strategy.ts';

export interface Contestant {
  name: string;
  start: StartStrategy;
}

export const OURS: Contestant = { name: 'this bot', start: ourBot };

/** This bot first, then the usual alternatives. */
export const CONTESTANTS: readonly Contestant[] = [
  OURS,
  { name: 'p-retry, no cache', start: retryOnly },
  { name: 'Keyv + p-queue', start: cacheAndQueue },
  { name: 'Keyv + Retry-After', start: cacheAndRetryAfter },
];
