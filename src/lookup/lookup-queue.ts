import type { Logger } from '../log.ts';
import type { CardRecord } from '../model/card.ts';
import { type CardServiceError, Stopping } from '../model/errors.ts';
import type { Budget, Charged } from '../quota/budget.ts';
import type { Ledger } from '../quota/ledger.ts';
import type { Limiter } from '../quota/limiter.ts';
import { decideAdmission, Reservation } from './admission.ts';
import type { Cards } from './cards.ts';
import type { QueueExchange } from './fair-order.ts';
import type { Lookup } from './pending-lookup.ts';
import { PendingLookups } from './pending-lookups.ts';
import { QueueRunner } from './queue-runner.ts';

/** Who of several processes asks for a card; the others wait for what comes of it. No method rejects. */
export interface CardLock {
  /** @returns `false` while another process asks for this card */
  acquire(cardId: string): Promise<boolean>;
  /** To be called once for each lease acquired, whatever became of the request. */
  release(cardId: string): Promise<void>;
}

/** For a process that nobody shares a quota with. */
export const NO_CARD_LOCK: CardLock = {
  acquire: () => Promise.resolve(true),
  release: () => Promise.resolve(),
};

export interface LookupQueueOptions {
  cards: Cards;
  limiter: Limiter;
  ledger: Ledger;
  budget: Budget;
  queueExchange: QueueExchange;
  cardLock: CardLock;
  log: Logger;
  /** A question whose turn is further away is refused at once. */
  longestWaitMs: number;
}

/** A place that is held, or why nobody should wait for one. */
export type Admission = { reservation: Reservation } | { refusal: CardServiceError };

/**
 * Questions wait here for a turn. However many ask for the same card, in however many processes, it is asked for once
 * (single-flight); every attempt takes a new turn, in fair order; when nobody may ask for long, all are answered at
 * once.
 */
export class LookupQueue {
  readonly #options: LookupQueueOptions;
  readonly #pendingLookups = new PendingLookups();
  readonly #permits: QueueRunner;

  constructor(options: LookupQueueOptions) {
    this.#options = options;
    this.#permits = new QueueRunner({ ...options, pendingLookups: this.#pendingLookups });
  }

  /**
   * A place in line, if the turn comes in time and the asker's budget allows the request; it is to be taken or given
   * back. Of those who ask at once, each counts the others. Costs no request and never rejects.
   */
  async admit(lookup: Lookup): Promise<Admission> {
    const { budget } = this.#options;
    const pendingLookups = this.#pendingLookups;
    await this.#permits.hearOthers(); // a rank counts what waits there, too
    let spent: Charged;
    let launches: number;
    do {
      launches = pendingLookups.launches;
      spent = await budget.spentBy(lookup.requester);
    } while (launches !== pendingLookups.launches); // what leaves the line meanwhile would count neither here nor there
    // Nothing is awaited from here on, so that the place is had before the next is decided upon.
    if (this.#permits.isClosing) return { refusal: new Stopping() };
    const decided = decideAdmission(lookup, spent, { ...this.#options, pendingLookups });
    return 'refusal' in decided ? decided : { reservation: this.#hold(lookup, decided.permitAtMs) };
  }

  /**
   * Waits for a turn and asks, without admission: for who was admitted by a process that is no more. Costs one request,
   * or none when somebody asks for the same card already.
   *
   * @throws QuotaSpent, Busy, KeptInReserve, KeyRefused, ServiceDown, UnexpectedAnswer, Stopping
   */
  async enqueue(lookup: Lookup): Promise<CardRecord> {
    await this.#permits.hearOthers();
    if (this.#permits.isClosing) throw new Stopping();
    const { position } = this.#pendingLookups.positionOf(lookup);
    return this.#hold(lookup, this.#options.limiter.schedule().permitAtMs(position)).start();
  }

  /** Questions that wait for a turn now. */
  get length(): number {
    return this.#pendingLookups.waiting().length;
  }

  /** Tells all who still wait, gives the requests under way `graceMs` to be answered, and sends nothing more. */
  close(graceMs: number): Promise<void> {
    return this.#permits.close(graceMs);
  }

  #hold(lookup: Lookup, promisedAtMs: number): Reservation {
    return new Reservation(this.#pendingLookups, lookup, promisedAtMs, () => void this.#permits.work());
  }
}
