import type { CardRecord } from '../model/card.ts';
import { Stopping } from '../model/errors.ts';
import type { Schedule } from '../quota/limiter.ts';
import type { CardService } from '../service/card-service.ts';
import { type Admission, type AdmissionOptions, admit, blockedError, Reservation } from './admission.ts';
import { byCard } from './batching.ts';
import type { OtherQueues } from './fair-order.ts';
import { LookupRequests, type LookupRequestsOptions } from './lookup-requests.ts';
import type { Lookup } from './pending-lookup.ts';
import { PendingLookups } from './pending-lookups.ts';
import { QueueRunner } from './queue-runner.ts';

export type LookupQueueOptions = Omit<LookupRequestsOptions & AdmissionOptions, 'pendingLookups'> & {
  otherQueues: OtherQueues;
  service: CardService;
};

/**
 * Lookups wait here for a permit. However many want the same card, in however many processes, one request is sent for it
 * (single-flight), or for several cards; every attempt needs a new permit, in fair order; when the limiter is blocked, all are refused at once.
 */
export class LookupQueue {
  readonly #options: LookupQueueOptions;
  readonly #pendingLookups: PendingLookups;
  readonly #requests: LookupRequests;
  readonly #runner: QueueRunner;
  readonly #wake = () => this.#runner.wake();

  constructor(options: LookupQueueOptions) {
    this.#options = options;
    this.#pendingLookups = new PendingLookups(options.otherQueues);
    const pendingLookups = this.#pendingLookups;
    this.#requests = new LookupRequests({ ...options, pendingLookups });
    this.#runner = new QueueRunner({ ...options, pendingLookups, requests: this.#requests });
  }

  /**
   * A place in the queue, if a permit is expected in time and the requester's budget allows the request; it is to be
   * started or cancelled. Of several at once, each counts the others. Costs no request and never rejects.
   */
  admit(lookup: Lookup): Promise<Admission> {
    const limiter = { schedule: () => this.#scheduleByCard() };
    return admit(lookup, { ...this.#options, limiter, pendingLookups: this.#pendingLookups }, this.#wake);
  }

  /**
   * Waits without admission: for a lookup that was admitted by a process that has ended. Costs one request, or none when
   * the card is requested for another lookup.
   *
   * @throws QuotaSpent, Busy, KeptInReserve, KeyRefused, ServiceDown, UnexpectedAnswer, Stopping
   */
  async enqueue(lookup: Lookup): Promise<CardRecord> {
    if (this.#pendingLookups.isClosed) throw new Stopping();
    const { blocked, permitAtMs } = this.#scheduleByCard();
    if (blocked && !this.#pendingLookups.get(lookup.cardId)?.requesting) throw blockedError(blocked);
    const atMs = permitAtMs(this.#pendingLookups.positionOf(lookup).position);
    return new Reservation(this.#pendingLookups, lookup, atMs, this.#wake).start();
  }

  /** Cards that wait for a permit now. */
  get length(): number {
    return this.#pendingLookups.waiting().length;
  }

  /** Refuses all that wait, leaves the requests under way `graceMs` to be answered, and sends nothing more. */
  async close(graceMs: number): Promise<void> {
    this.#pendingLookups.close();
    await this.#runner.close();
    await this.#requests.close(graceMs);
  }

  #scheduleByCard(): Schedule {
    const { limiter, service } = this.#options;
    return byCard(limiter.schedule(), service.limits(Date.now()).most);
  }
}
