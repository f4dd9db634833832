import type { AllowedMentionsTypes, RateLimitData, RESTOptions } from 'discord.js';
import type { Logger } from '../../log.ts';
import { REPLY_DEADLINE_MS } from '../../replies/deferred-reply.ts';
import { requestWithReadableErrors } from './error-answers.ts';

/** No message of the bot notifies anyone. */
export const NO_MENTIONS: { parse: AllowedMentionsTypes[] } = { parse: [] };

/** Interaction traffic makes one request handler per token; the default keeps each for an hour. */
const HANDLER_SWEEP_MS = 120_000;
const REQUEST_TIMEOUT_MS = 5_000;
/** A callback without an answer is sent again, and both tries have to fit into Discord's 3 s. */
const CALLBACK_TIMEOUT_MS = 1_200;

/** @param apiUrl REST base without version, such as `https://discord.com/api` */
export function restOptions(apiUrl: string, log: Logger): Partial<RESTOptions> {
  return {
    api: apiUrl,
    // The default of 50 also counts replies, which Discord exempts: it delays answers by up to a second.
    globalRequestsPerSecond: Number.POSITIVE_INFINITY,
    handlerSweepInterval: HANDLER_SWEEP_MS,
    timeout: REQUEST_TIMEOUT_MS,
    makeRequest,
    rejectOnRateLimit(limit) {
      const { route, scope, retryAfter, timeToReset } = limit;
      log.warn({ route, scope, waitMs: Math.max(retryAfter, timeToReset) }, 'discord asks to wait');
      return !sleepsThrough(limit);
    },
  };
}

const makeRequest: RESTOptions['makeRequest'] = (url, init) => {
  if (!url.endsWith('/callback')) return requestWithReadableErrors(url, init);
  const signals = [AbortSignal.timeout(CALLBACK_TIMEOUT_MS), ...(init.signal ? [init.signal] : [])];
  return requestWithReadableErrors(url, { ...init, signal: AbortSignal.any(signals) });
};

/**
 * Whether discord.js sleeps through a 429 and sends again by itself. By default it sleeps through any of them, also the
 * 23 h of a shared address (discord-api-docs#8570). Only edits have the time: the sender of a first answer knows how long
 * the member still waits for it, and everything else reports the wait or waits by itself.
 */
export function sleepsThrough({ route, timeToReset, retryAfter }: StatedWait): boolean {
  return route.startsWith('/webhooks') && Math.max(timeToReset, retryAfter) <= REPLY_DEADLINE_MS;
}

export type StatedWait = Pick<RateLimitData, 'route' | 'timeToReset' | 'retryAfter'>;
