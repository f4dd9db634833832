import type { Lane, Permit } from '../limiter/decision.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { Claimed, Claims } from '../model/claims.ts';
import type { CardService } from '../service/card-service.ts';
import { type BatchLimits, ONE_BY_ONE } from '../service/listing.ts';
import type { OtherQueues } from './fair-order.ts';
import type { PendingLookup } from './pending-lookup.ts';

/** What goes out as one request, best first. */
export interface Batch<T = PendingLookup> {
  pending: readonly T[];
  /** Nothing that comes later would get into it. */
  isFull: boolean;
}

/**
 * Takes one card after the other, in their order, until one does not fit. What can only be requested by itself is
 * passed over, unless it is the first.
 *
 * @param inOrder the cards, without those that are left out when it is their turn
 * @param mostWith how many cards a request may carry that asks for this one
 */
export function fillBatch<T extends { cardId: string }>(
  inOrder: (isLeftOut: (next: T) => boolean) => Iterable<T>,
  { most, room, lengthOf }: BatchLimits,
  mostWith: (cardId: string) => number,
): Batch<T> {
  const pending: T[] = [];
  let [atMost, left] = [most, room];
  const isAlone = ({ cardId }: T) => most <= 1 || mostWith(cardId) <= 1 || lengthOf(cardId) > room;
  for (const next of inOrder((following) => pending.length > 0 && isAlone(following))) {
    if (pending.length === 0 && isAlone(next)) return { pending: [next], isFull: true };
    atMost = Math.min(atMost, mostWith(next.cardId));
    left -= lengthOf(next.cardId);
    if (pending.length >= atMost || left < 0) return { pending, isFull: true };
    pending.push(next);
    if (pending.length === Math.min(most, mostWith(pending[0]?.cardId ?? ''))) return { pending, isFull: true };
  }
  return { pending, isFull: false };
}

const TURN = 'list';
/** No lookup waits longer for others to share a request with. */
const LONGEST_HOLD_MS = 250;

export interface BatchingOptions {
  service: Pick<CardService, 'limits'>;
  limiter: Pick<Limiter, 'view'>;
  otherQueues: Pick<OtherQueues, 'lengths'>;
  claims: Pick<Claims, 'claim' | 'release'>;
}

/** How many cards go together, and how long they wait for each other. */
export class Batching {
  readonly #options: BatchingOptions;
  #requestsUnderWay = 0;
  /** How long the batch that leaves next waits for others; `undefined` while there is none. */
  #heldUntilMs: number | undefined;

  constructor(options: BatchingOptions) {
    this.#options = options;
  }

  /**
   * A list may count as one request for each of its cards, so each process keeps to its part of what remains of the
   * day.
   */
  limits(nowMs: number): BatchLimits {
    const { service, limiter, otherQueues } = this.#options;
    if (!service.limits) return ONE_BY_ONE;
    const remaining = limiter.view().quota?.remaining;
    const processes = 1 + otherQueues.lengths().length;
    return service.limits(nowMs, remaining && Math.floor(remaining / processes));
  }

  /** When the n-th card that waits is expected to be requested, so many with each permit. */
  permitAtMs(position: number, lane: Lane = 'members'): number {
    const { most } = this.limits(Date.now());
    return this.#options.limiter.view().forecast(lane, Math.ceil(position / most));
  }

  /**
   * When this batch leaves, if there is a permit: at once if it is full or no request is under way, otherwise when one
   * returns, or after 250 ms; not before one returns where one card is to tell what is wrong. Never without a lookup
   * that may be requested.
   */
  leavesAtMs({ pending, isFull }: Batch, nowMs: number): number {
    if (pending.length === 0) {
      this.nothingWaits();
      return Number.POSITIVE_INFINITY;
    }
    // The lower of the two, should the clock have been set back.
    this.#heldUntilMs = Math.min(this.#heldUntilMs ?? Number.POSITIVE_INFINITY, nowMs + LONGEST_HOLD_MS);
    if (this.#requestsUnderWay === 0) return nowMs;
    if (this.limits(nowMs).isProbing) return Number.POSITIVE_INFINITY; // the request that ends wakes the queue
    return isFull ? nowMs : this.#heldUntilMs;
  }

  nothingWaits(): void {
    this.#heldUntilMs = undefined;
  }

  /**
   * The turn of a list, to be claimed before its permit is acquired, and given back without one; `undefined` where
   * lists have no rate of their own.
   */
  async turn(): Promise<Claimed | undefined> {
    const { everyMs: ttlMs } = this.limits(Date.now());
    return ttlMs === undefined ? undefined : this.#options.claims.claim(TURN, { ttlMs, endsWithOwner: false });
  }

  giveBack(turn: Claimed | undefined): void {
    if (turn !== undefined) void this.#options.claims.release(TURN);
  }

  /**
   * A batch of so many cards has got its permit, so a request leaves now.
   *
   * @returns how many cards may leave: by now, other lists may have left; and a probe is to tell how the service is,
   * not
   *   its listings
   */
  beginRequest(permit: Permit, cards: number): number {
    this.#heldUntilMs = undefined;
    this.#requestsUnderWay += 1;
    return permit.probe || cards === 1 ? 1 : Math.min(cards, this.limits(Date.now()).most);
  }

  endRequest(): void {
    this.#requestsUnderWay -= 1;
    if (this.#heldUntilMs !== undefined) this.#heldUntilMs = 0;
  }
}
