import type { QuotaReading } from '../quota-state.ts';
import { httpDateMs } from './http-date.ts';

/** Over a month ahead no plan's window ends; such a reset is in another unit, or nonsense. */
const FURTHEST_SENSIBLE_RESET_MS = 31 * 24 * 3600 * 1000;

/** Reads the three headers that every response carries. A missing or nonsensical one is `undefined`, never an error. */
export function readRateLimit(headers: Headers, sentAtMs: number, receivedAtMs: number): QuotaReading {
  const resetSeconds = wholeNumber(headers.get('x-ratelimit-reset'));
  const resetInMs = resetSeconds === undefined ? undefined : resetSeconds * 1000 - serviceClock(headers, receivedAtMs);
  const limit = wholeNumber(headers.get('x-ratelimit-limit')) || undefined;
  const remaining = wholeNumber(headers.get('x-ratelimit-remaining'));
  return {
    limit,
    // Of two figures that contradict each other the lower one does no harm.
    remaining: remaining === undefined ? undefined : Math.min(remaining, limit ?? remaining),
    resetInMs: resetInMs !== undefined && Math.abs(resetInMs) <= FURTHEST_SENSIBLE_RESET_MS ? resetInMs : undefined,
    sentAtMs,
    receivedAtMs,
  };
}

/** The service's clock by its own `Date` header (ms), so that neither side's wrong clock matters; else ours. */
export function serviceClock(headers: Headers, receivedAtMs: number): number {
  return httpDateMs(headers.get('date') ?? '') ?? receivedAtMs;
}

function wholeNumber(text: string | null): number | undefined {
  if (text === null || !/^\s*\d{1,15}\s*$/.test(text)) return undefined;
  return Number(text);
}
