import { CardServiceError, KeyRefused, RateLimited, ServiceDown, Stopping, UnexpectedAnswer } from '../model/errors.ts';
import type { Events, RateLimitEvent, RequestEvent } from '../model/events.ts';
import type { Requester } from '../model/quota.ts';
import type { RequestOutcome } from '../quota/circuit-breaker.ts';
import type { Ledger } from '../quota/ledger.ts';
import type { Limiter, Permit, PermitLane } from '../quota/limiter.ts';

/** What one request is for. */
export interface ServiceRequest<T> {
  permit: Permit;
  /** On whom it is booked. */
  requester: Requester;
  endpoint: RequestEvent['endpoint'];
  /** How many cards an answer brought; none unless given. */
  cardsIn?: (answer: T) => number;
  /** Called when it has ended, if the service has counted it. */
  onCounted?: () => void;
}

/** A permit to send one request, to be used by `sendRequest`. */
export async function acquirePermit({ limiter, events }: { limiter: Limiter; events: Events }, lane: PermitLane) {
  const acquired = await limiter.acquire(lane);
  const { kind: result } = acquired;
  events.publish('permit', { lane, result, ...(acquired.kind !== 'permit' && { untilMs: acquired.untilMs }) });
  return acquired;
}

/**
 * One request, from its permit to its booking: booked when it leaves, the permit released with its outcome, and moved to
 * the refused ones when the service has not counted it.
 *
 * @param keep what is done with an answer, in the time that the release of the permit takes; must not reject
 * @throws what `send` throws
 */
export async function sendRequest<T, Kept>(
  { limiter, ledger, events }: { limiter: Limiter; ledger: Ledger; events: Events },
  { permit, requester, endpoint, cardsIn = () => 0, onCounted = () => {} }: ServiceRequest<T>,
  send: () => Promise<T>,
  keep: (answer: T) => Promise<Kept>,
): Promise<Kept> {
  const booking = ledger.spent(requester);
  const sentAtMs = performance.now();
  const ended = (outcome: string, cards = 0) =>
    events.publish('request', { endpoint, outcome, tookMs: Math.round(performance.now() - sentAtMs), cards });
  let answer: T;
  try {
    answer = await send();
  } catch (error) {
    ended(error instanceof CardServiceError ? error.name : 'broken');
    if (isCounted(error)) onCounted();
    else ledger.refused(booking);
    await limiter.release(permit, outcomeOf(error));
    if (error instanceof RateLimited) events.publish('rateLimit', { kind: rateLimitKind(limiter) });
    throw error;
  }
  ended('answered', cardsIn(answer));
  onCounted();
  const released = limiter.release(permit, { kind: 'answered' });
  const kept = await keep(answer);
  await released;
  return kept;
}

function rateLimitKind(limiter: Limiter): RateLimitEvent['kind'] {
  return limiter.schedule().breaker.reason === 'day' ? 'day' : 'pause';
}

/** Whether the service has counted a request that failed: a 429 is not counted, nor what never reached it. */
export function isCounted(error: unknown): boolean {
  return !(error instanceof RateLimited || (error instanceof ServiceDown && error.neverLeft));
}

/** What an error says about the service. */
export function outcomeOf(error: unknown): RequestOutcome {
  if (error instanceof RateLimited) {
    return { kind: 'rateLimited', statedMs: error.seconds === undefined ? undefined : error.seconds * 1000 };
  }
  if (error instanceof ServiceDown) return { kind: 'serviceDown', statedMs: error.retryAfterMs };
  if (error instanceof KeyRefused) return { kind: 'keyRefused' };
  // An answer that does not fit is an answer too; anything else says nothing of the service.
  return { kind: error instanceof UnexpectedAnswer ? 'answered' : 'abandoned' };
}

/** A refused key and a bug need an operator; 429s and outages pass. */
export function severity(error: unknown): 'error' | 'warn' | 'info' {
  if (error instanceof RateLimited) return 'info';
  return error instanceof ServiceDown || error instanceof UnexpectedAnswer || error instanceof Stopping
    ? 'warn'
    : 'error';
}

export function asCardServiceError(error: unknown): CardServiceError {
  return error instanceof CardServiceError ? error : new ServiceDown({ reason: 'the lookup failed' }, { cause: error });
}
