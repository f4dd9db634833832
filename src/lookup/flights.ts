import { LRUCache } from 'lru-cache';
import { type Asker, guildKey } from '../asker.ts';
import type { Answer } from '../card.ts';
import type { CardServiceError } from '../errors.ts';
import type { Charged } from '../quota/budget.ts';
import { Boarding, tellAsking } from './boarding.ts';
import { FairOrder } from './fair-order.ts';
import type { Flight, Question, Waiting } from './flight.ts';
import type { LineSummary } from './peers.ts';

/** The flights of the waiting line, and who waits for each. Knows nothing of time and turns. */
export class Flights {
  readonly #flights = new Map<string, Flight>();
  readonly #order = new FairOrder();
  readonly #boarding = new Boarding(this.#order, () => this.waiting());
  /** Cards that the service wants to be asked for later, and when; also of flights that have landed. */
  readonly #rests = new LRUCache<string, number>({ max: MAX_RESTS });
  #launches = 0;

  /**
   * Boards the flight of the same card, or makes one; nothing is asked for it alone before the place is taken.
   *
   * @param promisedAtMs when its turn is to be expected, as things are
   */
  add(promise: Pick<Waiting, 'question' | 'resolve' | 'reject'>, promisedAtMs: number): Waiting {
    const { cardId, lane, asker } = promise.question;
    const rank = this.#order.rankFor(asker, lane, this.waiting());
    const waiting: Waiting = { ...promise, asker, rank, held: true, asked: false };
    const present = this.#flights.get(cardId);
    if (present) {
      this.#boarding.board(present, waiting, promisedAtMs);
      return waiting;
    }
    this.#flights.set(cardId, {
      cardId,
      waiting: [waiting],
      lane,
      rank: waiting.rank,
      place: this.#order.newPlace(),
      payer: asker,
      promisedAtMs,
      failures: 0,
      notBeforeMs: this.#rests.get(cardId) ?? 0,
      asking: false,
    });
    return waiting;
  }

  /** From now on it waits; it may have been asked for meanwhile, for others. */
  take(waiting: Waiting): void {
    waiting.held = false;
    if (waiting.asked) waiting.question.onAsking?.();
  }

  /** Nobody waits there any more; a flight that is left by all has landed. */
  giveBack(waiting: Waiting): void {
    const flight = this.#flights.get(waiting.question.cardId);
    if (flight) this.#dismiss(flight, (present) => present === waiting);
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
    return this.#dismiss(flight, ({ question }) => question.deadlineMs < atMs);
  }

  /** The card is not asked for before, whoever wants it. */
  rest(cardId: string, untilMs: number): void {
    this.#rests.set(cardId, untilMs);
  }

  /** Until when the service wants to be left alone about this card; 0 when it does not. */
  restsUntilMs(cardId: string): number {
    const untilMs = this.#rests.get(cardId) ?? 0;
    return untilMs > Date.now() + LONGEST_RETRY_MS ? 0 : untilMs;
  }

  /** The flight has its turn. */
  launch(flight: Flight, nowMs: number): void {
    this.#order.launched(flight, this.#ready(nowMs), nowMs);
    flight.asking = true;
    this.#launches += 1;
    for (const waiting of flight.waiting) tellAsking(waiting);
  }

  /** Flights that have had their turn so far. */
  get launches(): number {
    return this.#launches;
  }

  /** Its turn was in vain, and it is in line again: not before newcomers with all else that was under way. */
  comeBack(flight: Flight): void {
    if (flight.waiting.length === 0) {
      this.#land(flight);
      return;
    }
    this.#boarding.rankAgain(flight);
    flight.asking = false;
  }

  /** All that wait for a turn, in no order. */
  waiting(): Flight[] {
    return [...this.#flights.values()].filter(({ asking }) => !asking);
  }

  /** Whose turn is next, among those that may be asked now. */
  next(nowMs: number): Flight | undefined {
    return this.#order.next(this.#ready(nowMs), nowMs);
  }

  /** When the first of those that wait after a failure may be asked again. */
  nextRetryMs(nowMs: number): number | undefined {
    const laterMs = this.waiting().flatMap(({ notBeforeMs }) => (notBeforeMs > nowMs ? [notBeforeMs] : []));
    return laterMs.length > 0 ? Math.min(...laterMs) : undefined;
  }

  positionOf(question: Pick<Question, 'cardId' | 'lane' | 'asker'>) {
    return this.#order.positionOf(question, this.#flights.get(question.cardId), this.waiting());
  }

  positions() {
    return this.#order.positions(this.waiting());
  }

  /** What waits in the other processes. */
  hear(others: readonly LineSummary[]): void {
    this.#order.others.hear(others);
  }

  /** What the other processes have to know of this line. */
  summary(nowMs: number): LineSummary {
    return this.#order.summary(this.#due(nowMs));
  }

  /** Whether nobody in another process goes before this flight, which is the next here. */
  isNextOfAll(flight: Flight, nowMs: number): boolean {
    return this.#order.isNextOfAll(flight, nowMs);
  }

  /** Requests that will be booked on the asker, and on their Discord server, when the turns come. */
  queuedBy(asker: Asker): Charged {
    const payers = [...this.waiting(), ...this.#order.others.waiting].map(({ payer }) => payer);
    return {
      member: payers.filter(({ memberId }) => memberId === asker.memberId).length,
      guild: payers.filter((payer) => guildKey(payer) === guildKey(asker)).length,
    };
  }

  /** A later flight of the same card stays. */
  #land(flight: Flight): void {
    if (this.#flights.get(flight.cardId) === flight) this.#flights.delete(flight.cardId);
  }

  #dismiss(flight: Flight, leaves: (waiting: Waiting) => boolean): readonly Waiting[] {
    const left = this.#boarding.leave(flight, leaves);
    if (left.length > 0 && flight.waiting.length === 0 && !flight.asking) this.#land(flight);
    return left;
  }

  #ready(nowMs: number): Flight[] {
    return this.#due(nowMs).filter(({ waiting }) => waiting.some(({ held }) => !held));
  }

  #due(nowMs: number): Flight[] {
    return this.waiting().filter(({ notBeforeMs }) => notBeforeMs <= nowMs || notBeforeMs > nowMs + LONGEST_RETRY_MS);
  }
}

const MAX_RESTS = 1_000;
/** No retry waits so long; one that seems to was noted by a clock that has been set back. */
const LONGEST_RETRY_MS = 60_000;
