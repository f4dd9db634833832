import { z } from 'zod';
import { Source } from '../model/field-source.ts';
import { DAY_MS } from '../time/utc-day.ts';
import { httpDateMs, isoMs } from './rate-limit-headers.ts';

/** No plan's window is longer than a month; a longer wait is a time stamp or nonsense. */
const LONGEST_SENSIBLE_SECONDS = (31 * DAY_MS) / 1000;

/** Under a hundred times, two different waits are stated; from there on, one wait in two units. */
const LEAST_MILLISECONDS_PER_SECOND = 100;

/**
 * The wait that an answer states, such as a 429 or a 503: the larger of the body's `retryAfter` (seconds) and the header
 * `Retry-After` (seconds, also decimal, or an HTTP date). Anything else is ignored. A `retryAfter` of about 1,000 times
 * the header, or of the seconds in the body's message, is in milliseconds.
 *
 * @param serviceNowMs the service's own clock (its `Date` header), to which a date is relative
 * @returns `undefined` when neither states a wait
 */
export function statedWaitSeconds(
  body: unknown,
  header: string | null,
  serviceNowMs: number,
  wait: Source | undefined = DEFAULT_WAIT,
): number | undefined {
  const fromHeader = sensible(headerSeconds(header, serviceNowMs));
  const fromBody = sensible(bodySeconds(body, fromHeader, serviceNowMs, wait));
  return fromHeader === undefined ? fromBody : Math.max(fromHeader, fromBody ?? 0);
}

const DEFAULT_WAIT = new Source('retryAfter');

const Message = z.object({ message: z.string().catch('') }).catch({ message: '' });

function bodySeconds(
  body: unknown,
  headerSeconds: number | undefined,
  serviceNowMs: number,
  wait: Source,
): number | undefined {
  const stated = wait.valueIn({ value: body });
  const atMs = typeof stated === 'string' ? isoMs(stated) : undefined;
  if (atMs !== undefined) return (atMs - serviceNowMs) / 1000;
  if (typeof stated !== 'number') return undefined;
  const inSeconds = [headerSeconds, messageSeconds(Message.parse(body).message)].filter(
    (seconds) => seconds !== undefined,
  );
  return inSeconds.some((seconds) => isInMilliseconds(stated, seconds)) ? stated / 1000 : stated;
}

/** From the error's message, such as "Retry after 7 seconds". */
function messageSeconds(message: string): number | undefined {
  const [, figure] = /(\d{1,9}(?:\.\d{1,9})?) ?s(?:ec(?:ond)?s?)?\b/i.exec(message) ?? [];
  return figure === undefined ? undefined : Number(figure);
}

/** Whole seconds are rounded, so up to 1 s off. */
function isInMilliseconds(figure: number, seconds: number): boolean {
  if (figure < LEAST_MILLISECONDS_PER_SECOND * Math.max(1, seconds)) return false;
  return Math.abs(figure / 1000 - seconds) <= Math.max(1, seconds / 10);
}

function headerSeconds(header: string | null, serviceNowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text);
  const atMs = httpDateMs(text);
  return atMs === undefined ? undefined : (atMs - serviceNowMs) / 1000;
}

function sensible(seconds: number | undefined): number | undefined {
  return seconds !== undefined && seconds >= 0 && seconds <= LONGEST_SENSIBLE_SECONDS ? seconds : undefined;
}
