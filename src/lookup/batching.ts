import type { Schedule } from '../quota/limiter.ts';
import type { BatchLimits } from '../service/listing.ts';
import type { PendingLookup } from './pending-lookup.ts';

/** What goes out as one request, best first. */
export interface Batch {
  pending: readonly PendingLookup[];
  /** Nothing that comes later would get into it. */
  isFull: boolean;
}

/**
 * Takes one pending lookup after the other, in their order, until one does not fit. What can only be requested by itself
 * is passed over, unless it is the first.
 *
 * @param next the best of those given, behind the others
 */
export function fillBatch(
  ready: readonly PendingLookup[],
  next: (left: readonly PendingLookup[], before: readonly PendingLookup[]) => PendingLookup | undefined,
  { most, room, lengthOf }: BatchLimits,
): Batch {
  const first = next(ready, []);
  if (!first) return { pending: [], isFull: false };
  const mayShare = ({ cardId, mostTogether }: PendingLookup) =>
    Math.min(most, mostTogether) > 1 && lengthOf(cardId) <= room;
  const fits = (together: readonly PendingLookup[]) =>
    together.every(({ mostTogether }) => together.length <= Math.min(most, mostTogether)) &&
    together.reduce((sum, { cardId }) => sum + lengthOf(cardId), 0) <= room;

  const pending = [first];
  let left = mayShare(first) ? ready.filter((other) => other !== first && mayShare(other)) : [];
  let following = next(left, pending);
  while (following && fits([...pending, following])) {
    pending.push(following);
    left = left.filter((other) => other !== following);
    following = next(left, pending);
  }
  const isAlone = !mayShare(first);
  return {
    pending,
    isFull: isAlone || following !== undefined || pending.length === Math.min(most, first.mostTogether),
  };
}

/** When cards are requested, so many with each permit, of a schedule that says when permits come. */
export function byCard(schedule: Schedule, most: number): Schedule {
  return { ...schedule, permitAtMs: (position) => schedule.permitAtMs(Math.ceil(position / most)) };
}

/** No lookup waits longer for others to share a request with. */
const LONGEST_HOLD_MS = 250;

/**
 * When a batch leaves, if there is a permit: at once if it is full or no request is under way, otherwise when one returns,
 * or after 250 ms.
 *
 * @param heldSinceMs when the first lookup in it began to wait for others
 * @param hasReturned whether a request has ended since then
 */
export function leavesAtMs(
  { isFull }: Pick<Batch, 'isFull'>,
  { underWay, hasReturned, heldSinceMs }: { underWay: number; hasReturned: boolean; heldSinceMs: number },
): number {
  return isFull || underWay === 0 || hasReturned ? heldSinceMs : heldSinceMs + LONGEST_HOLD_MS;
}

/** The batch that leaves next, as long as it waits for others to share a request with. */
export class NextBatch {
  #held: { heldSinceMs: number; hasReturned: boolean } | undefined;
  #requestsUnderWay = 0;

  /** @param leaving batches that have no permit yet, and may get one before this */
  leavesAtMs(batch: Batch, leaving: number, nowMs: number): number {
    this.#held ??= { heldSinceMs: nowMs, hasReturned: false };
    this.#held.heldSinceMs = Math.min(this.#held.heldSinceMs, nowMs); // the clock may have been set back
    return leavesAtMs(batch, { ...this.#held, underWay: this.#requestsUnderWay + leaving });
  }

  /** Nothing waits. */
  isEmpty(): void {
    this.#held = undefined;
  }

  hasLeft(): void {
    this.#held = undefined;
    this.#requestsUnderWay += 1;
  }

  requestReturned(): void {
    this.#requestsUnderWay -= 1;
    if (this.#held) this.#held.hasReturned = true;
  }
}
