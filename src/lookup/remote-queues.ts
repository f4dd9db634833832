import type { Lane } from '../quota/limiter.ts';
import type { QueueSummary } from './fair-order.ts';
import { type Line, later, type Rank } from './fairness.ts';
import { comparePlaces, type QueuePlace } from './pending-lookup.ts';

/** What waits in the lines of other processes, as they last told. */
export class RemoteQueues {
  #lines: readonly QueueSummary[] = [];
  #waiting: QueueSummary['waiting'] = [];

  hear(lines: readonly QueueSummary[]): void {
    this.#lines = lines;
    this.#waiting = lines.flatMap(({ waiting }) => waiting);
  }

  get waiting(): QueueSummary['waiting'] {
    return this.#waiting;
  }

  /** Who waits there for which card; of each, only the best rank of the card is known. */
  line(lane: Lane): Line {
    const inLane = this.#waiting.filter((other) => other.lane === lane);
    return inLane.map(({ requesters, rank }) => requesters.map((requester) => ({ requester, rank })));
  }

  /** How many go before. */
  before(queuedAtMs: QueuePlace): number {
    return this.#waiting.filter((other) => comparePlaces(other, queuedAtMs) < 0).length;
  }

  /** The rank that was served last, here or there. */
  served(own: Record<Lane, Rank>, lane: Lane): Rank {
    return [own, ...this.#lines.map(({ served }) => served)].map((ranks) => ranks[lane]).reduce(later);
  }
}
