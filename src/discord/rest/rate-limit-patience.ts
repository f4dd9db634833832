import type { RateLimitData } from 'discord.js';
import { REPLY_DEADLINE_MS } from '../../replies/deferred-reply.ts';

/**
 * Whether discord.js is to sleep through a 429 and ask again by itself. Without this it sleeps through any of them, also
 * the 23 hours of a shared address. Only edits have the time: whoever sends a first answer knows how long a member still
 * waits for it, and everything else has a sentence for it or waits by itself.
 */
export function sleepsThrough({ route, timeToReset, retryAfter }: Stated): boolean {
  return route.startsWith('/webhooks') && Math.max(timeToReset, retryAfter) <= REPLY_DEADLINE_MS;
}

export type Stated = Pick<RateLimitData, 'route' | 'timeToReset' | 'retryAfter'>;
