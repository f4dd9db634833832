import { CardServiceError, RateLimited, ServiceDown } from './errors.ts';

/** What an error means for the request that ended with it. */
export interface ErrorMeaning {
  /** Whether the service has counted the request. */
  isCounted: boolean;
  /** What the circuit breaker makes of it. An answer that does not fit is an answer, too. */
  outcome: 'answered' | 'rateLimited' | 'serviceDown' | 'keyRefused' | 'abandoned';
  /** The level in the log: a refused key and a bug need an operator; 429s and outages pass. */
  level: 'info' | 'warn' | 'error';
  /** Whether a lookup is tried again: with the next permit however often, a few times with a back-off, or never. */
  retry: 'nextPermit' | 'backOff' | 'never';
  /** The wait that the service stated; `undefined` when it did not. */
  statedMs?: number | undefined;
}

type Kind = CardServiceError['name'];

/** The errors with which requests end. */
const MEANINGS: { readonly [Name in Kind]?: ErrorMeaning } = {
  RateLimited: { isCounted: false, outcome: 'rateLimited', level: 'info', retry: 'nextPermit' },
  ServiceDown: { isCounted: true, outcome: 'serviceDown', level: 'warn', retry: 'backOff' },
  KeyRefused: { isCounted: true, outcome: 'keyRefused', level: 'error', retry: 'never' },
  UnexpectedAnswer: { isCounted: true, outcome: 'answered', level: 'warn', retry: 'never' },
  Stopping: { isCounted: true, outcome: 'abandoned', level: 'warn', retry: 'never' },
};
/** Any other error is a bug. The request may have left, and what it says of the service is not known. */
const BUG: ErrorMeaning = { isCounted: true, outcome: 'abandoned', level: 'error', retry: 'never' };

export function meaningOf(error: unknown): ErrorMeaning {
  const meaning = (error instanceof CardServiceError && MEANINGS[error.name]) || BUG;
  if (error instanceof RateLimited) return { ...meaning, statedMs: error.seconds && error.seconds * 1_000 };
  if (!(error instanceof ServiceDown)) return meaning;
  return { ...meaning, isCounted: !error.neverLeft, statedMs: error.retryAfterMs };
}
