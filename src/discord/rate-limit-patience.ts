import type { RateLimitData } from 'discord.js';
import { REPLY_LIFE_MS } from '../replies/debt.ts';

/** A member's client gives up 3 s after the command; some of that is gone when the callback is refused. */
const CALLBACK_PATIENCE_MS = 2_500;
/** What is waited when Discord does not say how long: discord.js would ask again at once. */
const UNSTATED_MS = 1_000;

/** What to do about a 429: fail at once, or wait, at least so much longer than discord.js does by itself. */
export type Patience = { refuse: true } | { refuse: false; extraMs: number };

/** How a 429 is taken. Without it discord.js sleeps through any of them, also the 23 hours of a shared address. */
export function patience({ route, timeToReset, retryAfter }: Stated): Patience {
  const statedMs = Math.max(finite(timeToReset), finite(retryAfter));
  if (statedMs > longestWaitMs(route)) return { refuse: true };
  if (finite(retryAfter) > 0) return { refuse: false, extraMs: 0 };
  return route.startsWith('/interactions')
    ? { refuse: true }
    : { refuse: false, extraMs: Math.max(UNSTATED_MS, statedMs) };
}

export type Stated = Pick<RateLimitData, 'route' | 'timeToReset' | 'retryAfter'>;

function longestWaitMs(route: string): number {
  if (route.startsWith('/interactions')) return CALLBACK_PATIENCE_MS;
  // Whoever calls anything else has a sentence for it, or waits by itself.
  return route.startsWith('/webhooks') ? REPLY_LIFE_MS : -1;
}

function finite(waitMs: number): number {
  return Number.isFinite(waitMs) ? waitMs : 0;
}
