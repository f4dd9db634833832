import { type Asker, askerOf } from '../asker.ts';
import type { Lane } from '../quota/pacer.ts';
import { FIRST_RANK, type Line, later, type Rank, rankAgain, rankFor, type Standing } from './fairness.ts';
import { compareFlights, type Flight, type FlightPlace, type Question } from './flight.ts';
import { OthersInLine } from './others-in-line.ts';
import type { LineSummary } from './peers.ts';

/** Whose turn is next among what waits here, in fairness to what waits in other processes. */
export class FairOrder {
  readonly others = new OthersInLine();
  readonly #served: Record<Lane, Rank> = { members: FIRST_RANK, background: FIRST_RANK };
  /** Whether the last turn went to an overdue flight, past the fair order. */
  #overdueLast = false;
  #lastPlace = 0;

  /** The rank of a question that came now. */
  rankFor(asker: Asker, lane: Lane, waiting: readonly Flight[]): Rank {
    return rankFor(asker, this.others.served(this.#served, lane), this.#line(lane, waiting));
  }

  /** The rank of one whose turn was in vain. */
  rankAgain(standing: Standing, lane: Lane, waiting: readonly Flight[]): Rank {
    return rankAgain(standing, this.others.served(this.#served, lane), this.#line(lane, waiting));
  }

  /** By the clock, so that the lines of several processes compare; of two in one millisecond the first is lower. */
  newPlace(): number {
    this.#lastPlace = Math.max(this.#lastPlace + 0.001, Date.now());
    return this.#lastPlace;
  }

  /**
   * Which turn from now a question would get that came now; 1 is the next.
   *
   * @returns `lastPosition`: the turn that it must be able to wait for, so that nobody who was promised one is put off:
   * behind all first questions if it is its asker's first, and else behind everything
   */
  positionOf(
    { lane, asker }: Pick<Question, 'lane' | 'asker'>,
    present: Flight | undefined,
    waiting: readonly Flight[],
  ) {
    const rank = this.rankFor(asker, lane, waiting);
    const own: FlightPlace = { lane, rank, place: this.newPlace() };
    const place = present && compareFlights(present, own) < 0 ? present : own;
    const all: FlightPlace[] = [...waiting.filter((flight) => flight !== present), ...this.others.waiting];
    const position = 1 + all.filter((flight) => compareFlights(flight, place) < 0).length;
    if (present?.lane === lane) return { position, lastPosition: position };

    const isFirst = rank.member === this.others.served(this.#served, lane).member;
    const promised = all.filter((other) => other.lane === lane && (!isFirst || other.rank.member <= rank.member));
    return { position, lastPosition: Math.max(position, 1 + promised.length) };
  }

  /** All that wait, each with the turn from now that it will get. */
  positions(waiting: readonly Flight[]): { flight: Flight; position: number }[] {
    const inOrder = waiting.toSorted(compareFlights);
    return inOrder.map((flight, index) => ({ flight, position: 1 + index + this.others.before(flight) }));
  }

  /**
   * By the fair order, but every second turn goes to the one that is overdue for longest. Without that, newcomers who
   * never end would overtake a member's second question for ever.
   */
  next(ready: readonly Flight[], nowMs: number): Flight | undefined {
    const overdue = this.#overdueLast ? [] : ready.filter((flight) => isOverdue(flight, nowMs));
    return (
      first(overdue, (a, b) => a.promisedAtMs - b.promisedAtMs || a.place - b.place) ?? first(ready, compareFlights)
    );
  }

  /** One of these had its turn. The order goes on from where it is, and not from what was overdue. */
  launched(flight: Flight, ready: readonly Flight[], nowMs: number): void {
    this.#overdueLast = !this.#overdueLast && isOverdue(flight, nowMs);
    const { lane } = flight;
    const inOrder = first([flight, ...ready.filter((other) => other.lane === lane)], compareFlights) ?? flight;
    this.#served[lane] = later(this.#served[lane], inOrder.rank);
  }

  /** Whether nobody in another process goes before this flight, which is the next here. */
  isNextOfAll(flight: Flight, nowMs: number): boolean {
    return isOverdue(flight, nowMs) || this.others.before(flight) === 0;
  }

  /** What the other processes have to know of this line. */
  summary(ready: Flight[]): LineSummary {
    if (ready.length > MAX_TOLD) ready.sort(compareFlights);
    const told = ready.slice(0, MAX_TOLD).map(({ lane, rank, place, payer, waiting }) => {
      const askers = waiting.slice(0, MAX_ASKERS_TOLD).map(({ asker }) => askerOf(asker));
      return { lane, rank, place, payer: askerOf(payer), askers };
    });
    return { waiting: told, served: this.#served };
  }

  *#line(lane: Lane, waiting: readonly Flight[]): Line {
    for (const flight of waiting) if (flight.lane === lane) yield flight.waiting;
    yield* this.others.line(lane);
  }
}

/** What waits beyond has no say in whose turn is next; nor has who waits for one card with so many others. */
const MAX_TOLD = 300;
const MAX_ASKERS_TOLD = 10;

/** A promise that moves by no more than this is not even corrected (turn-notice.ts). */
const OVERDUE_MS = 15_000;

/** The background was promised nothing. */
function isOverdue({ lane, promisedAtMs }: Flight, nowMs: number): boolean {
  return lane === 'members' && promisedAtMs + OVERDUE_MS < nowMs;
}

function first(flights: readonly Flight[], compare: (a: Flight, b: Flight) => number): Flight | undefined {
  return flights.reduce<Flight | undefined>(
    (best, flight) => (best === undefined || compare(flight, best) < 0 ? flight : best),
    undefined,
  );
}
