import type { Source } from '../model/field-source.ts';
import type { QuotaReading } from '../model/quota.ts';
import type { WindowSources } from '../model/service-description.ts';
import { DAY_MS } from '../time/utc-day.ts';

/** No plan's window is longer than a month; a reset further ahead is in another unit, or nonsense. */
const FURTHEST_SENSIBLE_RESET_MS = 31 * DAY_MS;

/** A Unix time in seconds stays below this until the year 5138; one in milliseconds has been above it since 1973. */
const FIRST_MILLISECONDS = 1e11;

/** What the sources of a window are read from. */
export interface QuotaAnswer {
  headers: Headers;
  /** Parsed; `undefined` before it is read, and where it is none. */
  body?: unknown;
}

/** What an answer states of all windows, by its description; of none at least that it came. */
export function readRateLimits(
  answer: QuotaAnswer,
  windows: readonly WindowSources[] = [],
  sentAtMs: number,
  receivedAtMs: number,
): QuotaReading[] {
  const isFromCache = Number(answer.headers.get('age')) > 0; // its figures are those of another request
  const readings = (isFromCache ? [] : windows).map(({ per, ...sources }) => {
    const reading = readRateLimit(answer, sources, sentAtMs, receivedAtMs);
    return per === 'day' ? reading : { per, ...reading };
  });
  return readings.length > 0 ? readings : [readRateLimit(answer, {}, sentAtMs, receivedAtMs)];
}

/**
 * Reads what an answer states of a window. A missing or nonsensical figure is `undefined`, never an error. A limit below 1
 * is no figure, nor is its `remaining`.
 */
export function readRateLimit(
  { headers, body }: QuotaAnswer,
  { limit: limitSource, remaining: remainingSource, reset }: Partial<Omit<WindowSources, 'per'>>,
  sentAtMs: number,
  receivedAtMs: number,
): QuotaReading {
  const textIn = (source: Source | undefined) => source?.textIn({ value: body, headers });
  const stated = textIn(limitSource);
  const limit = wholeNumber(stated) || undefined;
  const isNone = Number(stated ?? Number.NaN) < 1;
  const remaining = isNone ? undefined : wholeNumber(textIn(remainingSource));
  return {
    limit,
    // When two figures contradict each other, the lower one is safe.
    remaining: remaining === undefined ? undefined : Math.min(remaining, limit ?? remaining),
    resetInMs: timeLeft(textIn(reset), serviceClock(headers, receivedAtMs)),
    sentAtMs,
    receivedAtMs,
  };
}

/**
 * Milliseconds until a time that is stated: a date, a Unix time in seconds, possibly with decimals, or in milliseconds. A
 * figure too small for either is a number of seconds from now, as limiters in front of a service send it.
 *
 * @returns negative where it is past, `undefined` where it is over a month away, or none
 */
export function timeLeft(stated: string | undefined, clockMs: number, dateMs = isoMs): number | undefined {
  if (stated === undefined) return undefined;
  const atMs = dateMs(stated);
  if (atMs !== undefined) return withinAMonth(atMs - clockMs);
  if (!/^\d{1,15}(?:\.\d+)?$/.test(stated)) return undefined;
  const figure = Number(stated);
  if (figure * 1000 <= FURTHEST_SENSIBLE_RESET_MS) return figure * 1000;
  return withinAMonth(Math.round(figure < FIRST_MILLISECONDS ? figure * 1000 : figure) - clockMs);
}

function withinAMonth(leftMs: number): number | undefined {
  return Math.abs(leftMs) <= FURTHEST_SENSIBLE_RESET_MS ? leftMs : undefined;
}

const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/;

/** An ISO 8601 time in ms, with its zone; `undefined` for any other text. */
export function isoMs(text: string): number | undefined {
  const atMs = ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : atMs;
}

/** The service's clock by its own `Date` header (ms), so that a wrong clock on either side does no harm; ours if there is none. */
export function serviceClock(headers: Headers, receivedAtMs: number): number {
  return httpDateMs(headers.get('date') ?? '') ?? receivedAtMs;
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

// The three date forms of RFC 9110 §5.6.7. Date.parse alone would also take "2" for a month.
const HTTP_DATE =
  /^(?:\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT|\w+, \d{2}-\w{3}-\d{2} \d{2}:\d{2}:\d{2} GMT|\w{3} \w{3} [ \d]\d \d{2}:\d{2}:\d{2} \d{4})$/;

/** An HTTP date in ms, `undefined` for any other text. */
export function httpDateMs(text: string): number | undefined {
  if (!HTTP_DATE.test(text)) return undefined;
  const atMs = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`); // the asctime form has no zone, and means UTC
  return Number.isNaN(atMs) ? undefined : atMs;
}
