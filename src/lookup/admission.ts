import { LANES, type Lane } from '../limiter/decision.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { CardRecord } from '../model/card.ts';
import { Busy, type CardServiceError, Stopping } from '../model/errors.ts';
import { type Allowance, type Budget, budgetRefusal } from '../quota/budget.ts';
import type { Lookup, PendingLookup, Reservation } from './pending-lookup.ts';
import type { PendingLookups } from './pending-lookups.ts';
import { blockedError } from './service-requests.ts';

/** A place in the queue, or why the lookup may not wait for one. */
export type Admission = { reservation: Reservation } | { refusal: CardServiceError };

export interface AdmissionOptions {
  pendingLookups: PendingLookups;
  limiter: Pick<Limiter, 'view'>;
  /** When the n-th card that waits is expected to get its permit, at the pace of the lane: members' unless given. */
  permitAtMs: (position: number, lane?: Lane) => number;
  budget: Pick<Budget, 'allowanceOf'>;
  /** A lookup whose permit is further away is refused at once. */
  longestWaitMs: number;
}

/**
 * Decides, and takes the place before the next admission is decided. Costs no request and never rejects.
 *
 * @param wakeQueue called when the lookup is started, since a permit may be free, or cancelled, since others move up
 */
export async function admit(lookup: Lookup, options: AdmissionOptions, wakeQueue: () => void): Promise<Admission> {
  const { pendingLookups, budget } = options;
  // What was spent is not read while nothing may be requested.
  const blocked = blockedFor(lookup, options);
  if (blocked) return { refusal: blocked };
  let allowance: Allowance;
  let requested: number;
  do {
    requested = pendingLookups.requestedCount;
    allowance = await budget.allowanceOf(lookup.requester);
  } while (requested !== pendingLookups.requestedCount); // what left the queue meanwhile would be counted nowhere
  // Nothing is awaited from here on.
  if (pendingLookups.isClosed) return { refusal: new Stopping() };
  const decided = decideAdmission(lookup, allowance, options);
  if ('refusal' in decided) return decided;
  return { reservation: reserve(pendingLookups, lookup, decided.permitAtMs, wakeQueue) };
}

/**
 * Whether a lookup that came now may wait, and for when its permit is expected: at once if it can join a request under
 * way. The times that were promised to others hold: a lookup that would wait behind everything for too long is refused,
 * even when its own permit would come in time.
 *
 * @param allowance of the requester at this moment
 */
export function decideAdmission(
  lookup: Lookup,
  allowance: Allowance,
  options: Omit<AdmissionOptions, 'budget'>,
): { permitAtMs: number } | { refusal: CardServiceError } {
  const { pendingLookups, longestWaitMs } = options;
  const present = pendingLookups.get(lookup.cardId);
  if (present?.isRequested) return { permitAtMs: Date.now() };

  const blocked = blockedFor(lookup, options);
  if (blocked) return { refusal: blocked };
  const queued = pendingLookups.order.queuedBy(lookup.requester); // as good as spent
  const isBudgeted = lookup.lane !== 'watches' && isBooked(lookup, present);
  const refusal = isBudgeted ? budgetRefusal(allowance, queued) : undefined;
  if (refusal) return { refusal };
  if (lookup.lane !== 'members') return { permitAtMs: Date.now() };
  const postponedUntilMs = pendingLookups.postponedUntilMs(lookup.cardId);
  if (postponedUntilMs - Date.now() > longestWaitMs) {
    return { refusal: blockedError({ reason: 'outage', untilMs: postponedUntilMs }) };
  }
  const { position, lastPosition } = pendingLookups.order.positionOf(lookup, present);
  const atMs = options.permitAtMs(position);
  const lastMs = options.permitAtMs(lastPosition);
  const nowMs = Date.now(); // not before the view's: a permit that is free now means no wait
  if (lastMs - nowMs <= longestWaitMs) return { permitAtMs: atMs };
  return {
    refusal: new Busy({ untilMs: Math.max(atMs, lastMs - longestWaitMs), paused: options.limiter.view().paused }),
  };
}

/** What blocks all requests of the lane, unless the lookup joins one that is to be sent in any case. */
function blockedFor(
  { cardId, lane }: Lookup,
  { pendingLookups, limiter }: Pick<AdmissionOptions, 'pendingLookups' | 'limiter'>,
): CardServiceError | undefined {
  const present = pendingLookups.get(cardId);
  const blocked = present?.isRequested ? undefined : limiter.view().refusalFor(lane);
  return blocked && !(present && blocked.reason === 'reserve') ? blockedError(blocked) : undefined;
}

/** A lookup that joins one in the queue causes no request, unless it lifts that to its lane. */
function isBooked({ lane }: Lookup, present: PendingLookup | undefined): boolean {
  return present === undefined || LANES.indexOf(lane) < LANES.indexOf(present.lane);
}

/** Takes a place for a lookup that was admitted by a process that has ended, unless all requests are blocked. */
export function admitAgain(
  lookup: Lookup,
  options: Omit<AdmissionOptions, 'budget'>,
  wakeQueue: () => void,
): Admission {
  const { pendingLookups } = options;
  const refusal = pendingLookups.isClosed ? new Stopping() : blockedFor(lookup, options);
  if (refusal) return { refusal };
  const { position } = pendingLookups.order.positionOf(lookup, pendingLookups.get(lookup.cardId));
  return { reservation: reserve(pendingLookups, lookup, options.permitAtMs(position), wakeQueue) };
}

/**
 * Takes a place in the queue: it counts for fairness, waits and budgets like any other, but no request is sent for it
 * alone before it is started.
 */
function reserve(
  pendingLookups: PendingLookups,
  lookup: Lookup,
  promisedAtMs: number,
  wakeQueue: () => void,
): Reservation {
  const { promise, resolve, reject } = Promise.withResolvers<CardRecord>();
  promise.catch(() => {}); // it may be refused before it is started
  const waiter = pendingLookups.add({ lookup, resolve, reject }, promisedAtMs);
  return {
    progress: waiter.progress,
    start(onProgress) {
      waiter.onProgress = onProgress;
      pendingLookups.start(waiter);
      wakeQueue();
      return promise;
    },
    cancel() {
      pendingLookups.cancel(waiter);
      wakeQueue();
    },
  };
}
