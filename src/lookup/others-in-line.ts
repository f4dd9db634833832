import type { Lane } from '../quota/pacer.ts';
import { type Line, later, type Rank } from './fairness.ts';
import { compareFlights, type FlightPlace } from './flight.ts';
import type { LineSummary } from './peers.ts';

/** What waits in the lines of other processes, as they last told. */
export class OthersInLine {
  #lines: readonly LineSummary[] = [];
  #waiting: LineSummary['waiting'] = [];

  hear(lines: readonly LineSummary[]): void {
    this.#lines = lines;
    this.#waiting = lines.flatMap(({ waiting }) => waiting);
  }

  get waiting(): LineSummary['waiting'] {
    return this.#waiting;
  }

  /** Who waits there for which card; of each, only the best rank of the card is known. */
  line(lane: Lane): Line {
    const inLane = this.#waiting.filter((other) => other.lane === lane);
    return inLane.map(({ askers, rank }) => askers.map((asker) => ({ asker, rank })));
  }

  /** How many go before. */
  before(place: FlightPlace): number {
    return this.#waiting.filter((other) => compareFlights(other, place) < 0).length;
  }

  /** The rank that was served last, here or there. */
  served(own: Record<Lane, Rank>, lane: Lane): Rank {
    return [own, ...this.#lines.map(({ served }) => served)].map((ranks) => ranks[lane]).reduce(later);
  }
}
