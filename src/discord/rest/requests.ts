import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AllowedMentionsTypes,
  DiscordAPIError,
  type RateLimitData,
  RateLimitError,
  RESTJSONErrorCodes,
  type RESTOptions,
} from 'discord.js';
import { Agent } from 'undici';
import type { Logger } from '../../log.ts';
import type { Events, EventsByName } from '../../model/events.ts';
import { type EditResult, REPLY_DEADLINE_MS } from '../../replies/deferred-reply.ts';
import { backOffMs } from '../../time/back-off.ts';
import { answered, REQUEST_TIMEOUT_MS, type Send } from './answers.ts';

/** No message of the bot notifies anyone. */
export const NO_MENTIONS: { parse: AllowedMentionsTypes[] } = { parse: [] };

/** Interaction traffic makes one request handler per token; the default keeps each for an hour. */
const HANDLER_SWEEP_MS = 120_000;
/** A callback without an answer is sent again, and both tries have to fit into Discord's 3 s. */
const CALLBACK_TIMEOUT_MS = 1_200;

/** A tenth of what Discord accepts in 10 minutes (https://docs.discord.com/developers/topics/rate-limits#invalid-request-limit-aka-cloudflare-bans). */
const INVALID_REQUESTS_A_WARNING = 1_000;

/** @param apiUrl REST base without version, such as `https://discord.com/api` */
export function restOptions(apiUrl: string, events: Events, log: Logger): Partial<RESTOptions> {
  return {
    api: apiUrl,
    // Without one, discord.js' undici sends through whichever was loaded first: itself, or Node's of another version.
    agent: new Agent(),
    // The default of 50 also counts replies, which Discord exempts: it delays answers by up to a second.
    globalRequestsPerSecond: Number.POSITIVE_INFINITY,
    handlerSweepInterval: HANDLER_SWEEP_MS,
    invalidRequestWarningInterval: INVALID_REQUESTS_A_WARNING, // by default there is no warning
    makeRequest: watched(requestWithReadableErrors, events),
    rejectOnRateLimit(limit) {
      const { route, scope, retryAfter, timeToReset } = limit;
      log.warn({ route, scope, waitMs: Math.max(retryAfter, timeToReset) }, 'discord asks to wait');
      return !sleepsThrough(limit);
    },
  };
}

/** Publishes how each request ended, also one that discord.js sends again. */
function watched(send: Send, events: Events): Send {
  return async (url, init) => {
    if (!events.isWatched('discordRequest')) return send(url, init);
    const sentAtMs = performance.now();
    const ended = (status?: number) =>
      events.publish('discordRequest', { call: callOf(url), status, tookMs: performance.now() - sentAtMs });
    try {
      const answer = await send(url, init);
      ended(answer.status);
      return answer;
    } catch (error) {
      ended();
      throw error;
    }
  };
}

function callOf(url: string): EventsByName['discordRequest']['call'] {
  if (url.endsWith('/callback')) return 'callback';
  return url.includes('/webhooks/') ? 'edit' : 'other';
}

/**
 * Whether discord.js sleeps through a 429 and sends again by itself. By default it sleeps through any of them, also the
 * 23 h of a shared address (discord-api-docs#8570). Only edits have the time: the sender of a first answer knows how long
 * the member still waits for it, and everything else reports the wait or waits by itself.
 */
export function sleepsThrough({ route, timeToReset, retryAfter }: StatedWait): boolean {
  return route.startsWith('/webhooks') && Math.max(timeToReset, retryAfter) <= REPLY_DEADLINE_MS;
}

export type StatedWait = Pick<RateLimitData, 'route' | 'timeToReset' | 'retryAfter'>;

/** The wait after a 429 that states none: discord.js would send again at once. */
const UNSTATED_SECONDS = 1;

/**
 * Sends as discord.js does, and rewrites error responses that it would misread: it reads the wait from `Retry-After`
 * alone, expects an object in whatever is declared as JSON, and treats a redirection as success.
 *
 * @throws Error for a redirection: nothing was done
 */
const requestWithReadableErrors: Send = async (url, init) => {
  const answer = await answered(url, init, url.endsWith('/callback') ? CALLBACK_TIMEOUT_MS : REQUEST_TIMEOUT_MS);
  if (answer.status >= 300 && answer.status < 400) {
    throw new Error(`redirected (${answer.status}): DISCORD_API_URL may not be where Discord's API is`);
  }
  if (answer.status < 400 || answer.status >= 500) return answer;
  const text = await answer.text();
  const headers = new Headers([...answer.headers]);
  const body = objectIn(text);
  if (body === undefined) headers.set('Content-Type', 'text/plain');
  if (answer.status === 429) stateWait(headers, body);
  return new Response(text, { status: answer.status, headers });
};

/**
 * How long a 429 asks to wait, in seconds. The header is the body's figure rounded up, so the body's is used; of two
 * that differ otherwise, the larger. `undefined` when neither states a wait.
 */
export function statedWaitSeconds(header: string | null, retryAfter: unknown): number | undefined {
  const inHeader = seconds(header?.trim() ? Number(header) : undefined);
  const inBody = seconds(retryAfter);
  if (inHeader === undefined || inBody === undefined) return inHeader ?? inBody;
  return Math.ceil(inBody) === inHeader ? inBody : Math.max(inHeader, inBody);
}

function stateWait(headers: Headers, body: object | undefined): void {
  const retryAfter = body && 'retry_after' in body ? body.retry_after : undefined;
  const stated = statedWaitSeconds(headers.get('Retry-After'), retryAfter) ?? UNSTATED_SECONDS;
  headers.set('Retry-After', String(stated));
  // When a bucket is empty, discord.js waits for its reset instead.
  const reset = headers.get('X-RateLimit-Reset-After');
  if (reset !== null && !(Number(reset) >= stated)) headers.set('X-RateLimit-Reset-After', String(stated));
}

function seconds(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
}

function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The longest is never reached: the time for a first answer is over before. */
const BACK_OFF = { firstMs: 25, longestMs: 3_000 };

/**
 * Sends again, until `giveUpAtMs`, what did not reach Discord; after a 429 not before the time that it states. discord.js
 * retries a failing Discord three times without a wait, and not at all when Discord closed an idle connection: what was
 * sent on it is lost.
 *
 * @throws the error of the last try; any other answer of Discord at once
 */
export async function sendAgain(giveUpAtMs: number, send: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await send();
      return;
    } catch (error) {
      const waitMs = beforeNextMs(error, tries);
      if (waitMs === undefined || Date.now() + waitMs > giveUpAtMs) throw error;
      await sleep(waitMs);
    }
  }
}

/** How long to wait before the next try; `undefined` when none will help. */
export function beforeNextMs(error: unknown, tries: number): number | undefined {
  if (error instanceof RateLimitError) return error.retryAfter;
  if (error instanceof DiscordAPIError) return undefined;
  return backOffMs(tries, BACK_OFF);
}

/** The reply does not exist any more, or its token is not valid. */
const LOST: ReadonlySet<number | string> = new Set([
  RESTJSONErrorCodes.UnknownWebhook, // 10015
  RESTJSONErrorCodes.InvalidWebhookToken, // 50027
  RESTJSONErrorCodes.UnknownMessage, // 10008
  RESTJSONErrorCodes.UnknownInteraction, // 10062
]);

/** What the error of the last try of an edit means. */
export function failedEdit(err: unknown): Exclude<EditResult, 'edited'> {
  if (err instanceof RateLimitError) return 'lost'; // the stated wait outlasts the reply
  if (!(err instanceof DiscordAPIError)) return 'failed';
  return LOST.has(err.code) ? 'lost' : 'refused';
}
