import {
  Busy,
  CardServiceError,
  KeptInReserve,
  KeyRefused,
  QuotaSpent,
  RateLimited,
  ServiceDown,
  Stopping,
  UnexpectedAnswer,
} from '../model/errors.ts';
import type { BlockedReason } from '../quota/limiter.ts';

/** What members are told while nobody may ask. */
export function blockedError({ reason, untilMs }: { reason: BlockedReason; untilMs: number }): CardServiceError {
  switch (reason) {
    case 'day':
      return new QuotaSpent(untilMs);
    case 'key':
      return new KeyRefused(401);
    case 'outage':
      return new ServiceDown('too many failures in a row', { untilMs });
    case 'pause':
      return new Busy(untilMs, true);
    case 'reserve':
      return new KeptInReserve(untilMs);
  }
}

/** Whether the service has counted the request all the same: a 429 is not, nor is what never reached it. */
export function isCounted(error: unknown): boolean {
  return !(error instanceof RateLimited || (error instanceof ServiceDown && error.neverLeft));
}

/** A key that does not do and a bug need somebody; 429s and outages pass. */
export function severity(error: unknown): 'error' | 'warn' | 'info' {
  if (error instanceof RateLimited) return 'info';
  return error instanceof ServiceDown || error instanceof UnexpectedAnswer || error instanceof Stopping
    ? 'warn'
    : 'error';
}

export function asCardServiceError(error: unknown): CardServiceError {
  return error instanceof CardServiceError ? error : new ServiceDown('the lookup failed', { cause: error });
}
