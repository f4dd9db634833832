import type { Cards } from '../known/cards.ts';
import { Incident, type Logger } from '../log.ts';
import type { CardRecord } from '../model/card.ts';
import { Busy, CardServiceError, CeilingReached, meaningOf, ServiceDown, Stopping } from '../model/errors.ts';
import type { Events } from '../model/events.ts';
import { type Claims, isMine } from '../model/store/claims.ts';
import { type Allowance, type Budget, budgetRefusal } from '../quota/budget.ts';
import { LANES, type Lane, type Permit } from '../quota/decision.ts';
import type { Ledger } from '../quota/ledger.ts';
import type { Limiter, LimiterView } from '../quota/limiter.ts';
import { type BatchLimits, ONE_BY_ONE } from '../service/bulk.ts';
import type { CardService } from '../service/card-service.ts';
import { SingleRunner, Timer } from '../time.ts';
import { asCardServiceError, blockedError, sendBooked } from './booked-request.ts';
import {
  FairQueue,
  type Lookup,
  noteAskedElsewhere,
  noteCounted,
  type OtherQueues,
  type Pending,
  type Progress,
  readyAtMs,
  type Turn,
  wantsPrices,
} from './fair-queue.ts';

/** A place from the moment of admission. It ends by itself when the card is answered or refused. */
export interface Reservation {
  readonly progress: Progress;
  /**
   * Waits for a permit and the answer. Costs one request, or none when the card is requested for another lookup.
   *
   * @param onProgress called whenever the permit is expected at another time, and when a request has left
   * @throws QuotaSpent, Busy, KeptInReserve, CeilingReached, KeyRefused, PlanRefused, ServiceDown, StoreAway,
   *   UnexpectedAnswer, Stopping
   */
  start(onProgress?: () => void): Promise<CardRecord>;
  /** Gives the place up. Once it is started, it then never ends; a request under way for it goes on, and is booked. */
  cancel(): void;
}

/** A place in the queue, or why the lookup may not wait for one. */
export type Admission = { reservation: Reservation } | { refusal: CardServiceError };

export interface LookupQueueOptions {
  cards: Cards;
  limiter: Limiter;
  ledger: Ledger;
  budget: Budget;
  claims: Claims;
  otherQueues: OtherQueues;
  service: CardService;
  /** What one request takes at most. */
  requestTimeoutMs: number;
  /** A lookup whose permit is further away is refused at once. */
  longestWaitMs: number;
  events: Events;
  log: Logger;
}

/** What is shown in minutes need not be computed more often. */
const ANNOUNCE_EVERY_MS = 1_000;
/** No lookup waits longer for others to share a request with. */
const LONGEST_HOLD_MS = 250;
/** Another process looks this card up: an answer takes about as long. */
const CLAIM_RETRY_MS = 50;
/** A card is claimed for a request, for the permit before it and for storing the answer: a claim is not renewed. */
const CLAIM_MARGIN_MS = 2_000;
const claimOf = (cardId: string) => `card:${cardId}`;
/** Enough for a process near Redis to write; of one interval, whoever had its token has had the last. */
const TURN_MS = 50;
const TURN_OF_INTERVAL = 1.5;
/** The turn of a bulk request, where these have a rate of their own. */
const TURN = 'list';

/**
 * Lookups wait here for a permit. However many want the same card, in however many processes, one request is sent for
 * it (single-flight), or for several cards; every attempt needs a new permit, in fair order; when the limiter is
 * blocked, all are refused at once.
 */
export class LookupQueue {
  readonly #options: LookupQueueOptions;
  readonly #queue: FairQueue;
  readonly #runner = new SingleRunner(() => this.#run());
  readonly #wake = () => {
    if (this.#queue.length > 0) void this.#runner.run();
  };
  readonly #wakeTimer = new Timer(this.#wake);
  readonly #announceTimer = new Timer(() => this.#announce());
  #announcedAtMs = Number.NEGATIVE_INFINITY;
  readonly #underWay = new Set<Promise<void>>();
  /** By the monotonic clock, when a permit was given last. */
  #leftAtMs = Number.NEGATIVE_INFINITY;
  /** By the monotonic clock, when a request ended last. */
  #endedAtMs = Number.NEGATIVE_INFINITY;
  #countedRequests = 0;
  readonly #abort = new AbortController();
  readonly #outage: Incident;

  constructor(options: LookupQueueOptions) {
    this.#options = options;
    this.#queue = new FairQueue(options.otherQueues);
    this.#outage = new Incident(options.log, {
      level: 'warn',
      begins: 'the card service is failing: if it lasts, check CARD_SERVICE_URL and the connection',
      ends: 'the card service answers again',
    });
    options.limiter.onChange(() => {
      if (this.#queue.length === 0) return;
      const view = options.limiter.view();
      for (const lane of LANES) {
        const blocked = view.blockedFor(lane);
        if (blocked) this.#queue.refuseLane(lane, blockedError(blocked));
      }
      this.#wake();
    });
  }

  /**
   * A place in the queue, if a permit is expected in time and the requester's budget allows the request; it is to be
   * started or cancelled. Of several at once, each counts the others. Costs no request and never rejects.
   */
  async admit(lookup: Lookup): Promise<Admission> {
    // What was spent is not read while nothing may be requested.
    const blocked = this.#blockedError(lookup);
    if (blocked) return { refusal: blocked };
    if (lookup.wasAdmitted) return this.#placed(lookup);
    let allowance: Allowance;
    let leftCount: number;
    do {
      leftCount = this.#queue.leftCount;
      allowance = await this.#options.budget.allowanceOf(lookup.requester);
    } while (leftCount !== this.#queue.leftCount); // what left the queue meanwhile would be counted nowhere
    return this.#admitted(lookup, allowance);
  }

  /** Cards that wait for a permit now. */
  get length(): number {
    return this.#queue.length;
  }

  /** Whether a lookup waits for a permit here, or one of a member in another process. */
  get isWanted(): boolean {
    return this.length > 0 || this.#options.otherQueues.lengths().some((length) => length > 0);
  }

  /** How many cards one request may carry now. */
  get mostTogether(): number {
    return this.#limits().most;
  }

  /**
   * The requests that these cards take as things are, if nothing fails and none leaves a card out, and how long the
   * last of them would wait for its permit.
   */
  costOf(cardIds: readonly string[]): { requests: string[][]; waitMs: number } {
    const limits = this.#limits();
    const requests: string[][] = [];
    for (let left = cardIds.map((cardId) => ({ cardId })); left.length > 0; ) {
      const { cards } = this.#fill(left, limits);
      requests.push(cards.map(({ cardId }) => cardId));
      left = left.filter((each) => !cards.includes(each));
    }
    const lastAtMs = this.#forecasts()(this.length + requests.length * limits.most);
    return { requests, waitMs: Math.max(0, lastAtMs - Date.now()) };
  }

  /** Refuses all that wait, leaves the requests under way `graceMs` to be answered, and sends nothing more. */
  async close(graceMs: number): Promise<void> {
    this.#queue.close();
    this.#wakeTimer.clear();
    this.#announceTimer.clear();
    await this.#runner.run();
    const timer = setTimeout(() => this.#abort.abort(new Stopping()), graceMs);
    await Promise.all(this.#underWay);
    clearTimeout(timer);
  }

  /** What blocks all requests of the lane, unless the lookup joins one that is to be sent in any case. */
  #blockedError({ cardId, lane }: Lookup): CardServiceError | undefined {
    if (this.#queue.isClosed) return new Stopping();
    const present = this.#queue.get(cardId);
    const blocked = present?.isUnderWay ? undefined : this.#options.limiter.view().blockedFor(lane);
    return blocked && !(present && blocked.reason === 'reserve') ? blockedError(blocked) : undefined;
  }

  /**
   * The times that were promised to others hold: one that would wait behind everything for too long is refused, even
   * when its own permit would come in time. Nothing is awaited between that and its place.
   *
   * @param allowance of the requester at this moment
   */
  #admitted(lookup: Lookup, allowance: Allowance): Admission {
    const { cards, limiter, longestWaitMs } = this.#options;
    const { cardId, lane, requester } = lookup;
    const blocked = this.#blockedError(lookup);
    if (blocked) return { refusal: blocked };
    const present = this.#queue.get(cardId);
    if (present?.isUnderWay) return this.#placed(lookup);
    // One that joins what waits causes no request, unless it lifts that to its lane. What is queued is as good as
    // spent.
    const isBooked = !present || LANES.indexOf(lane) < LANES.indexOf(present.best.lane);
    const overBudget =
      isBooked && lane !== 'watches' ? budgetRefusal(allowance, this.#queue.queuedBy(requester)) : undefined;
    if (overBudget) return { refusal: overBudget };
    if (lane !== 'members') return this.#placed(lookup);
    const rest = cards.resting.of(cardId);
    if (rest?.isSatOut && rest.untilMs - performance.now() > longestWaitMs) return { refusal: rest.error };
    // The last place of a newcomer, who has nothing in the queue, is in the present round, whatever others have queued.
    const { turn, position, lastPosition } = this.#queue.placeOf(lookup);
    const permitAtMs = this.#forecasts();
    const lastMs = permitAtMs(lastPosition);
    if (lastMs - Date.now() <= longestWaitMs) return this.#placed(lookup, turn);
    // By then the last place is within the longest wait, should nobody else come.
    const untilMs = Math.max(permitAtMs(position), lastMs - longestWaitMs);
    return { refusal: new Busy({ untilMs, paused: limiter.view().paused }) };
  }

  /**
   * It counts for fairness, waits and budgets from now on, but no request is sent for it alone before it is started.
   */
  #placed(lookup: Lookup, turn?: Turn): Admission {
    const rest = this.#options.cards.resting.of(lookup.cardId);
    const waiter = this.#queue.join(lookup, rest?.isSatOut ? rest.untilMs : 0, turn);
    waiter.promise.catch(() => {}); // it may be refused before it is started
    const reservation: Reservation = {
      progress: waiter.progress,
      start: (onProgress) => {
        Object.assign(waiter, { onProgress, startedAtMs: performance.now() });
        this.#wake(); // a permit may be free
        return waiter.promise;
      },
      cancel: () => {
        this.#queue.cancel(waiter);
        this.#wake(); // others move up
      },
    };
    return { reservation };
  }

  /**
   * A bulk request may count as one for each of its cards, so each process keeps to its part of what remains of the
   * day.
   */
  #limits(): BatchLimits {
    const { service, limiter, otherQueues } = this.#options;
    if (!service.limits) return ONE_BY_ONE;
    const remaining = limiter.view().quota?.remaining;
    const processes = 1 + otherQueues.lengths().length;
    return service.limits(Date.now(), remaining && Math.floor(remaining / processes));
  }

  /**
   * By one look at the limiter: when the n-th card that waits is expected to be requested, so many with each permit.
   */
  #forecasts() {
    const { most } = this.#limits();
    const view = this.#options.limiter.view();
    return (position: number, lane: Lane = 'members') => view.forecast(lane, Math.ceil(position / most));
  }

  /**
   * What goes out as one request: one card after the other, until one does not fit. What can only be requested by
   * itself is passed over, unless it is the first.
   *
   * @returns `isFull`: nothing that comes later would get into it
   */
  #fill<T extends { cardId: string }>(inOrder: Iterable<T>, { most, room, lengthOf }: BatchLimits) {
    const { resting } = this.#options.cards;
    const cards: T[] = [];
    let left = room;
    for (const next of inOrder) {
      const length = lengthOf(next.cardId);
      const isAlone = most === 1 || length > room || resting.isAlone(next.cardId);
      if (isAlone && cards.length > 0) continue;
      left -= length;
      if (isAlone || left >= 0) cards.push(next);
      if (isAlone || left < 0 || cards.length === most) return { cards, isFull: true };
    }
    return { cards, isFull: false };
  }

  /** Sends one request after the other as long as there are permits. */
  async #run(): Promise<void> {
    await undefined; // a command starts its lookups in one go: the queue looks when all of them are there
    try {
      while (this.#queue.length > 0) {
        const untilMs = await this.#next();
        if (untilMs !== undefined) return this.#sleepUntil(untilMs);
      }
    } catch (err) {
      this.#options.log.error({ err }, 'lookup queue failed');
    }
  }

  /** @returns when to look again; `undefined`: at once */
  async #next(): Promise<number | undefined> {
    const { limiter, claims } = this.#options;
    const nowMs = performance.now();
    const aheadMs = Date.now() - nowMs;
    const view = limiter.view();
    const { cards: batch, leavesAtMs, retryAtMs } = this.#nextBatch(view, nowMs);
    const [first] = batch;
    if (!first) return aheadMs + retryAtMs;
    const { lane } = first.best;
    const decision = view.decide(lane);
    if (decision.kind === 'blocked') {
      this.#queue.refuseLane(lane, blockedError(decision));
      return undefined;
    }
    const permitAtMs = decision.kind === 'wait' ? decision.untilMs - aheadMs : nowMs;
    const isForOthers = claims.isShared && permitAtMs > nowMs && this.#hasHadLast(lane);
    const atMs = Math.max(leavesAtMs, permitAtMs + (isForOthers ? TURN_MS : 0));
    return atMs > nowMs ? aheadMs + Math.min(atMs, retryAtMs) : this.#claimAndAcquire(batch);
  }

  /** Processes take turns: who had the last permit leaves the next to the others for a moment. */
  #hasHadLast(lane: Lane): boolean {
    const { limiter, otherQueues } = this.#options;
    if (otherQueues.lengths().length === 0) return false;
    const view = limiter.view();
    const [nextMs, afterMs] = [view.forecast(lane, 1), view.forecast(lane, 2)];
    const sinceMs = performance.now() - this.#leftAtMs + nextMs - Date.now();
    return sinceMs < TURN_OF_INTERVAL * (afterMs - nextMs);
  }

  /**
   * @returns with the cards, when they leave if there is a permit: at once if no more fit or no request is under way,
   *   otherwise when one returns, or after 250 ms; not before one returns where one card is to tell what is wrong. And
   *   when the first of those may be requested that would go before them. Times are monotonic
   */
  #nextBatch({ trouble, isProbing }: LimiterView, nowMs: number) {
    const { cards } = this.#options;
    const limits = this.#limits();
    let retryAtMs = Number.POSITIVE_INFINITY;
    const ready = () =>
      this.#queue.inOrder().filter((pending) => {
        const atMs = readyAtMs(pending);
        if (atMs > nowMs) retryAtMs = Math.min(retryAtMs, atMs);
        return atMs <= nowMs;
      });
    // While the service may be down, what is asked for other cards than those that may be what fails tells most.
    const isInDoubt = trouble !== undefined && !isProbing;
    const isTrusted = ({ cardId }: Pending) => !isInDoubt || !cards.resting.isSuspect(cardId);
    const trusted = this.#fill(ready().filter(isTrusted), limits);
    const batch = trusted.cards.length > 0 ? trusted : this.#fill(ready(), limits);
    const sinceMs = Math.min(...batch.cards.map(readyAtMs));
    const isHeld = !batch.isFull && this.#endedAtMs < sinceMs;
    let leavesAtMs = isHeld ? sinceMs + LONGEST_HOLD_MS : nowMs;
    if (limits.goesAlone) leavesAtMs = Number.POSITIVE_INFINITY; // the request that ends wakes the queue
    return { ...batch, retryAtMs, leavesAtMs: this.#underWay.size === 0 ? nowMs : leavesAtMs };
  }

  /** Claims the cards and sends the request, if there is a permit. @returns when to look again; `undefined`: at once */
  async #claimAndAcquire(selected: readonly Pending[]): Promise<number | undefined> {
    const { claims, limiter } = this.#options;
    const isToBeSent = await Promise.all(selected.map((pending) => this.#claim(pending)));
    const batch = selected.filter((_, index) => isToBeSent[index]);
    const [first] = batch;
    if (!first) return undefined;

    const { everyMs: ttlMs } = batch.length > 1 ? this.#limits() : ONE_BY_ONE;
    const hasTurn = ttlMs !== undefined;
    const turn = hasTurn ? await claims.claim(TURN, { ttlMs, endsWithOwner: false }) : 'mine';
    if (!isMine(turn)) {
      void this.#releaseClaims(batch);
      return Date.now() + turn.heldForMs;
    }
    const acquired = await limiter.acquire(first.best.lane);
    if (acquired.kind !== 'permit') {
      if (hasTurn) void claims.release(TURN);
      void this.#releaseClaims(batch);
      return acquired.kind === 'wait' ? acquired.untilMs : undefined;
    }
    this.#leftAtMs = performance.now();
    // Others may have left by now; and a probe is to tell how the service is, not its bulk requests.
    const most = batch.length === 1 || acquired.permit.probe ? 1 : this.#limits().most;
    if (batch.length > most) void this.#releaseClaims(batch.slice(most));
    const request: Promise<void> = this.#send(batch.slice(0, most), acquired.permit).finally(() => {
      this.#underWay.delete(request);
      this.#endedAtMs = performance.now();
      this.#wake();
    });
    this.#underWay.add(request);
    return undefined;
  }

  /** @returns whether the card needs a request, and this process has claimed it */
  async #claim(pending: Pending): Promise<boolean> {
    const { claims, requestTimeoutMs } = this.#options;
    const name = claimOf(pending.cardId);
    // In one round trip, the claim first: what its last owner stored is there once this process has it.
    const [claimed, isKnown] = await Promise.all([
      claims.claim(name, { ttlMs: requestTimeoutMs + CLAIM_MARGIN_MS, endsWithOwner: true }),
      this.#endIfKnown(pending),
    ]);
    // Another process may be asking, too, for what is claimed here alone.
    const isToBeSent = claimed === 'mine' && !isKnown && this.#queue.has(pending);
    if (claimed !== 'mine') pending.notBeforeMs = performance.now() + CLAIM_RETRY_MS;
    if (!isMine(claimed)) noteAskedElsewhere(pending);
    else if (!isToBeSent) void claims.release(name);
    return isToBeSent;
  }

  /** Ends the lookup if its card is known by now, or may not be requested. @returns whether it needs no request now */
  async #endIfKnown(pending: Pending): Promise<boolean> {
    const { cards, claims } = this.#options;
    const withPrices = wantsPrices(pending);
    try {
      const { kind, answer } = await cards.known(pending.cardId, withPrices, { isBeforeRequest: true });
      pending.kept = answer;
      if (kind !== 'fresh') return false;
      if (wantsPrices(pending) === withPrices && this.#queue.has(pending)) {
        // By another process; in files it came with another spelling of the id, which has counted it.
        if (claims.isShared) noteCounted(pending, Math.max(answer.fetchedAtMs, answer.delistedAtMs ?? 0));
        this.#settle(pending, answer);
      }
    } catch (error) {
      this.#queue.end(pending, asCardServiceError(error));
    }
    return true;
  }

  /**
   * A request's life, from its permit to what becomes of each card. It is booked on the first in its lane who may spend
   * it; where there is nobody, none is sent. Never rejects.
   */
  async #send(batch: readonly Pending[], permit: Permit): Promise<void> {
    const { limiter } = this.#options;
    const wanted = batch.filter((pending) => this.#queue.has(pending));
    this.#queue.left(wanted);
    const lane = wanted[0]?.best.lane;
    const booked = wanted.find((pending) => pending.best.lane === lane && pending.payer.ceiling?.left !== 0);
    if (booked) await this.#request(wanted, booked, permit);
    else {
      await limiter.release(permit, { kind: 'abandoned' });
      for (const pending of wanted) {
        this.#queue.back(pending);
        const hasSpent = ({ requester }: Lookup) => requester.ceiling?.left === 0;
        this.#queue.refuseWaiters(pending, hasSpent, () => new CeilingReached());
      }
    }
    await this.#releaseClaims(batch);
  }

  async #request(batch: readonly Pending[], booked: Pending, permit: Permit): Promise<void> {
    const { service, cards, log } = this.#options;
    const requester = booked.payer;
    const cardIds = batch.map(({ cardId }) => cardId);
    const isInBulk = batch.length > 1;
    const waiters = batch.flatMap((pending) => [...pending.waiters]);
    const members = new Set(waiters.map(({ lookup }) => lookup.requester.memberId));
    log.debug({ cardIds, lane: booked.best.lane, members: [...members] }, 'card requested');
    const kept = new Map(batch.map((pending) => [pending.cardId, pending.kept]));
    const isSuspect = cards.resting.isSuspect(booked.cardId);
    const request = { permit, requester, endpoint: isInBulk ? 'cards' : 'card', isSuspect } as const;
    try {
      const send = () => service.fetch(cardIds, this.#abort.signal);
      const { answer: fetched, released } = await sendBooked(this.#options, request, send);
      this.#counted(batch);
      const records = await cards.store(fetched.cards, kept);
      await released;
      for (const pending of batch) {
        const answer = records.get(pending.cardId);
        if (answer) this.#settle(pending, answer, pending === booked);
        else {
          // That it was left out does not mean that there is none.
          cards.resting.leftOut(pending.cardId, fetched.againAtMost);
          this.#queue.back(pending);
        }
      }
    } catch (error) {
      if (meaningOf(error).isCounted) this.#counted(batch);
      this.#log(cardIds, error);
      for (const pending of batch) this.#failed(pending, error, { isInBulk, isSuspect: pending === booked });
    }
  }

  /** @param isBooked on its payer; otherwise all are saved a request */
  #settle(pending: Pending, answer: CardRecord | CardServiceError, isBooked = false): void {
    if (answer instanceof CardServiceError) {
      this.#log([pending.cardId], answer);
      this.#failed(pending, answer);
      return;
    }
    this.#outage.succeeded();
    for (const { lookup } of pending.waiters)
      if (!isBooked || lookup.requester !== pending.payer) this.#options.ledger.saved(lookup.requester);
    this.#queue.end(pending, answer);
  }

  /** The service has counted a request for these. */
  #counted(batch: readonly Pending[]): void {
    this.#countedRequests += 1;
    for (const pending of batch) noteCounted(pending, this.#countedRequests);
  }

  /** It waits again, or is refused. */
  #failed(pending: Pending, error: unknown, as: { isInBulk?: boolean; isSuspect?: boolean } = {}): void {
    const { limiter, cards } = this.#options;
    this.#queue.back(pending);
    const { retry } = meaningOf(error);
    if (retry === 'nextPermit') return;
    if (retry === 'never') {
      this.#queue.end(pending, asCardServiceError(error));
      return;
    }
    const { stop, blockedFor } = limiter.view();
    const blocked = blockedFor(pending.best.lane);
    const isHiccup = !blocked && stop?.reason === 'outage' && stop.untilMs > Date.now();
    const rest = cards.resting.failed(pending.cardId, asCardServiceError(error), { ...as, isHiccup });
    if (blocked) this.#queue.end(pending, blockedError(blocked));
    else if (rest.isGivenUp) this.#queue.end(pending, rest.error);
    else pending.notBeforeMs = rest.untilMs;
  }

  /** Another process may request them: no request for them is under way here. */
  async #releaseClaims(batch: readonly Pending[]): Promise<void> {
    await Promise.all(batch.map(({ cardId }) => this.#options.claims.release(claimOf(cardId))));
  }

  /** Who waits is told meanwhile. */
  #sleepUntil(atMs: number): void {
    if (this.#queue.isClosed || !Number.isFinite(atMs)) return;
    this.#wakeTimer.set(atMs);
    // The lower of the two, should the clock have been set back.
    this.#announceTimer.set(Math.min(this.#announcedAtMs, Date.now()) + ANNOUNCE_EVERY_MS);
  }

  #announce(): void {
    this.#announcedAtMs = Date.now();
    const { paused } = this.#options.limiter.view();
    this.#queue.announce(this.#forecasts(), paused, this.#announcedAtMs);
  }

  #log(cardIds: readonly string[], error: unknown): void {
    const { log } = this.#options;
    const what = cardIds.length > 1 ? { cardIds } : { cardId: cardIds[0] };
    if (error instanceof ServiceDown) {
      this.#outage.failed({ ...what, err: error });
      log.debug({ ...what, reason: error.message }, 'card request failed');
    } else log[meaningOf(error).level]({ ...what, err: error }, 'card request failed');
  }
}
