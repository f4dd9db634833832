import type { Logger } from '../log.ts';
import { Incident } from '../log.ts';
import { type CardServiceError, RateLimited, ServiceDown, Stopping } from '../model/errors.ts';
import type { Booking, Ledger } from '../quota/ledger.ts';
import type { Limiter, Permit } from '../quota/limiter.ts';
import { backOffMs } from '../time/back-off.ts';
import type { Cards } from './cards.ts';
import type { CardLock } from './lookup-queue.ts';
import type { PendingLookup } from './pending-lookup.ts';
import type { PendingLookups } from './pending-lookups.ts';
import { asCardServiceError, blockedError, isCounted, severity } from './refusals.ts';

/** Attempts at one question that failed other than by a 429. */
const MAX_FAILURES = 3;
const RETRY = { firstMs: 1_000, longestMs: 60_000 };

export interface ServiceRequestsOptions {
  pendingLookups: PendingLookups;
  cards: Cards;
  limiter: Limiter;
  ledger: Ledger;
  cardLock: CardLock;
  log: Logger;
  /** Told after every request, whatever became of it. */
  ended: () => void;
}

/** The requests under way: each is booked on who pays for it, and ends in answers, in words, or back in the line. */
export class ServiceRequests {
  readonly #options: ServiceRequestsOptions;
  readonly #underWay = new Set<Promise<void>>();
  readonly #abort = new AbortController();
  readonly #outage: Incident;
  #closing = false;

  constructor(options: ServiceRequestsOptions) {
    this.#options = options;
    this.#outage = new Incident(options.log, {
      level: 'warn',
      begins: 'the card service fails',
      ends: 'the card service answers again',
    });
  }

  /** The flight has its turn and its lease; both are given back here. */
  launch(pending: PendingLookup, permit: Permit): void {
    const { pendingLookups, ledger, cardLock, ended } = this.#options;
    pendingLookups.launch(pending, Date.now());
    const booking = ledger.spent(pending.payer);
    const request = this.#ask(pending, permit, booking)
      .then(() => cardLock.release(pending.cardId))
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

  async #ask(pending: PendingLookup, permit: Permit, booking: Booking): Promise<void> {
    const { pendingLookups, cards, ledger } = this.#options;
    try {
      const answer = await cards.fetch(pending.cardId, permit, this.#abort.signal);
      this.#outage.succeeded();
      for (const { lookup } of pending.waiting) {
        if (lookup.requester !== pending.payer) ledger.saved(lookup.requester);
      }
      pendingLookups.answer(pending, answer);
    } catch (error) {
      this.#failed(pending, booking, error);
    }
  }

  #failed(pending: PendingLookup, booking: Booking, error: unknown): void {
    const { pendingLookups, ledger } = this.#options;
    pendingLookups.comeBack(pending);
    this.#log(pending.cardId, error);
    if (!isCounted(error)) ledger.refused(booking);
    if (error instanceof RateLimited && !this.#closing) return; // the next turn is its own again
    const restMs = error instanceof ServiceDown ? (error.retryAfterMs ?? 0) : 0;
    if (restMs > 0) pendingLookups.rest(pending.cardId, Date.now() + restMs);
    const again = error instanceof ServiceDown && ++pending.failures < MAX_FAILURES && !this.#closing;
    if (again) pending.notBeforeMs = Date.now() + Math.max(backOffMs(pending.failures, RETRY), restMs);
    else pendingLookups.refuse(pending, this.#inWords(error));
  }

  #log(cardId: string, error: unknown): void {
    const { log } = this.#options;
    if (error instanceof ServiceDown) {
      this.#outage.failed({ cardId, err: error });
      log.debug({ cardId, reason: error.message }, 'lookup failed');
    } else log[severity(error)]({ cardId, err: error }, 'lookup failed');
  }

  /** The last of several failures has closed the gate, which says until when. */
  #inWords(error: unknown): CardServiceError {
    if (this.#closing) return new Stopping();
    const { blocked: closed } = this.#options.limiter.schedule();
    return error instanceof ServiceDown && closed ? blockedError(closed) : asCardServiceError(error);
  }
}
