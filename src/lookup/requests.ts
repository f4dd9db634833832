import { Episode } from '../episode.ts';
import { type CardServiceError, RateLimited, ServiceDown, Stopping } from '../errors.ts';
import type { Logger } from '../log.ts';
import { backoffMs } from '../quota/backoff.ts';
import type { Booking, Ledger } from '../quota/ledger.ts';
import type { Pacer, Turn } from '../quota/pacer.ts';
import type { CardLease } from './card-lease.ts';
import type { CardLookup } from './card-lookup.ts';
import type { Flight } from './flight.ts';
import type { Flights } from './flights.ts';
import { asCardServiceError, closedError, isCounted, severity } from './refusals.ts';

/** Attempts at one question that failed other than by a 429. */
const MAX_FAILURES = 3;

export interface RequestsOptions {
  flights: Flights;
  lookup: CardLookup;
  pacer: Pacer;
  ledger: Ledger;
  lease: CardLease;
  log: Logger;
  /** Told after every request, whatever became of it. */
  ended: () => void;
}

/** The requests under way: each is booked on who pays for it, and ends in answers, in words, or back in the line. */
export class Requests {
  readonly #parts: RequestsOptions;
  readonly #underWay = new Set<Promise<void>>();
  readonly #abort = new AbortController();
  readonly #outage: Episode;
  #closing = false;

  constructor(parts: RequestsOptions) {
    this.#parts = parts;
    this.#outage = new Episode(parts.log, {
      level: 'warn',
      begins: 'the card service fails',
      ends: 'the card service answers again',
    });
  }

  /** The flight has its turn and its lease; both are given back here. */
  launch(flight: Flight, turn: Turn): void {
    const { flights, ledger, lease, ended } = this.#parts;
    flights.launch(flight, Date.now());
    const booking = ledger.spent(flight.payer);
    const request = this.#ask(flight, turn, booking)
      .then(() => lease.release(flight.cardId))
      .then(() => {
        this.#underWay.delete(request);
        ended();
      });
    this.#underWay.add(request);
  }

  /** Gives them `graceMs` to be answered, and asks for none again. */
  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    const timer = setTimeout(() => this.#abort.abort(new Stopping()), graceMs);
    await Promise.allSettled(this.#underWay);
    clearTimeout(timer);
  }

  async #ask(flight: Flight, turn: Turn, booking: Booking): Promise<void> {
    const { flights, lookup, ledger } = this.#parts;
    try {
      const answer = await lookup.ask(flight.cardId, turn, this.#abort.signal);
      this.#outage.succeeded();
      for (const { question } of flight.waiting) {
        if (question.asker !== flight.payer) ledger.saved(question.asker);
      }
      flights.answer(flight, answer);
    } catch (error) {
      this.#failed(flight, booking, error);
    }
  }

  #failed(flight: Flight, booking: Booking, error: unknown): void {
    const { flights, ledger } = this.#parts;
    flights.comeBack(flight);
    this.#log(flight.cardId, error);
    if (!isCounted(error)) ledger.refused(booking);
    if (error instanceof RateLimited && !this.#closing) return; // the next turn is its own again
    const restMs = error instanceof ServiceDown ? (error.retryAfterMs ?? 0) : 0;
    if (restMs > 0) flights.rest(flight.cardId, Date.now() + restMs);
    const again = error instanceof ServiceDown && ++flight.failures < MAX_FAILURES && !this.#closing;
    if (again) flight.notBeforeMs = Date.now() + Math.max(backoffMs(flight.failures), restMs);
    else flights.refuse(flight, this.#inWords(error));
  }

  #log(cardId: string, error: unknown): void {
    const { log } = this.#parts;
    if (error instanceof ServiceDown) {
      this.#outage.failed({ cardId, err: error });
      log.debug({ cardId, reason: error.message }, 'lookup failed');
    } else log[severity(error)]({ cardId, err: error }, 'lookup failed');
  }

  /** The last of several failures has closed the gate, which says until when. */
  #inWords(error: unknown): CardServiceError {
    if (this.#closing) return new Stopping();
    const { closed } = this.#parts.pacer.outlook();
    return error instanceof ServiceDown && closed ? closedError(closed) : asCardServiceError(error);
  }
}
