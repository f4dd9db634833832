import type { Answer } from '../card.ts';
import { type CardServiceError, Stopping } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { Budget, Charged } from '../quota/budget.ts';
import type { Ledger } from '../quota/ledger.ts';
import type { Pacer } from '../quota/pacer.ts';
import type { CardLease } from './card-lease.ts';
import type { CardLookup } from './card-lookup.ts';
import type { Question } from './flight.ts';
import { Flights } from './flights.ts';
import { forecast } from './forecast.ts';
import type { Peers } from './peers.ts';
import { Place } from './place.ts';
import { Turns } from './turns.ts';

export interface WaitingLineOptions {
  lookup: CardLookup;
  pacer: Pacer;
  ledger: Ledger;
  budget: Budget;
  peers: Peers;
  lease: CardLease;
  log: Logger;
  /** A question whose turn is further away is refused at once. */
  longestWaitMs: number;
}

/** A place that is held, or why nobody should wait for one. */
export type Admission = { place: Place } | { refusal: CardServiceError };

/**
 * Questions wait here for a turn. However many ask for the same card, in however many processes, it is asked for once
 * (single-flight); every attempt takes a new turn, in fair order; when nobody may ask for long, all are answered at
 * once.
 */
export class WaitingLine {
  readonly #parts: WaitingLineOptions;
  readonly #flights = new Flights();
  readonly #turns: Turns;

  constructor(parts: WaitingLineOptions) {
    this.#parts = parts;
    this.#turns = new Turns({ ...parts, flights: this.#flights });
  }

  /**
   * A place in line, if the turn comes in time and the asker's budget allows the request; it is to be taken or given
   * back. Of those who ask at once, each counts the others. Costs no request and never rejects.
   */
  async admit(question: Question): Promise<Admission> {
    const { budget } = this.#parts;
    const flights = this.#flights;
    await this.#turns.hearOthers(); // a rank counts what waits there, too
    let spent: Charged;
    let launches: number;
    do {
      launches = flights.launches;
      spent = await budget.spentBy(question.asker);
    } while (launches !== flights.launches); // what leaves the line meanwhile would count neither here nor there
    // Nothing is awaited from here on, so that the place is had before the next is decided upon.
    if (this.#turns.isClosing) return { refusal: new Stopping() };
    const decided = forecast(question, spent, { ...this.#parts, flights });
    return 'refusal' in decided ? decided : { place: this.#hold(question, decided.turnAtMs) };
  }

  /**
   * Waits for a turn and asks, without admission: for who was admitted by a process that is no more. Costs one request,
   * or none when somebody asks for the same card already.
   *
   * @throws QuotaSpent, Busy, KeptInReserve, KeyRefused, ServiceDown, UnexpectedAnswer, Stopping
   */
  async join(question: Question): Promise<Answer> {
    await this.#turns.hearOthers();
    if (this.#turns.isClosing) throw new Stopping();
    const { position } = this.#flights.positionOf(question);
    return this.#hold(question, this.#parts.pacer.outlook().turnAtMs(position)).take();
  }

  /** Questions that wait for a turn now. */
  get waitingCount(): number {
    return this.#flights.waiting().length;
  }

  /** Tells all who still wait, gives the requests under way `graceMs` to be answered, and sends nothing more. */
  close(graceMs: number): Promise<void> {
    return this.#turns.close(graceMs);
  }

  #hold(question: Question, promisedAtMs: number): Place {
    return new Place(this.#flights, question, promisedAtMs, () => void this.#turns.work());
  }
}
