import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Logger } from '../log.ts';
import { parseJson } from '../model/card.ts';
import { ServiceDown, UnexpectedAnswer } from '../model/errors.ts';
import type { QuotaReading } from '../model/quota.ts';
import { DAY_MS } from '../time.ts';
import { type Answer, Source } from './field-source.ts';
import type { ServiceDescription, WindowSources } from './service-description.ts';

/** One answer, read to its end. */
export interface ServiceResponse {
  status: number;
  headers: Headers;
  /** Parsed JSON; `undefined` before it is read, when it is not JSON, or that of an error is too long. */
  body?: unknown;
  sentAtMs: number;
  receivedAtMs: number;
}

export interface CardServiceOptions {
  baseUrl: string;
  fetch?: typeof fetch;
  /** How a key is sent, and where answers state what remains. */
  description: ServiceDescription;
  apiKey?: string | undefined;
  /** Further headers. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** For the whole attempt, the body included. */
  timeoutMs: number;
  /** Given what every response states of windows, 429s and errors too: at once where its headers say it all. */
  limiter: { observe(reading: QuotaReading): void };
  log: Logger;
}

/** A card is about 1 kB; a body a thousand times larger is neither one nor a list of some. */
const MAX_BODY_BYTES = 1024 * 1024;

/** Sends requests as a description has them. */
export class Requests {
  readonly #options: CardServiceOptions;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #isStatedInBody: boolean;

  constructor(options: CardServiceOptions) {
    const { description, apiKey, headers } = options;
    this.#options = options;
    this.#headers = { accept: 'application/json', ...headers, ...keyHeader(description, apiKey) };
    const sources = description.quota.flatMap((window) => Object.values(window));
    this.#isStatedInBody = sources.some((source) => source instanceof Source && !source.isOfHeaders);
  }

  /**
   * Costs one request of the quota, unless it never leaves.
   *
   * @param json sent as the body of a POST; `undefined`: a GET
   * @throws ServiceDown on silence or a broken connection, UnexpectedAnswer on a body over 1 MiB, and the reason of
   *   `signal` when the caller aborted.
   */
  async send(url: URL, signal?: AbortSignal, json?: object): Promise<ServiceResponse> {
    const { timeoutMs, fetch = globalThis.fetch } = this.#options;
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    let arrived: ServiceResponse | undefined;
    const init: RequestInit = {
      headers: { ...this.#headers, ...(json && { 'content-type': 'application/json' }) },
      ...(json && { method: 'POST', body: JSON.stringify(json) }),
      redirect: 'manual', // a redirect could carry the key to another host
      signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
    };
    const sentAtMs = Date.now();
    const departure = departing(async () => fetch(url, init));
    try {
      const response = await departure.response;
      const { status, headers, ok } = response;
      arrived = { status, headers, sentAtMs, receivedAtMs: Date.now() };
      this.#observe(arrived, false);
      const text = await textOf(response);
      if (text === undefined && ok) throw new UnexpectedAnswer({ detail: `a body over ${MAX_BODY_BYTES} bytes` });
      arrived.body = parseJson(text);
      return arrived;
    } catch (error) {
      if (error instanceof UnexpectedAnswer) throw error;
      if (signal?.aborted) throw signal.reason;
      const neverLeft = departure.neverLeft();
      if (timeout.signal.aborted) throw new ServiceDown({ reason: `no answer within ${timeoutMs} ms`, neverLeft });
      throw new ServiceDown({ reason: 'connection failed', neverLeft }, { cause: error });
    } finally {
      clearTimeout(timer);
      departure.end();
      if (arrived) this.#observe(arrived, true);
    }
  }

  #observe(answer: ServiceResponse, isWhole: boolean): void {
    if (isWhole !== this.#isStatedInBody) return;
    const { description, limiter } = this.#options;
    for (const reading of statedLimits(answer, description.quota)) limiter.observe(reading);
  }
}

/** The address below a base. @param query is added to a path that has no such parameter */
export function endpoint(baseUrl: string, path: string, query?: string): URL {
  const [name = ''] = query?.split('=') ?? [];
  const more = query && !path.includes(`${name}=`) ? `${path.includes('?') ? '&' : '?'}${query}` : '';
  return new URL(baseUrl.replace(/\/+$/, '') + path + more); // as text, since `searchParams` would encode commas
}

/** The key as the description sends it; none where it is not set. */
export function keyHeader({ key }: ServiceDescription, apiKey: string | undefined): Record<string, string> {
  if (key === false || !apiKey) return {};
  const { header, prefix = header.toLowerCase() === 'authorization' ? 'Bearer ' : '' } = key;
  return { [header]: prefix + apiKey };
}

/**
 * A body as text, whatever its encoding on the wire. It is read even where only the status matters: an unread one keeps
 * its socket.
 *
 * @returns `undefined` when it is longer than `MAX_BODY_BYTES` after decompression: the rest is not downloaded.
 *   Of a 429 whatever has come before it broke: otherwise no pause would follow
 */
async function textOf({ status, body }: Response): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    for await (const chunk of body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > MAX_BODY_BYTES) return undefined; // leaving the loop cancels the stream
      text += decoder.decode(chunk, { stream: true });
    }
  } catch (error) {
    if (status !== 429) throw error;
  }
  return text + decoder.decode();
}

// These are channels of undici, which is Node's `fetch`: https://undici.nodejs.org/#/docs/api/DiagnosticsChannel
const CREATED = 'undici:request:create';
const LEAVES = 'undici:client:sendHeaders';

/**
 * Sends a request, and notes whether it left: one whose connection was never made (refused, no such host, no TLS, or
 * aborted before) has cost nothing. A `fetch` that is not Node's publishes no events, and its requests count as having
 * left.
 */
function departing(fetching: () => Promise<Response>) {
  let request: unknown;
  let hasLeft = false;
  const onCreated = (message: unknown) => {
    request = Object(message).request;
  };
  const onLeaves = (message: unknown) => {
    hasLeft ||= Object(message).request === request;
  };
  subscribe(CREATED, onCreated);
  subscribe(LEAVES, onLeaves);
  const response = fetching();
  unsubscribe(CREATED, onCreated); // undici creates the request before `fetch` returns its promise
  return { response, neverLeft: () => request !== undefined && !hasLeft, end: () => unsubscribe(LEAVES, onLeaves) };
}

/**
 * What an answer states of each window, by its description; of none at least that it came. A missing or nonsensical
 * figure is `undefined`, never an error. A limit below 1 is no figure, nor is its `remaining`.
 */
export function statedLimits(
  { headers, body, sentAtMs, receivedAtMs }: Omit<ServiceResponse, 'status'>,
  windows: readonly WindowSources[],
): QuotaReading[] {
  const isFromCache = Number(headers.get('age')) > 0; // its figures are those of another request
  const told: readonly WindowSources[] = isFromCache || windows.length === 0 ? [{ per: 'day' }] : windows;
  const answer = { headers, value: body };
  const clockMs = serviceClock(headers, receivedAtMs);
  return told.map(({ per, limit: limitSource, remaining: remainingSource, reset }) => {
    const stated = limitSource?.textIn(answer);
    const limit = wholeNumber(stated) || undefined;
    const remaining = Number(stated) < 1 ? undefined : wholeNumber(remainingSource?.textIn(answer));
    return {
      ...(per !== 'day' && { per }),
      limit,
      // When two figures contradict each other, the lower one is safe.
      remaining: remaining === undefined ? undefined : Math.min(remaining, limit ?? remaining),
      resetInMs: timeLeft(reset?.textIn(answer), clockMs),
      sentAtMs,
      receivedAtMs,
    };
  });
}

function wholeNumber(text = ''): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

const RETRY_AFTER = new Source('header:Retry-After');
const MESSAGE = new Source('message');

/**
 * The wait that an answer states, such as a 429 or a 503: the larger of what `wait` leads to (seconds, a Unix time, or
 * ISO 8601) and the header `Retry-After` (seconds, also decimal, a Unix time, or an HTTP date). Anything else is
 * ignored, and so is what is past or over a month ahead. A `wait` of about 1,000 times the header, or of the seconds in
 * the body's message, is in milliseconds.
 *
 * @returns `undefined` when neither states a wait
 */
export function statedWaitSeconds(answer: Answer, receivedAtMs: number, wait?: Source): number | undefined {
  const clockMs = serviceClock(answer.headers, receivedAtMs);
  const fromHeader = toCome(timeLeft(RETRY_AFTER.textIn(answer), clockMs, httpDateMs));
  const stated = wait?.textIn(answer);
  const [, inMessage] = IN_MESSAGE.exec(MESSAGE.textIn(answer) ?? '') ?? [];
  const isInThousandths = [fromHeader, inMessage].some((seconds) => isInMilliseconds(Number(stated), Number(seconds)));
  const fromSource = toCome(timeLeft(isInThousandths ? `${Number(stated) / 1000}` : stated, clockMs));
  return fromHeader === undefined ? fromSource : Math.max(fromHeader, fromSource ?? 0);
}

function toCome(leftMs = -1): number | undefined {
  return leftMs < 0 ? undefined : leftMs / 1000;
}

/** Such as "Retry after 7 seconds". */
const IN_MESSAGE = /(\d{1,9}(?:\.\d{1,9})?) ?s(?:ec(?:ond)?s?)?\b/i;
/** Under a hundred times, two different waits are stated; from there on, one wait in two units. */
const LEAST_MILLISECONDS_PER_SECOND = 100;

/** Whole seconds are rounded, so up to 1 s off. */
function isInMilliseconds(figure: number, seconds: number): boolean {
  const isFarLarger = figure >= LEAST_MILLISECONDS_PER_SECOND * Math.max(1, seconds);
  return isFarLarger && Math.abs(figure / 1000 - seconds) <= Math.max(1, seconds / 10);
}

/** No plan's window is longer than a month; a time further ahead is in another unit, or nonsense. */
const FURTHEST_SENSIBLE_MS = 31 * DAY_MS;
/** A Unix time in seconds stays below this until the year 5138; one in milliseconds has been above it since 1973. */
const FIRST_MILLISECONDS = 1e11;

/**
 * Milliseconds until a time that is stated: a date, a Unix time in seconds, possibly with decimals, or in milliseconds.
 * A figure too small for either is a number of seconds from now, as limiters in front of a service send it.
 *
 * @returns negative where it is past, `undefined` where it is over a month away, or none
 */
function timeLeft(stated: string | undefined, clockMs: number, dateMs = isoMs): number | undefined {
  if (!stated) return undefined;
  const isFigure = /^\d{1,15}(?:\.\d+)?$/.test(stated);
  const figure = Number(stated);
  if (isFigure && figure * 1000 <= FURTHEST_SENSIBLE_MS) return figure * 1000;
  const unixMs = Math.round(figure < FIRST_MILLISECONDS ? figure * 1000 : figure);
  const leftMs = (isFigure ? unixMs : dateMs(stated)) - clockMs;
  return Math.abs(leftMs) <= FURTHEST_SENSIBLE_MS ? leftMs : undefined;
}

/**
 * The moment that is meant by the same: a date as it is, the rest by the service's clock.
 *
 * @returns `undefined` where it is none
 */
export function momentMs(stated: string | undefined, clockMs: number, receivedAtMs: number): number | undefined {
  const date = isoMs(stated ?? '');
  if (!Number.isNaN(date)) return date;
  const leftMs = timeLeft(stated, clockMs);
  return leftMs === undefined ? undefined : receivedAtMs + leftMs;
}

/**
 * The service's clock by its own `Date` header (ms), so that a wrong clock on either side does no harm; ours if there
 * is none.
 */
export function serviceClock(headers: Headers | undefined, receivedAtMs: number): number {
  return httpDateMs(headers?.get('date') ?? '') || receivedAtMs;
}

const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/;

/** An ISO 8601 time in ms, with its zone; NaN for any other text. */
function isoMs(text: string): number {
  return ISO_TIME.test(text) ? Date.parse(text) : NaN;
}

// The three date forms of RFC 9110 §5.6.7. Date.parse alone would also take "2" for a month.
const HTTP_DATE =
  /^(?:\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT|\w+, \d{2}-\w{3}-\d{2} \d{2}:\d{2}:\d{2} GMT|\w{3} \w{3} [ \d]\d \d{2}:\d{2}:\d{2} \d{4})$/;

/** An HTTP date in ms; NaN for any other text. */
function httpDateMs(text: string): number {
  if (!HTTP_DATE.test(text)) return NaN;
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`); // the asctime form has no zone, and means UTC
}
