import { type Answer, Source } from '../model/field-source.ts';
import type { QuotaReading } from '../model/quota.ts';
import type { WindowSources } from '../model/service-description.ts';
import { DAY_MS } from '../time/utc-day.ts';

/** What figures are read from. */
export interface Stating {
  headers: Headers;
  /** Parsed; `undefined` before it is read, and where it is none. */
  body?: unknown;
  sentAtMs: number;
  receivedAtMs: number;
}

/**
 * What an answer states of each window, by its description; of none at least that it came. A missing or nonsensical
 * figure is `undefined`, never an error. A limit below 1 is no figure, nor is its `remaining`.
 */
export function statedLimits(
  { headers, body, sentAtMs, receivedAtMs }: Stating,
  windows: readonly WindowSources[],
): QuotaReading[] {
  const times = { sentAtMs, receivedAtMs };
  const isFromCache = Number(headers.get('age')) > 0; // its figures are those of another request
  if (isFromCache || windows.length === 0)
    return [{ limit: undefined, remaining: undefined, resetInMs: undefined, ...times }];
  const answer = { headers, value: body };
  const clockMs = serviceClock(headers, receivedAtMs);
  return windows.map(({ per, limit: limitSource, remaining: remainingSource, reset }) => {
    const stated = limitSource?.textIn(answer);
    const limit = wholeNumber(stated) || undefined;
    const remaining = Number(stated) < 1 ? undefined : wholeNumber(remainingSource?.textIn(answer));
    return {
      ...(per !== 'day' && { per }),
      limit,
      // When two figures contradict each other, the lower one is safe.
      remaining: remaining === undefined ? undefined : Math.min(remaining, limit ?? remaining),
      resetInMs: timeLeft(reset?.textIn(answer), clockMs),
      ...times,
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
export function timeLeft(stated: string | undefined, clockMs: number, dateMs = isoMs): number | undefined {
  if (stated === undefined) return undefined;
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
  return ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
}

// The three date forms of RFC 9110 §5.6.7. Date.parse alone would also take "2" for a month.
const HTTP_DATE =
  /^(?:\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT|\w+, \d{2}-\w{3}-\d{2} \d{2}:\d{2}:\d{2} GMT|\w{3} \w{3} [ \d]\d \d{2}:\d{2}:\d{2} \d{4})$/;

/** An HTTP date in ms; NaN for any other text. */
function httpDateMs(text: string): number {
  if (!HTTP_DATE.test(text)) return Number.NaN;
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`); // the asctime form has no zone, and means UTC
}
