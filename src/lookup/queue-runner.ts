import type { Logger } from '../log.ts';
import type { Events } from '../model/events.ts';
import type { Limiter, Permit } from '../quota/limiter.ts';
import type { CardService } from '../service/card-service.ts';
import type { BatchLimits } from '../service/listing.ts';
import { SingleRunner, Timer, withTimeout } from '../time/timers.ts';
import { blockedError } from './admission.ts';
import { byCard, NextBatch } from './batching.ts';
import type { OtherQueues } from './fair-order.ts';
import type { LookupRequests } from './lookup-requests.ts';
import type { PendingLookup } from './pending-lookup.ts';
import type { PendingLookups } from './pending-lookups.ts';
import { acquirePermit } from './service-requests.ts';

/** A batch that is served for longer has a slow link: the next is served meanwhile. */
const SLOW_SERVE_MS = 50;
/** This many can begin before the three commands of the first have had 250 ms each. */
const MOST_SERVED_AT_ONCE = 15;
/** What is shown in minutes need not be computed more often. */
const ANNOUNCE_EVERY_MS = 1_000;

export interface QueueRunnerOptions {
  pendingLookups: PendingLookups;
  requests: Pick<LookupRequests, 'prepare' | 'send' | 'abandon'>;
  limiter: Limiter;
  service: Pick<CardService, 'limits'>;
  otherQueues: OtherQueues;
  events: Events;
  log: Logger;
}

/** Serves pending lookups as permits come: claims each card, acquires a permit, and sends the request. */
export class QueueRunner {
  readonly #options: QueueRunnerOptions;
  readonly #runner = new SingleRunner(() => this.#run());
  readonly #wakeTimer = new Timer(() => {
    this.#toldToWait = undefined; // the limiter is asked again: by a clock that was set back, it only ever expects a permit
    this.wake();
  });
  #wakeAtMs = Number.POSITIVE_INFINITY;
  readonly #announceTimer = new Timer(() => this.#announce());
  #announcedAtMs = Number.NEGATIVE_INFINITY;
  readonly #serves = new Set<Promise<boolean>>();
  #toldToWait: PendingLookup | undefined;
  readonly #nextBatch = new NextBatch();
  /** How long claiming a batch takes over a slow link. It is served sooner by that time, so that it does not miss its permit. */
  #leadMs = 0;

  constructor(options: QueueRunnerOptions) {
    this.#options = options;
    options.limiter.onChange(() => this.#refuseBlockedAndWake());
  }

  /** To be called whenever a pending lookup was started or has ended. */
  wake(): void {
    void this.#runner.run();
  }

  /** To be called once the pending lookups are closed. */
  async close(): Promise<void> {
    this.#wakeTimer.clear();
    this.#announceTimer.clear();
    await Promise.all(this.#serves);
  }

  /** Serves one batch after the other as long as there are permits. */
  async #run(): Promise<void> {
    const { pendingLookups } = this.#options;
    this.#wakeAtMs = Number.POSITIVE_INFINITY;
    while (!pendingLookups.isClosed) {
      this.#tellLength();
      const nowMs = Date.now();
      const batch = pendingLookups.selectBatch(nowMs, this.#limits(nowMs));
      const [next] = batch.pending;
      if (next === undefined) {
        this.#nextBatch.isEmpty();
        if (pendingLookups.nextRetryMs(nowMs) !== undefined) this.#announceSoon();
        return this.#sleepUntil(Number.POSITIVE_INFINITY, nowMs);
      }
      const atMs = Math.max(this.#serveAtMs(next), this.#nextBatch.leavesAtMs(batch, this.#serves.size, nowMs));
      if (atMs > Date.now()) return this.#waitUntil(atMs);

      const serve = this.#serve(batch.pending);
      const mayGoOn = await withTimeout(SLOW_SERVE_MS, serve);
      if (mayGoOn === false) return;
      if (mayGoOn === undefined) void serve.then((may) => may && this.wake());
    }
  }

  /**
   * At once, because another process may have the card by now; but only when a permit is expected if it was told to wait
   * before and nothing better has come, or if others are being served.
   */
  #serveAtMs(next: PendingLookup): number {
    const underWay = this.#serves.size;
    if (underWay === 0 && next !== this.#toldToWait) return 0;
    if (underWay === MOST_SERVED_AT_ONCE) return Number.POSITIVE_INFINITY; // each that ends wakes the queue
    return this.#options.limiter.schedule().permitAtMs(underWay + 1) - this.#leadMs;
  }

  /** @returns whether the next may be served now; otherwise the queue wakes when a permit is expected. Never rejects */
  #serve(selected: readonly PendingLookup[]): Promise<boolean> {
    for (const pending of selected) pending.beingServed = true;
    const serve = this.#trySend(selected)
      .catch((err: unknown) => {
        this.#options.log.error({ err }, 'lookup queue failed');
        return false;
      })
      .finally(() => {
        for (const pending of selected) pending.beingServed = false;
        this.#serves.delete(serve);
      });
    this.#serves.add(serve);
    return serve;
  }

  async #trySend(selected: readonly PendingLookup[]): Promise<boolean> {
    const { pendingLookups, requests } = this.#options;
    const sentAtMs = performance.now();
    const batch = await requests.prepare(selected);
    const tookMs = performance.now() - sentAtMs;
    this.#leadMs = tookMs > SLOW_SERVE_MS ? tookMs : 0;
    const [first] = batch;
    if (first === undefined) return true;

    const acquired = await acquirePermit(this.#options, first.lane);
    if (acquired.kind === 'permit') {
      this.#send(batch, acquired.permit);
      return true;
    }
    void requests.abandon(batch);
    if (acquired.kind === 'wait') {
      this.#toldToWait = first;
      this.#waitUntil(acquired.untilMs - this.#leadMs);
      return false;
    }
    const isBlocked = ({ lane }: PendingLookup) => acquired.reason !== 'reserve' || lane === 'renewals';
    pendingLookups.refuseWaiting(blockedError(acquired), isBlocked);
    return true;
  }

  #send(prepared: readonly PendingLookup[], permit: Permit): void {
    const { requests } = this.#options;
    // A probe is to tell how the service is, and not its listings. Other lists may have left since this one was selected.
    const most = permit.probe ? 1 : this.#limits(Date.now()).most;
    void requests.abandon(prepared.slice(most));
    this.#nextBatch.hasLeft();
    void requests.send(prepared.slice(0, most), permit).then(() => {
      this.#nextBatch.requestReturned();
      this.#refuseBlockedAndWake();
    });
  }

  /** A list may count as one request for each of its cards, so each process keeps to its part of what remains of the day. */
  #limits(nowMs: number): BatchLimits {
    const { service, limiter, otherQueues } = this.#options;
    const remaining = limiter.quota()?.remaining;
    const processes = 1 + otherQueues.lengths().length;
    return service.limits(nowMs, remaining && Math.floor(remaining / processes));
  }

  #refuseBlockedAndWake(): void {
    const { blocked } = this.#options.limiter.schedule();
    if (blocked) this.#options.pendingLookups.refuseWaiting(blockedError(blocked));
    this.wake();
  }

  #waitUntil(atMs: number): void {
    this.#announceSoon();
    this.#sleepUntil(atMs);
  }

  /**
   * Until a permit is free, or a lookup may be requested again after a failure: that may be of the better lane.
   *
   * @param nowMs when it was found that none may be requested: one that may a millisecond later is to wake the queue
   */
  #sleepUntil(atMs: number, nowMs = Date.now()): void {
    const { pendingLookups } = this.#options;
    if (pendingLookups.isClosed) return;
    const retryAtMs = pendingLookups.nextRetryMs(nowMs) ?? Number.POSITIVE_INFINITY;
    this.#wakeAtMs = Math.min(atMs, retryAtMs, this.#wakeAtMs); // the last: of one that was served meanwhile
    if (Number.isFinite(this.#wakeAtMs)) this.#wakeTimer.set(this.#wakeAtMs);
  }

  #announceSoon(): void {
    if (this.#options.pendingLookups.isClosed) return;
    // The lower of the two, should the clock have been set back.
    this.#announceTimer.set(Math.min(this.#announcedAtMs, Date.now()) + ANNOUNCE_EVERY_MS);
  }

  #announce(): void {
    this.#announcedAtMs = Date.now();
    const { pendingLookups, limiter, service } = this.#options;
    pendingLookups.announce(byCard(limiter.schedule(), service.limits(this.#announcedAtMs).most), this.#announcedAtMs);
    this.#tellLength(); // who cannot wait any longer has left
  }

  #tellLength(): void {
    const { pendingLookups, otherQueues, events } = this.#options;
    otherQueues.tell(pendingLookups.waitingMembers());
    if (events.isWatched('queue')) events.publish('queue', { length: pendingLookups.waiting().length });
  }
}
