import type { QuotaReading } from '../model/quota.ts';
import { DAY_MS } from '../time/utc-day.ts';
import { httpDateMs } from './http-date.ts';

/** Over a month ahead no plan's window ends; such a reset is in another unit, or nonsense. */
const FURTHEST_SENSIBLE_RESET_MS = 31 * DAY_MS;

/** No clock of seconds shows so much before the year 5138, and none of milliseconds so little since 1973. */
const FIRST_MILLISECONDS = 1e11;

/**
 * Reads the three headers that every response carries. A missing or nonsensical one is `undefined`, never an error; a
 * limit below 1 is none, and what remains of it neither.
 */
export function readRateLimit(headers: Headers, sentAtMs: number, receivedAtMs: number): QuotaReading {
  const limit = wholeNumber(headers.get('x-ratelimit-limit')) || undefined;
  const isNone = Number(headers.get('x-ratelimit-limit') ?? Number.NaN) < 1;
  const remaining = isNone ? undefined : wholeNumber(headers.get('x-ratelimit-remaining'));
  return {
    limit,
    // Of two figures that contradict each other the lower one does no harm.
    remaining: remaining === undefined ? undefined : Math.min(remaining, limit ?? remaining),
    resetInMs: timeLeft(headers.get('x-ratelimit-reset'), serviceClock(headers, receivedAtMs)),
    sentAtMs,
    receivedAtMs,
  };
}

/**
 * Until the reset: a Unix time in seconds, maybe with decimals, or in milliseconds. What is too little for either is a
 * number of seconds from now, as limiters that stand before a service give it (@fastify/rate-limit, RateLimit drafts).
 */
function timeLeft(reset: string | null, clockMs: number): number | undefined {
  if (reset === null || !/^\s*\d{1,15}(?:\.\d{1,9})?\s*$/.test(reset)) return undefined;
  const figure = Number(reset);
  if (figure * 1000 <= FURTHEST_SENSIBLE_RESET_MS) return figure * 1000;
  const leftMs = Math.round(figure < FIRST_MILLISECONDS ? figure * 1000 : figure) - clockMs;
  return Math.abs(leftMs) <= FURTHEST_SENSIBLE_RESET_MS ? leftMs : undefined;
}

/** The service's clock by its own `Date` header (ms), so that neither side's wrong clock matters; else ours. */
export function serviceClock(headers: Headers, receivedAtMs: number): number {
  return httpDateMs(headers.get('date') ?? '') ?? receivedAtMs;
}

function wholeNumber(text: string | null): number | undefined {
  if (text === null || !/^\s*\d{1,15}\s*$/.test(text)) return undefined;
  return Number(text);
}
