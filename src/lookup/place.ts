import type { Answer } from '../card.ts';
import type { Question, Waiting } from './flight.ts';
import type { Flights } from './flights.ts';

/**
 * A place in the waiting line, held from the moment it was granted: it counts for fairness, waits and budgets like any
 * other, but nothing is asked for it alone before it is taken. It ends by itself when the card is answered or refused.
 */
export class Place {
  readonly #flights: Flights;
  readonly #waiting: Waiting;
  readonly #answer: Promise<Answer>;
  readonly #wake: () => void;

  /** @param wake told when the place is taken, since a turn may be due, or given back, since other processes count it */
  constructor(flights: Flights, question: Question, promisedAtMs: number, wake: () => void) {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    promise.catch(() => {}); // refused, maybe, before anybody takes the place
    this.#flights = flights;
    this.#waiting = flights.add({ question: { ...question }, resolve, reject }, promisedAtMs);
    this.#answer = promise;
    this.#wake = wake;
  }

  /**
   * Waits for the turn; costs one request, or none when somebody asks for the same card already.
   *
   * @throws QuotaSpent, Busy, KeptInReserve, KeyRefused, ServiceDown, UnexpectedAnswer, Stopping
   */
  take(told: Pick<Question, 'onTurn' | 'onAsking'> = {}): Promise<Answer> {
    Object.assign(this.#waiting.question, told);
    this.#flights.take(this.#waiting);
    this.#wake();
    return this.#answer;
  }

  /** Nobody waits after all. Without effect once the place is taken. */
  giveBack(): void {
    if (!this.#waiting.held) return;
    this.#flights.giveBack(this.#waiting);
    this.#wake();
  }
}
