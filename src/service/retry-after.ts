import { httpDateMs } from './http-date.ts';

/** How long the service asks us to wait, and where it said so. */
export interface StatedWait {
  seconds: number;
  source: 'body' | 'header';
}

/** No plan's window is longer than a month, so a longer wait is a time stamp or nonsense. */
const LONGEST_SENSIBLE_SECONDS = 31 * 24 * 3600;

/**
 * The wait that a 429 states: the larger of the body's `retryAfter` (seconds) and the header `Retry-After`
 * (seconds, also decimal, or an HTTP date). Anything else is ignored.
 *
 * @param serviceNowMs the service's own clock (its `Date` header), against which a date is read
 * @returns `undefined` when neither states a wait
 */
export function statedWait(body: unknown, header: string | null, serviceNowMs: number): StatedWait | undefined {
  const fromBody = sensible(bodySeconds(body));
  const fromHeader = sensible(headerSeconds(header, serviceNowMs));
  if (fromBody === undefined && fromHeader === undefined) return undefined;

  return (fromHeader ?? -1) > (fromBody ?? -1)
    ? { seconds: fromHeader as number, source: 'header' }
    : { seconds: fromBody as number, source: 'body' };
}

function bodySeconds(body: unknown): number | undefined {
  if (typeof body !== 'object' || body === null || !('retryAfter' in body)) return undefined;
  return typeof body.retryAfter === 'number' ? body.retryAfter : undefined;
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
