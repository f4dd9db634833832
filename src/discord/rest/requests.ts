import { globalAgent } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DefaultRestOptions,
  DiscordAPIError,
  type RateLimitData,
  RateLimitError,
  type RawFile,
  type REST,
  RESTJSONErrorCodes,
  type RESTOptions,
  Routes,
} from 'discord.js';
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import type { Logger } from '../../log.ts';
import { isObject, parseJson } from '../../model/card.ts';
import type { Invocation } from '../../model/invocation.ts';
import type { Sent } from '../../model/message.ts';
import { type EditResult, type FirstResult, REPLY_DEADLINE_MS } from '../../replies/ports.ts';
import { backOffMs } from '../../time.ts';

/** Discord accepts a first answer for 3 s after the command; the rest is for its way there. */
export const FIRST_ANSWER_MS = 2_800;

/** The longest is never reached: the time for a first answer is over before. */
const BACK_OFF = { firstMs: 25, longestMs: 3_000 };

/** A request to Discord that has failed. `mayBeThere`: an earlier try of it had no answer, and may have arrived. */
interface Failed {
  err: unknown;
  mayBeThere: boolean;
}

/**
 * Sends again, for `forMs`, what did not reach Discord; after a 429 not before the time that it states. discord.js
 * sends edits to a failing Discord three times more without a wait, and nothing again when Discord closed an idle
 * connection: what was sent on it is lost.
 *
 * @returns what became of the last try: nothing when it was done. Any other answer of Discord is the last
 */
export async function sendAgain(forMs: number, send: () => Promise<unknown>): Promise<Failed | undefined> {
  const giveUpAtMs = performance.now() + forMs; // the time of day may be set meanwhile
  let mayBeThere = false;
  for (let tries = 1; ; tries++) {
    try {
      await send();
      return undefined;
    } catch (err) {
      const isToWait = err instanceof RateLimitError;
      const waitMs = isToWait ? err.retryAfter : backOffMs(tries, BACK_OFF);
      if (err instanceof DiscordAPIError || performance.now() + waitMs > giveUpAtMs) return { err, mayBeThere };
      mayBeThere ||= !isToWait;
      await sleep(waitMs);
    }
  }
}

/**
 * What became of a first answer. `isEarlier`: an earlier one did arrive, and only Discord's response was lost.
 * `refusal`: another answer may be accepted.
 */
export type FirstAnswer = FirstResult & { isEarlier?: true; refusal?: 'refused' | 'blocked' };

/**
 * Sends a first answer until Discord accepts it, or until it would be too late. Not by the interaction's own methods:
 * these rename each key of an embed that has Discord's names already, which takes longer than rendering it.
 */
export async function sendFirstAnswer(
  rest: REST,
  { interactionId, webhook, receivedAtMs }: Invocation,
  body: object,
  files: RawFile[] = [],
): Promise<FirstAnswer> {
  const route = Routes.interactionCallback(interactionId, webhook.token);
  // No longer, should the clock have been set back since.
  const forMs = Math.min(FIRST_ANSWER_MS, receivedAtMs + FIRST_ANSWER_MS - Date.now());
  const failed = await sendAgain(forMs, () => rest.post(route, { auth: false, body, files }));
  return failed ? failedAnswer(failed) : { shown: true };
}

function failedAnswer({ err, mayBeThere }: Failed): FirstAnswer {
  // A wait beyond the 3 s: an answer before it is refused, and one after it is too late.
  if (err instanceof RateLimitError)
    return mayBeThere ? { shown: true, err } : { shown: false, outcome: 'not answered', err };
  const code = codeOf(err);
  if (code === undefined) return { shown: true, err };
  // The member has seen "did not respond".
  if (code === RESTJSONErrorCodes.UnknownInteraction) return { shown: false, outcome: 'too late' };
  if (code === RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged) {
    return { shown: true, isEarlier: true, ...(!mayBeThere && { isOfAnother: true }) };
  }
  return { shown: false, outcome: 'not answered', err, refusal: refusalBy(code) };
}

/** There is no reply that this token can change. */
const LOST = new Set<unknown>([
  RESTJSONErrorCodes.UnknownWebhook, // 10015
  RESTJSONErrorCodes.InvalidWebhookToken, // 50027
  RESTJSONErrorCodes.UnknownInteraction, // 10062
]);

/**
 * A first answer that Discord has not confirmed may be processed after it was given up, and after an edit that left
 * later.
 */
const MAY_ARRIVE_MS = 15_000;

/**
 * What the error of the last try of an edit means.
 *
 * @param ageMs since the command: for 15 s, a reply that Discord does not know may still come
 */
export function failedEdit(err: unknown, ageMs: number): Exclude<EditResult, 'shown'> {
  if (err instanceof RateLimitError) return 'lost'; // the stated wait outlasts the reply
  const code = codeOf(err);
  if (code === undefined || (code === RESTJSONErrorCodes.UnknownWebhook && ageMs < MAY_ARRIVE_MS)) return 'failed';
  if (code === RESTJSONErrorCodes.UnknownMessage) return 'deleted';
  return LOST.has(code) ? 'lost' : refusalBy(code);
}

function refusalBy(code: unknown): 'refused' | 'blocked' {
  return code === RESTJSONErrorCodes.MessageWasBlockedByAutomaticModeration ? 'blocked' : 'refused';
}

/** What the error of a message below a reply means. */
export function failedFollowUp(err: unknown): Exclude<Sent, 'sent'> {
  if (isOfMessage(err)) return 'refused';
  return err instanceof RateLimitError || err instanceof DiscordAPIError ? 'unsent' : 'failed';
}

const OF_MESSAGE = new Set<unknown>([
  RESTJSONErrorCodes.CannotSendAnEmptyMessage, // 50006
  RESTJSONErrorCodes.InvalidFormBodyOrContentType, // 50035
  RESTJSONErrorCodes.MessageWasBlockedByAutomaticModeration, // 200000
  RESTJSONErrorCodes.MessageBlockedByHarmfulLinksFilter, // 240000
]);

/** Whether Discord refuses what a message says, and not to whom or when. */
export function isOfMessage(err: unknown): boolean {
  return OF_MESSAGE.has(codeOf(err));
}

/** What Discord has refused a request with: the status where its answer cannot be read; `undefined` when it has not. */
export function codeOf(err: unknown): number | string | undefined {
  return err instanceof DiscordAPIError ? (err.code ?? err.status) : undefined;
}

type Send = RESTOptions['makeRequest'];

/** No message of the bot notifies anyone. */
export const NO_MENTIONS = { parse: [] };

/** Interaction traffic makes one request handler per token; the default keeps each for an hour. */
const HANDLER_SWEEP_MS = 120_000;
/** A first answer has a shorter timeout, because a member waits for it. */
export const REQUEST_TIMEOUT_MS = 10_000;
/** A callback without an answer is sent again, and both tries have to fit into Discord's 3 s. */
const CALLBACK_TIMEOUT_MS = 1_200;

/**
 * A tenth of what Discord accepts in 10 minutes
 * (https://docs.discord.com/developers/topics/rate-limits#invalid-request-limit-aka-cloudflare-bans).
 */
const INVALID_REQUESTS_A_WARNING = 1_000;

/**
 * What discord.js sends through: a proxy where Node itself uses one (`NODE_USE_ENV_PROXY=1`). Without an agent, its
 * undici sends through whichever was loaded first: itself, or Node's of another version.
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
    globalRequestsPerSecond: Infinity,
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
 * 23 h of a shared address (discord-api-docs#8570). Only edits have the time: the sender of a first answer knows how
 * long the member still waits for it, and everything else reports the wait or waits by itself.
 */
export function sleepsThrough({
  route,
  timeToReset,
  retryAfter,
}: Pick<RateLimitData, 'route' | 'timeToReset' | 'retryAfter'>): boolean {
  return route.endsWith('/messages/@original') && Math.max(timeToReset, retryAfter) <= REPLY_DEADLINE_MS;
}

/**
 * Sends as discord.js does, but with one deadline over head and body: its own ends with the head. Only what somebody
 * reads of a body is waited for: what was asked for, or why Discord refuses. A change is done when the head says so.
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
 * which discord.js would send again at once, unknown to its sender: who knows by that whose answer Discord has, or that
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
  const body = parseJson(text);
  if (!isObject(body)) headers.set('Content-Type', 'text/plain');
  if (answer.status === 429) stateWait(headers, Object(body).retry_after);
  return new Response(text, { status: answer.status, headers });
};

/**
 * discord.js takes the wait of a 429 from this header, and waits for the reset of an empty bucket instead. After one
 * for all requests of the bot it would hold back edits, too, which Discord exempts.
 */
function stateWait(headers: Headers, retryAfter: unknown): void {
  headers.delete('X-RateLimit-Global');
  const stated = String(statedWaitSeconds(headers.get('Retry-After'), retryAfter));
  headers.set('Retry-After', stated);
  const reset = headers.get('X-RateLimit-Reset-After');
  if (reset !== null && !(Number(reset) >= Number(stated))) headers.set('X-RateLimit-Reset-After', stated);
}

/** How long a 429 asks to wait, by its body or else by its header, which is the body's figure rounded up. */
export function statedWaitSeconds(header: string | null, retryAfter: unknown): number {
  const isStated = (value: unknown): value is number => Number.isFinite(value) && Number(value) > 0;
  return [retryAfter, Number(header)].find(isStated) ?? UNSTATED_SECONDS;
}
