import {
  Busy,
  CardServiceError,
  KeptInReserve,
  KeyRefused,
  meaningOf,
  PlanRefused,
  QuotaSpent,
  ServiceDown,
  StoreAway,
} from '../model/errors.ts';
import type { Events, EventsByName } from '../model/events.ts';
import { type Requester, spentWindow } from '../model/quota.ts';
import type { BlockedReason, Permit } from '../quota/decision.ts';
import type { Ledger } from '../quota/ledger.ts';
import type { Limiter } from '../quota/limiter.ts';

/** What one request is for. */
export interface ServiceRequest {
  permit: Permit;
  /** On whom it is booked. */
  requester: Requester;
  endpoint: EventsByName['request']['endpoint'];
  /** The card that it is booked for had failed before, and was not answered since. */
  isSuspect?: boolean;
}

/**
 * One request, from its permit to its booking: booked when it leaves, the permit released with its outcome, and moved
 * to the refused ones when the service has not counted it.
 *
 * @returns with the answer, the release of the permit: what is done with the answer need not wait for it
 * @throws what `send` throws
 */
export async function sendBooked<T>(
  { limiter, ledger, events }: { limiter: Limiter; ledger: Ledger; events: Events },
  { permit, requester, endpoint, isSuspect = false }: ServiceRequest,
  send: () => Promise<T>,
): Promise<{ answer: T; released: Promise<void> }> {
  const booking = ledger.spent(requester);
  const { ceiling = { left: 0 } } = requester;
  ceiling.left -= 1;
  try {
    const answer = await send();
    events.publish('request', { endpoint, outcome: 'answered' });
    return { answer, released: limiter.release(permit, { kind: 'answered' }) };
  } catch (error) {
    events.publish('request', { endpoint, outcome: error instanceof CardServiceError ? error.name : 'broken' });
    const { isCounted, kind, statedMs, spentWindow: named } = meaningOf(error);
    if (!isCounted) {
      ledger.refused(booking);
      ceiling.left += 1;
    }
    await limiter.release(permit, { kind, statedMs, isCounted, spentWindow: named, isSuspect });
    const spent = spentWindow(limiter.view().stop?.reason);
    if (kind === 'rateLimited') events.publish('rateLimit', { kind: spent ?? 'pause' });
    throw error;
  }
}

/** The error of a lookup that no request can be sent for. */
export function blockedError({ reason, untilMs }: { reason: BlockedReason; untilMs: number }): CardServiceError {
  switch (reason) {
    case 'hour':
    case 'day':
    case 'month':
      return new QuotaSpent({ untilMs, per: reason });
    case 'key':
      return new KeyRefused({ status: 401 });
    case 'plan':
      return new PlanRefused();
    case 'outage':
      return new ServiceDown({ reason: 'too many failures in a row', untilMs });
    case 'pause':
      return new Busy({ untilMs, paused: true });
    case 'reserve':
      return new KeptInReserve({ untilMs });
    case 'store':
      return new StoreAway();
  }
}

export function asCardServiceError(error: unknown): CardServiceError {
  return error instanceof CardServiceError ? error : new ServiceDown({ reason: 'the lookup failed' }, { cause: error });
}
