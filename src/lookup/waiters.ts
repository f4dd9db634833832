import type { FairOrder } from './fair-order.ts';
import { compareRanks, NO_RANK, type Rank } from './fairness.ts';
import type { PendingLookup, Waiter } from './pending-lookup.ts';

/** Who waits for a flight, and what follows from that: its lane, its rank, its place, and who pays. */
export class Waiters {
  readonly #order: FairOrder;
  readonly #inLine: () => readonly PendingLookup[];

  /** @param inLine all that wait for a turn */
  constructor(order: FairOrder, inLine: () => readonly PendingLookup[]) {
    this.#order = order;
    this.#inLine = inLine;
  }

  board(pending: PendingLookup, waiting: Waiter, promisedAtMs: number): void {
    if (waiting.lookup.lane !== pending.lane) waiting.rank = NO_RANK;
    pending.waiting.push(waiting);
    if (pending.asking) {
      tellAsking(waiting);
      return;
    }

    const lifted = this.#takeLane(pending);
    pending.promisedAtMs = lifted ? promisedAtMs : Math.min(pending.promisedAtMs, promisedAtMs);
    const rank = bestRank(pending);
    if (!lifted && compareRanks(rank, pending.rank) >= 0) return;
    pending.rank = rank;
    pending.queuedAtMs = this.#order.nextQueuedAtMs(); // behind all that wait at that rank
  }

  /** @returns who left; a flight in line that is left by all keeps what it was */
  leave(pending: PendingLookup, leaves: (waiting: Waiter) => boolean): readonly Waiter[] {
    const left = pending.waiting.filter(leaves);
    if (left.length === 0) return left;
    pending.waiting = pending.waiting.filter((waiting) => !leaves(waiting));
    if (pending.asking || pending.waiting.length === 0) return left;

    this.#takeLane(pending);
    const [heir] = pending.waiting.filter(({ lookup }) => lookup.lane === pending.lane);
    if (heir && left.some(({ requester }) => requester === pending.payer)) pending.payer = heir.requester;
    pending.rank = bestRank(pending);
    return left;
  }

  /** Its turn was in vain. */
  rankAgain(pending: PendingLookup): void {
    this.#takeLane(pending);
    for (const waiting of pending.waiting) {
      if (waiting.rank !== NO_RANK) waiting.rank = this.#order.rankAgain(waiting, pending.lane, this.#inLine());
    }
    pending.rank = bestRank(pending);
  }

  /** The best lane among its askers, of whom the first pays; the others of that lane rank by it. @returns whether it is another */
  #takeLane(pending: PendingLookup): boolean {
    const first = pending.waiting.find(({ lookup }) => lookup.lane === 'members') ?? pending.waiting[0];
    if (first === undefined || first.lookup.lane === pending.lane) return false;
    const { lane } = first.lookup;
    const others = this.#inLine().filter((other) => other !== pending);
    for (const waiting of pending.waiting) {
      waiting.rank = waiting.lookup.lane === lane ? this.#order.rankFor(waiting.requester, lane, others) : NO_RANK;
    }
    Object.assign(pending, { lane, payer: first.requester });
    return true;
  }
}

/** A request leaves for it, or has left already. */
export function tellAsking(waiting: Waiter): void {
  waiting.requested = true;
  waiting.lookup.onRequest?.();
}

function bestRank({ waiting }: PendingLookup): Rank {
  return waiting.map(({ rank }) => rank).reduce((best, rank) => (compareRanks(rank, best) < 0 ? rank : best));
}
