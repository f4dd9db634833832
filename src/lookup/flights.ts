import { type Asker, guildKey } from '../asker.ts';
import type { Answer } from '../card.ts';
import type { CardServiceError } from '../errors.ts';
import type { Lane } from '../quota/pacer.ts';
import { afterServing, type Backlog, compareRanks, FIRST_RANK, type Rank, rankFor } from './fairness.ts';
import { compareFlights, type Flight, type FlightPlace, type Question, type Waiting } from './flight.ts';
import { OthersInLine } from './others-in-line.ts';
import type { LineSummary } from './peers.ts';

/** The flights of the waiting line in their order, and who waits for each. Knows nothing of time and turns. */
export class Flights {
  readonly #flights = new Map<string, Flight>();
  readonly #served: Record<Lane, Rank> = { members: FIRST_RANK, background: FIRST_RANK };
  readonly #others = new OthersInLine();
  #lastPlace = 0;
  /** Whether the last turn went to an overdue flight, past the fair order. */
  #overdueLast = false;

  /**
   * Boards the flight of the same card, or makes one.
   *
   * @param promisedAtMs when its turn is to be expected, as things are
   */
  add(waiting: Waiting, promisedAtMs: number): void {
    const { cardId, lane, asker } = waiting.question;
    const present = this.#flights.get(cardId);
    if (present) {
      this.#board(present, waiting);
      return;
    }
    const rank = this.#rankFor(asker, lane);
    const place = this.#newPlace();
    this.#lastPlace = place;
    const flight = {
      cardId,
      waiting: [waiting],
      lane,
      rank,
      place,
      payer: asker,
      promisedAtMs,
      failures: 0,
      notBeforeMs: 0,
      asking: false,
    };
    this.#flights.set(cardId, flight);
  }

  get(cardId: string): Flight | undefined {
    return this.#flights.get(cardId);
  }

  /** All who wait get this answer; the flight has landed. */
  answer(flight: Flight, answer: Answer): void {
    this.#land(flight);
    for (const { resolve } of flight.waiting) resolve(answer);
  }

  /** All who wait are told why not; the flight has landed. */
  refuse(flight: Flight, error: CardServiceError): void {
    this.#land(flight);
    for (const { reject } of flight.waiting) reject(error);
  }

  /** Takes off who cannot wait until `atMs`; a flight that is left by all has landed. */
  putOff(flight: Flight, atMs: number): readonly Waiting[] {
    const late = flight.waiting.filter(({ question }) => question.deadlineMs < atMs);
    if (late.length === 0) return late;
    flight.waiting = flight.waiting.filter(({ question }) => question.deadlineMs >= atMs);
    const [heir] = flight.waiting.filter(({ question }) => question.lane === flight.lane);
    const payerLeft = late.some(({ question }) => question.asker === flight.payer);
    if (payerLeft && heir) flight.payer = heir.question.asker;
    if (flight.waiting.length === 0) this.#land(flight);
    return late;
  }

  /** The flight has its turn. */
  launch(flight: Flight, nowMs: number): void {
    flight.asking = true;
    this.#overdueLast = !this.#overdueLast && isOverdue(flight, nowMs);
    this.#served[flight.lane] = afterServing(this.#served[flight.lane], flight.rank);
  }

  /** All that wait for a turn, in no order. */
  waiting(): Flight[] {
    return [...this.#flights.values()].filter(({ asking }) => !asking);
  }

  /**
   * Whose turn is next, among those that may be asked now: by the fair order, but every second turn goes to the oldest
   * that is overdue. Without that, newcomers who never end would overtake a member's second question for ever.
   */
  next(nowMs: number): Flight | undefined {
    const ready = this.#ready(nowMs);
    const overdue = this.#overdueLast ? [] : ready.filter((flight) => isOverdue(flight, nowMs));
    return first(overdue, (a, b) => a.place - b.place) ?? first(ready, compareFlights);
  }

  /** When the first of those that wait after a failure may be asked again. */
  nextRetryMs(nowMs: number): number | undefined {
    const laterMs = this.waiting().flatMap(({ notBeforeMs }) => (notBeforeMs > nowMs ? [notBeforeMs] : []));
    return laterMs.length > 0 ? Math.min(...laterMs) : undefined;
  }

  /** Which turn from now a question would get that came now; 1 is the next. */
  positionOf({ cardId, lane, asker }: Pick<Question, 'cardId' | 'lane' | 'asker'>): number {
    const present = this.#flights.get(cardId);
    const own: FlightPlace = { lane, rank: this.#rankFor(asker, lane), place: this.#newPlace() };
    const place = present && compareFlights(present, own) < 0 ? present : own;
    const before = this.waiting().filter((flight) => flight !== present && compareFlights(flight, place) < 0);
    return 1 + before.length + this.#others.before(place);
  }

  /** All that wait, each with the turn from now that it will get. */
  positions(): { flight: Flight; position: number }[] {
    const inOrder = this.waiting().sort(compareFlights);
    return inOrder.map((flight, index) => ({ flight, position: 1 + index + this.#others.before(flight) }));
  }

  /** What waits in the other processes. */
  hear(others: readonly LineSummary[]): void {
    this.#others.hear(others);
  }

  /** What the other processes have to know of this line. */
  summary(nowMs: number): LineSummary {
    const ready = this.#ready(nowMs);
    if (ready.length > MAX_TOLD) ready.sort(compareFlights);
    const waiting = ready.slice(0, MAX_TOLD).map(({ lane, rank, place, payer: { memberId, guildId } }) => {
      return { lane, rank, place, payer: { memberId, guildId } };
    });
    return { waiting, served: this.#served };
  }

  /** Whether nobody in another process goes before this flight, which is the next here. */
  isNextOfAll(flight: Flight, nowMs: number): boolean {
    return isOverdue(flight, nowMs) || this.#others.before(flight) === 0;
  }

  /** Requests that will be booked on the asker, and on their Discord server, when the turns come. */
  queuedBy(asker: Asker, lane?: Lane): Backlog {
    const everywhere = [...this.waiting(), ...this.#others.waiting];
    const payers = everywhere.flatMap((flight) => (lane === undefined || flight.lane === lane ? [flight.payer] : []));
    return {
      member: payers.filter(({ memberId }) => memberId === asker.memberId).length,
      guild: payers.filter((payer) => guildKey(payer) === guildKey(asker)).length,
    };
  }

  /** A later flight of the same card stays. */
  #land(flight: Flight): void {
    if (this.#flights.get(flight.cardId) === flight) this.#flights.delete(flight.cardId);
  }

  #rankFor(asker: Asker, lane: Lane): Rank {
    return rankFor(this.#others.served(this.#served, lane), this.queuedBy(asker, lane));
  }

  #ready(nowMs: number): Flight[] {
    return this.waiting().filter(({ notBeforeMs }) => notBeforeMs <= nowMs || notBeforeMs > nowMs + LONGEST_RETRY_MS);
  }

  /** By the clock, so that the lines of several processes compare; of two in one millisecond the first is lower. */
  #newPlace(): number {
    return Math.max(this.#lastPlace + 0.001, Date.now());
  }

  #board(flight: Flight, waiting: Waiting): void {
    const { lane, asker, onAsking } = waiting.question;
    flight.waiting.push(waiting);
    if (flight.asking) {
      onAsking?.();
    } else if (lane === flight.lane) {
      const rank = this.#rankFor(asker, lane);
      if (compareRanks(rank, flight.rank) < 0) flight.rank = rank;
    } else if (lane === 'members') {
      Object.assign(flight, { lane, rank: this.#rankFor(asker, lane), payer: asker });
    }
  }
}

/** What waits beyond has no say in whose turn is next. */
const MAX_TOLD = 300;

/** Whoever comes later shifts what was promised a little; a minute is more than that. */
const OVERDUE_MS = 60_000;
/** No retry waits so long; one that seems to was noted by a clock that has been set back. */
const LONGEST_RETRY_MS = 60_000;

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
