import { globalAgent } from 'node:https';
import {
  type AllowedMentionsTypes,
  DefaultRestOptions,
  type RateLimitData,
  type RESTOptions,
  Routes,
} from 'discord.js';
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import type { Logger } from '../../log.ts';
import { REPLY_DEADLINE_MS } from '../../replies/reply-ports.ts';

type Send = RESTOptions['makeRequest'];

/** No message of the bot notifies anyone. */
export const NO_MENTIONS: { parse: AllowedMentionsTypes[] } = { parse: [] };

/** Interaction traffic makes one request handler per token; the default keeps each for an hour. */
const HANDLER_SWEEP_MS = 120_000;
/** A first answer has a shorter timeout, because a member waits for it. */
export const REQUEST_TIMEOUT_MS = 10_000;
/** A callback without an answer is sent again, and both tries have to fit into Discord's 3 s. */
const CALLBACK_TIMEOUT_MS = 1_200;

/** A tenth of what Discord accepts in 10 minutes (https://docs.discord.com/developers/topics/rate-limits#invalid-request-limit-aka-cloudflare-bans). */
const INVALID_REQUESTS_A_WARNING = 1_000;

/**
 * What discord.js sends through: a proxy where Node itself uses one (`NODE_USE_ENV_PROXY=1`). Without an agent, its undici
 * sends through whichever was loaded first: itself, or Node's of another version.
 */
export function requestAgent(): Dispatcher {
  return globalAgent.options.proxyEnv ? new EnvHttpProxyAgent() : new Agent();
}

/** @param apiUrl REST base without version, such as `https://discord.com/api` */
export function restOptions(apiUrl: string, log: Logger): Partial<RESTOptions> {
  return {
    api: apiUrl,
    agent: requestAgent(),
    // The default of 50 also counts replies, which Discord exempts: it delays answers by up to a second.
    globalRequestsPerSecond: Number.POSITIVE_INFINITY,
    handlerSweepInterval: HANDLER_SWEEP_MS,
    invalidRequestWarningInterval: INVALID_REQUESTS_A_WARNING, // by default there is no warning
    makeRequest: requestWithReadableErrors,
    rejectOnRateLimit(limit) {
      const { route, scope, retryAfter, timeToReset } = limit;
      log.warn({ route, scope, waitMs: Math.max(retryAfter, timeToReset) }, 'discord asks to wait');
      return !sleepsThrough(limit);
    },
  };
}

/**
 * Whether discord.js sleeps through a 429 and sends again by itself. By default it sleeps through any of them, also the
 * 23 h of a shared address (discord-api-docs#8570). Only edits have the time: the sender of a first answer knows how long
 * the member still waits for it, and everything else reports the wait or waits by itself.
 */
export function sleepsThrough({
  route,
  timeToReset,
  retryAfter,
}: Pick<RateLimitData, 'route' | 'timeToReset' | 'retryAfter'>): boolean {
  return route.endsWith('/messages/@original') && Math.max(timeToReset, retryAfter) <= REPLY_DEADLINE_MS;
}

/**
 * Sends as discord.js does, but with one deadline over head and body: its own ends with the head. Only what somebody reads
 * of a body is waited for: what was asked for, or why Discord refuses. A change is done when the head says so.
 *
 * @throws TimeoutError at the deadline; discord.js does not send again after it
 */
export async function answered(url: string, init: Parameters<Send>[1], timeoutMs: number): ReturnType<Send> {
  // Without time left nothing is sent: a timer of no length would leave a millisecond for an answer.
  if (timeoutMs <= 0) throw new DOMException('no time is left for this request', 'TimeoutError');
  // Not AbortSignal.any: it costs more than the rest of a request, and its timer lives on.
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(new DOMException('no answer in time', 'TimeoutError')), timeoutMs);
  const { signal } = init;
  signal?.addEventListener('abort', () => abort.abort(signal.reason), { once: true }); // made for this request alone
  if (signal?.aborted) abort.abort(signal.reason);
  const answering = DefaultRestOptions.makeRequest(url, { ...init, signal: abort.signal });
  const body = answering.then((answer) => answer.text()).finally(() => clearTimeout(timer));
  body.catch(() => {}); // one that nobody reads is read all the same: the connection is then used again
  const answer = await answering;
  const { status, statusText } = answer;
  const headers = new Headers([...answer.headers]);
  const isRead = init.method === 'GET' || url.endsWith(Routes.userChannels());
  if (status >= 400 ? status < 500 : isRead) {
    return new Response((await body) || null, { status, statusText, headers });
  }
  headers.delete('Content-Type'); // with it, discord.js would parse the body
  return new Response(null, { status, statusText, headers });
}

/** The wait after a 429 that states none: discord.js would send again at once. */
const UNSTATED_SECONDS = 1;

/**
 * Sends as discord.js does, and rewrites error responses that it would misread: it reads the wait from `Retry-After`
 * alone, expects an object in whatever is declared as JSON, and treats a redirection as success.
 *
 * @throws Error for a redirection: nothing was done; and for a first answer or a message below one that may have arrived,
 *   which discord.js would send again at once, unknown to its sender: who knows by that whose answer Discord has, or that
 *   the message may be there twice
 */
const requestWithReadableErrors: Send = async (url, init) => {
  const isCallback = url.endsWith('/callback');
  const isOnce = isCallback || (init.method === 'POST' && url.includes('/webhooks/'));
  const answer = await answered(url, init, isCallback ? CALLBACK_TIMEOUT_MS : REQUEST_TIMEOUT_MS).catch((cause) => {
    throw isOnce ? new Error('no response to a message', { cause }) : cause;
  });
  if (isOnce && answer.status >= 500) throw new Error(`discord failed with a message (${answer.status})`);
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
 * discord.js takes the wait of a 429 from this header, and waits for the reset of an empty bucket instead. After one for
 * all requests of the bot it would hold back edits, too, which Discord exempts.
 */
function stateWait(headers: Headers, body: object | undefined): void {
  headers.delete('X-RateLimit-Global');
  const retryAfter = body && 'retry_after' in body ? body.retry_after : undefined;
  const stated = String(statedWaitSeconds(headers.get('Retry-After'), retryAfter));
  headers.set('Retry-After', stated);
  const reset = headers.get('X-RateLimit-Reset-After');
  if (reset !== null && !(Number(reset) >= Number(stated))) headers.set('X-RateLimit-Reset-After', stated);
}

/** How long a 429 asks to wait, by its body or else by its header, which is the body's figure rounded up. */
export function statedWaitSeconds(header: string | null, retryAfter: unknown): number {
  return seconds(retryAfter) ?? seconds(Number(header)) ?? UNSTATED_SECONDS;
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
