import { type Doubt, LANES, type Lane } from '../limiter/decision.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { Logger } from '../log.ts';
import type { Events } from '../model/events.ts';
import { SingleRunner, Timer } from '../time/timers.ts';
import { type Admission, type AdmissionOptions, admit, admitAgain } from './admission.ts';
import { Batching, type BatchingOptions } from './batching.ts';
import type { OtherQueues } from './fair-order.ts';
import { LookupRequests, type LookupRequestsOptions } from './lookup-requests.ts';
import type { Lookup, PendingLookup } from './pending-lookup.ts';
import { PendingLookups } from './pending-lookups.ts';
import { blockedError } from './service-requests.ts';

/** What is shown in minutes need not be computed more often. */
const ANNOUNCE_EVERY_MS = 1_000;

export type LookupQueueOptions = Omit<
  LookupRequestsOptions & AdmissionOptions & BatchingOptions,
  'pendingLookups' | 'permitAtMs'
> & { limiter: Limiter; otherQueues: OtherQueues; events: Events; log: Logger };

/**
 * Lookups wait here for a permit. However many want the same card, in however many processes, one request is sent for
 * it (single-flight), or for several cards; every attempt needs a new permit, in fair order; when the limiter is
 * blocked, all are refused at once.
 */
export class LookupQueue {
  readonly #options: LookupQueueOptions;
  readonly #pendingLookups: PendingLookups;
  readonly #admission: AdmissionOptions;
  readonly #batching: Batching;
  readonly #requests: LookupRequests;
  readonly #runner = new SingleRunner(() => this.#run());
  readonly #wake = () => void this.#runner.run();
  readonly #wakeTimer = new Timer(this.#wake);
  readonly #announceTimer = new Timer(() => this.#announce());
  #announcedAtMs = Number.NEGATIVE_INFINITY;
  #serving: Promise<boolean> | undefined;
  /** Told by the limiter, which may know more than what was seen of it here; by the monotonic clock. */
  #refusedUntilMs = 0;

  constructor(options: LookupQueueOptions) {
    this.#options = options;
    this.#pendingLookups = new PendingLookups(options.otherQueues, options.cards.resting);
    this.#batching = new Batching(options);
    const pendingLookups = this.#pendingLookups;
    this.#admission = {
      ...options,
      pendingLookups,
      permitAtMs: (position, lane) => this.#batching.permitAtMs(position, lane),
    };
    this.#requests = new LookupRequests({ ...options, pendingLookups });
    options.limiter.onChange(() => {
      this.#refusedUntilMs = 0;
      if (this.length > 0) for (const lane of LANES) this.#refuseBlocked(lane);
      this.#wake();
    });
  }

  /**
   * A place in the queue, if a permit is expected in time and the requester's budget allows the request; it is to be
   * started or cancelled. Of several at once, each counts the others. Costs no request and never rejects.
   */
  admit(lookup: Lookup): Promise<Admission> {
    return admit(lookup, this.#admission, this.#wake);
  }

  /** The same for a lookup that was admitted by a process that has ended. Only what blocks all requests refuses it. */
  admitAgain(lookup: Lookup): Admission {
    return admitAgain(lookup, this.#admission, this.#wake);
  }

  /** Cards that wait for a permit now. */
  get length(): number {
    return this.#pendingLookups.length;
  }

  /** Whether a lookup waits for a permit here, or one of a member in another process. */
  get isWanted(): boolean {
    return this.length > 0 || this.#options.otherQueues.lengths().some((length) => length > 0);
  }

  /** How many cards one request may carry now. */
  get mostTogether(): number {
    return this.#batching.limits(Date.now()).most;
  }

  /** The requests that these cards take as things are, and how long the last of them would wait for its permit. */
  costOf(cardIds: readonly string[]): { requests: string[][]; waitMs: number } {
    const requests = this.#pendingLookups.requestsFor(cardIds, this.#batching.limits(Date.now()));
    const last = this.length + requests.length * this.mostTogether;
    return { requests, waitMs: Math.max(0, this.#admission.permitAtMs(last) - Date.now()) };
  }

  /** Refuses all that wait, leaves the requests under way `graceMs` to be answered, and sends nothing more. */
  async close(graceMs: number): Promise<void> {
    this.#pendingLookups.close();
    this.#wakeTimer.clear();
    this.#announceTimer.clear();
    await this.#serving;
    await this.#requests.close(graceMs);
  }

  /** Serves one batch after the other as long as there are permits. */
  async #run(): Promise<void> {
    await undefined; // a command starts its lookups in one go: the queue looks when all of them are there
    this.#tellLength();
    for (; this.#hasWork; this.#tellLength()) {
      const nowMs = Date.now();
      const { doubt } = this.#options.limiter.view();
      this.#refuseWithoutProbe(doubt);
      const batch = this.#pendingLookups.selectBatch(nowMs, this.#batching.limits(nowMs), doubt);
      const [next] = batch.pending;
      const leavesAtMs = this.#batching.leavesAtMs(batch, nowMs);
      if (next === undefined) return this.#sleepUntil(leavesAtMs);
      if (this.#refuseBlocked(next.lane)) continue;
      const atMs = Math.max(this.#serveAtMs(next), leavesAtMs);
      if (atMs > Date.now()) return this.#sleepUntil(atMs);
      this.#serving = this.#serve(batch.pending);
      if (!(await this.#serving)) return;
    }
    this.#batching.nothingWaits();
  }

  get #hasWork(): boolean {
    return this.length > 0 && !this.#pendingLookups.isClosed;
  }

  /** The next lookup is served when there is a permit for it. */
  #serveAtMs({ lane }: PendingLookup): number {
    const view = this.#options.limiter.view();
    const expectedAtMs = view.storeAwaitedUntilMs ?? view.forecast(lane, 1);
    const refusedForMs = this.#refusedUntilMs - performance.now();
    return Math.max(expectedAtMs, Date.now() + refusedForMs);
  }

  /** @returns whether the next may be served now; otherwise the queue wakes when a permit is expected. Never rejects */
  #serve(selected: readonly PendingLookup[]): Promise<boolean> {
    return this.#claimAndSend(selected).catch((err: unknown) => {
      this.#options.log.error({ err }, 'lookup queue failed');
      return false;
    });
  }

  async #claimAndSend(selected: readonly PendingLookup[]): Promise<boolean> {
    const batch = await this.#requests.prepare(selected);
    const [first] = batch;
    if (first === undefined) return true;

    const turn = batch.length > 1 ? await this.#batching.turn() : undefined;
    if (typeof turn === 'object') {
      void this.#requests.releaseClaims(batch);
      return this.#waitUntil(Date.now() + turn.heldForMs);
    }
    const acquired = await this.#options.limiter.acquire(first.lane);
    if (acquired.kind === 'permit') {
      const most = this.#batching.beginRequest(acquired.permit, batch.length);
      void this.#requests.releaseClaims(batch.slice(most));
      void this.#requests.sendWanted(batch.slice(0, most), acquired.permit).then(() => {
        this.#batching.endRequest();
        this.#wake();
      });
      return true;
    }
    this.#batching.giveBack(turn);
    void this.#requests.releaseClaims(batch);
    if (acquired.kind === 'wait') return this.#waitUntil(acquired.untilMs);
    this.#refuseBlocked(first.lane);
    return true;
  }

  #waitUntil(atMs: number): false {
    this.#refusedUntilMs = performance.now() + atMs - Date.now();
    this.#sleepUntil(atMs);
    return false;
  }

  /** Where only cards wait that may be what fails, none of them may find out whether the service is down. */
  #refuseWithoutProbe(doubt: Doubt | undefined): void {
    if (!doubt?.isOutage) return;
    for (const { cardId } of this.#pendingLookups.order) if (!doubt.failedIds.has(cardId)) return;
    this.#pendingLookups.refuseWaiting(blockedError({ reason: 'outage', untilMs: doubt.untilMs }));
  }

  /** @returns whether all of the lane were refused, if there were any */
  #refuseBlocked(lane: Lane): boolean {
    const blocked = this.#options.limiter.view().refusalFor(lane);
    if (blocked) this.#pendingLookups.refuseWaiting(blockedError(blocked), (pending) => pending.lane === lane);
    return blocked !== undefined;
  }

  /**
   * Until a permit is free, or a lookup may be requested again after a failure: that may be of the better lane. Who
   * waits is told meanwhile.
   */
  #sleepUntil(atMs: number): void {
    if (this.#pendingLookups.isClosed) return;
    const wakeAtMs = Math.min(atMs, Date.now() + this.#pendingLookups.nextRetryInMs());
    if (!Number.isFinite(wakeAtMs)) return;
    this.#wakeTimer.set(wakeAtMs);
    // The lower of the two, should the clock have been set back.
    this.#announceTimer.set(Math.min(this.#announcedAtMs, Date.now()) + ANNOUNCE_EVERY_MS);
  }

  #announce(): void {
    this.#announcedAtMs = Date.now();
    const { paused } = this.#options.limiter.view();
    this.#pendingLookups.announce(this.#admission.permitAtMs, paused, this.#announcedAtMs);
    this.#tellLength(); // who cannot wait any longer has left
  }

  #tellLength(): void {
    const { otherQueues, events } = this.#options;
    otherQueues.tell(this.#pendingLookups.order.lengthOf('members'));
    if (events.isWatched('queue')) events.publish('queue', { length: this.length });
  }
}
