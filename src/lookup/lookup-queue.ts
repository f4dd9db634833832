import type { CardRecord } from '../model/card.ts';
import { Stopping } from '../model/errors.ts';
import { SingleRunner, Timer } from '../time/timers.ts';
import { type Admission, type AdmissionOptions, admit, blockedError, Reservation } from './admission.ts';
import { LookupRequests, type LookupRequestsOptions } from './lookup-requests.ts';
import type { OtherQueues } from './other-queues.ts';
import type { Lookup, PendingLookup } from './pending-lookup.ts';
import { PendingLookups } from './pending-lookups.ts';
import { acquirePermit } from './service-requests.ts';

export type LookupQueueOptions = Omit<LookupRequestsOptions & AdmissionOptions, 'pendingLookups'> & {
  otherQueues: OtherQueues;
};

/** What is shown in minutes need not be computed more often. */
const ANNOUNCE_EVERY_MS = 1_000;

/**
 * Lookups wait here for a permit. However many want the same card, in however many processes, one request is sent for it
 * (single-flight); every attempt needs a new permit, in fair order; when the limiter is blocked, all are refused at once.
 */
export class LookupQueue {
  readonly #options: LookupQueueOptions;
  readonly #pendingLookups: PendingLookups;
  readonly #requests: LookupRequests;
  readonly #runner = new SingleRunner(() => this.#run());
  readonly #wake = () => void this.#runner.run();
  readonly #wakeTimer = new Timer(this.#wake);
  readonly #announceTimer = new Timer(() => this.#announce());
  #announcedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: LookupQueueOptions) {
    this.#options = options;
    this.#pendingLookups = new PendingLookups(options.otherQueues);
    this.#requests = new LookupRequests({ ...options, pendingLookups: this.#pendingLookups });
    options.limiter.onChange(() => this.#refuseBlockedAndWake());
  }

  /**
   * A place in the queue, if a permit is expected in time and the requester's budget allows the request; it is to be
   * started or cancelled. Of several at once, each counts the others. Costs no request and never rejects.
   */
  admit(lookup: Lookup): Promise<Admission> {
    return admit(lookup, { ...this.#options, pendingLookups: this.#pendingLookups }, this.#wake);
  }

  /**
   * Waits without admission: for a lookup that was admitted by a process that has ended. Costs one request, or none when
   * the card is requested for another lookup.
   *
   * @throws QuotaSpent, Busy, KeptInReserve, KeyRefused, ServiceDown, UnexpectedAnswer, Stopping
   */
  async enqueue(lookup: Lookup): Promise<CardRecord> {
    if (this.#pendingLookups.isClosed) throw new Stopping();
    const { blocked, permitAtMs } = this.#options.limiter.schedule();
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
    this.#wakeTimer.clear();
    this.#announceTimer.clear();
    await this.#requests.close(graceMs);
  }

  #refuseBlockedAndWake(): void {
    const { blocked } = this.#options.limiter.schedule();
    if (blocked) this.#pendingLookups.refuseWaiting(blockedError(blocked));
    this.#wake();
  }

  /** Sends batches as long as there are permits for them. */
  async #run(): Promise<void> {
    try {
      while (!this.#pendingLookups.isClosed) {
        this.#options.otherQueues.tell(this.#pendingLookups.waitingMembers());
        const selected = this.#pendingLookups.selectBatch(Date.now());
        if (selected.length === 0) {
          if (this.#pendingLookups.nextRetryMs(Date.now()) !== undefined) this.#announceSoon();
          return this.#sleepUntil(undefined);
        }
        const waitUntilMs = await this.#serve(selected);
        if (waitUntilMs === undefined) continue;
        this.#announceSoon();
        return this.#sleepUntil(waitUntilMs);
      }
    } catch (err) {
      this.#options.log.error({ err }, 'lookup queue failed');
    }
  }

  /** @returns when a permit is free; `undefined` when the next batch may be tried */
  async #serve(selected: readonly PendingLookup[]): Promise<number | undefined> {
    const batch = await this.#requests.prepare(selected);
    const [first] = batch;
    if (first === undefined) return undefined;

    const acquired = await acquirePermit(this.#options, first.lane);
    if (acquired.kind === 'permit') {
      void this.#requests.send(batch, acquired.permit).then(() => this.#refuseBlockedAndWake());
      return undefined;
    }
    if (acquired.kind === 'blocked') {
      const isBlocked = ({ lane }: PendingLookup) => acquired.reason !== 'reserve' || lane === 'renewals';
      this.#pendingLookups.refuseWaiting(blockedError(acquired), isBlocked);
    }
    await this.#requests.abandon(batch);
    return acquired.kind === 'wait' ? acquired.untilMs : undefined;
  }

  /** Until a permit is free, or a lookup may be requested again after a failure: that may be of the better lane. */
  #sleepUntil(permitAtMs: number | undefined): void {
    const retryAtMs = this.#pendingLookups.nextRetryMs(Date.now());
    const atMs = Math.min(permitAtMs ?? Number.POSITIVE_INFINITY, retryAtMs ?? Number.POSITIVE_INFINITY);
    if (Number.isFinite(atMs) && !this.#pendingLookups.isClosed) this.#wakeTimer.set(atMs);
  }

  #announceSoon(): void {
    // The lower of the two, should the clock have been set back.
    this.#announceTimer.set(Math.min(this.#announcedAtMs, Date.now()) + ANNOUNCE_EVERY_MS);
  }

  #announce(): void {
    this.#announcedAtMs = Date.now();
    this.#pendingLookups.announce(this.#options.limiter.schedule(), this.#announcedAtMs);
  }
}
