import type { FairOrder } from './fair-order.ts';
import { compareRanks, NO_RANK, type Rank } from './fairness.ts';
import type { Flight, Waiting } from './flight.ts';

/** Who waits for a flight, and what follows from that: its lane, its rank, its place, and who pays. */
export class Boarding {
  readonly #order: FairOrder;
  readonly #inLine: () => readonly Flight[];

  /** @param inLine all that wait for a turn */
  constructor(order: FairOrder, inLine: () => readonly Flight[]) {
    this.#order = order;
    this.#inLine = inLine;
  }

  board(flight: Flight, waiting: Waiting, promisedAtMs: number): void {
    if (waiting.question.lane !== flight.lane) waiting.rank = NO_RANK;
    flight.waiting.push(waiting);
    if (flight.asking) {
      tellAsking(waiting);
      return;
    }

    const lifted = this.#takeLane(flight);
    flight.promisedAtMs = lifted ? promisedAtMs : Math.min(flight.promisedAtMs, promisedAtMs);
    const rank = bestRank(flight);
    if (!lifted && compareRanks(rank, flight.rank) >= 0) return;
    flight.rank = rank;
    flight.place = this.#order.newPlace(); // behind all that wait at that rank
  }

  /** @returns who left; a flight in line that is left by all keeps what it was */
  leave(flight: Flight, leaves: (waiting: Waiting) => boolean): readonly Waiting[] {
    const left = flight.waiting.filter(leaves);
    if (left.length === 0) return left;
    flight.waiting = flight.waiting.filter((waiting) => !leaves(waiting));
    if (flight.asking || flight.waiting.length === 0) return left;

    this.#takeLane(flight);
    const [heir] = flight.waiting.filter(({ question }) => question.lane === flight.lane);
    if (heir && left.some(({ asker }) => asker === flight.payer)) flight.payer = heir.asker;
    flight.rank = bestRank(flight);
    return left;
  }

  /** Its turn was in vain. */
  rankAgain(flight: Flight): void {
    this.#takeLane(flight);
    for (const waiting of flight.waiting) {
      if (waiting.rank !== NO_RANK) waiting.rank = this.#order.rankAgain(waiting, flight.lane, this.#inLine());
    }
    flight.rank = bestRank(flight);
  }

  /** The best lane among its askers, of whom the first pays; the others of that lane rank by it. @returns whether it is another */
  #takeLane(flight: Flight): boolean {
    const first = flight.waiting.find(({ question }) => question.lane === 'members') ?? flight.waiting[0];
    if (first === undefined || first.question.lane === flight.lane) return false;
    const { lane } = first.question;
    const others = this.#inLine().filter((other) => other !== flight);
    for (const waiting of flight.waiting) {
      waiting.rank = waiting.question.lane === lane ? this.#order.rankFor(waiting.asker, lane, others) : NO_RANK;
    }
    Object.assign(flight, { lane, payer: first.asker });
    return true;
  }
}

/** A request leaves for it, or has left already. */
export function tellAsking(waiting: Waiting): void {
  waiting.asked = true;
  waiting.question.onAsking?.();
}

function bestRank({ waiting }: Flight): Rank {
  return waiting.map(({ rank }) => rank).reduce((best, rank) => (compareRanks(rank, best) < 0 ? rank : best));
}
