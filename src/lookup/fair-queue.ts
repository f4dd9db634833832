import type { CardQuery, CardRecord } from '../model/card.ts';
import { Busy, CardServiceError, Stopping } from '../model/errors.ts';
import { guildKey, placeKey, type Requester } from '../model/quota.ts';
import type { Charged } from '../quota/budget.ts';
import { LANES, type Lane } from '../quota/decision.ts';

/** One member's wish for one card, or that of the watches. */
export interface Lookup extends CardQuery {
  lane: Lane;
  requester: Requester;
  /** After this the answer can no longer be shown. */
  deadlineMs: number;
  /** By a process that has ended: only what blocks all requests refuses it. */
  wasAdmitted?: boolean | undefined;
}

/** How a lookup has gone so far. */
export interface Progress {
  /** When a permit is expected, while there is none. */
  permitAtMs?: number | undefined;
  /** When the first request for it left, or when it joined that. */
  requestedAtMs?: number;
  /** When another process was first seen to request the card. */
  askedElsewhereAtMs?: number;
  /**
   * The requests for it that the service has counted. A number is the same for all cards of the request; of another
   * process's it is the time of the answer.
   */
  requestNumbers: Set<number>;
}

/** The lookup queues of the other processes that share the quota. Both methods answer at once. */
export interface OtherQueues {
  /** Has the others told how many pending lookups of members wait here: with each heartbeat, which is sent anyway. */
  tell(lengthNow: () => number): void;
  /** The length that each other process alive told last; empty while they cannot be reached. */
  lengths(): readonly number[];
}

/** Where a lookup stands in its lane: by round, then by its turn in the round. */
export interface Turn {
  round: number;
  turn: number;
}

/** Where a lookup stands: by lane, then by its turn there, then by age. */
interface Place extends Turn {
  lane: Lane;
  /** No two have the same. */
  arrival: number;
}

/** A lookup that waits, with its place and the promise of its answer. */
export interface Waiter extends Place, PromiseWithResolvers<CardRecord> {
  readonly lookup: Lookup;
  /** By the monotonic clock; never while it is only admitted: no request is sent for it alone. */
  startedAtMs: number;
  readonly progress: Progress;
  onProgress?: (() => void) | undefined;
}

/** One card that is wanted, and everyone who waits for it. */
export interface Pending {
  readonly cardId: string;
  /** In the order in which they came. */
  readonly waiters: Set<Waiter>;
  /** The best placed of them: a member lifts a renewal. */
  best: Waiter;
  /** On whom the request is booked: the first who came for its lane. The others are saved one. */
  payer: Requester;
  isUnderWay: boolean;
  /**
   * By the monotonic clock: before that it is not requested, after a failure, or because another process has the card.
   */
  notBeforeMs: number;
  /** The copy that an answer replaces, as it was known before the request. */
  kept: CardRecord | undefined;
}

/** A time that moved by less is not announced again: each waiter would look at its whole reply every second. */
const ANNOUNCED_TO_MS = 1_000;

/**
 * The cards that this process is to ask for, one pending lookup each, in fair order. Sends nothing. To join, to leave
 * and to be served takes at most the logarithm of what waits; only announcements look at all.
 */
export class FairQueue {
  readonly #otherQueues: OtherQueues;
  readonly #byCard = new Map<string, Pending>();
  readonly #lanes: Record<Lane, FairLane> = {
    members: new FairLane(),
    renewals: new FairLane(),
    watches: new FairLane(),
  };
  /** What waits to be booked on each member and each Discord server. */
  readonly #queued = new Map<string, number>();
  #arrivals = 0;
  /** How many requests have left. */
  leftCount = 0;
  isClosed = false;

  constructor(otherQueues: OtherQueues) {
    this.#otherQueues = otherQueues;
    otherQueues.tell(() => this.#lanes.members.waiting.length);
  }

  /** How many wait for a permit. */
  get length(): number {
    const { members, renewals, watches } = this.#lanes;
    return members.waiting.length + renewals.waiting.length + watches.waiting.length;
  }

  get(cardId: string): Pending | undefined {
    return this.#byCard.get(cardId);
  }

  /** Whether this one is still wanted; a later one of the same card is another. */
  has(pending: Pending): boolean {
    return this.#byCard.get(pending.cardId) === pending;
  }

  /** Requests that wait to be booked on the requester and on their Discord server. */
  queuedBy(requester: Requester): Charged {
    return {
      member: this.#queued.get(memberOf(requester)) ?? 0,
      guild: this.#queued.get(guildOf(requester)) ?? 0,
    };
  }

  /**
   * Which permit from now a lookup would get that came now; 1 is the next.
   *
   * @returns `lastPosition`: the position that it must be able to wait for, so that the times promised to others hold:
   *   behind its round if it is its requester's first, otherwise behind everything
   */
  placeOf({ cardId, lane, requester }: Lookup): { turn: Turn; position: number; lastPosition: number } {
    const fairLane = this.#lanes[lane];
    const turn = fairLane.turnFor(requester);
    const added = { lane, ...turn, arrival: Number.POSITIVE_INFINITY };
    const present = this.#byCard.get(cardId)?.best;
    const place = present && isBefore(present, added) ? present : added;
    const lengths = this.#otherQueues.lengths();
    const ahead = LANES.slice(0, LANES.indexOf(place.lane)).map((each) => this.#lanes[each].waiting.length);
    const before = this.#lanes[place.lane].lengthBefore(place);
    const position = positionOfAll(sumOf(ahead) + before + 1, lengths);
    if (present?.lane === lane) return { turn, position, lastPosition: position };
    const lastPosition =
      turn.round === fairLane.newcomersRound
        ? positionOfAll(1 + fairLane.lengthTo(turn.round), lengths)
        : sumOf(lengths) + fairLane.waiting.length + 1;
    return { turn, position, lastPosition: Math.max(position, lastPosition) };
  }

  /**
   * Joins the pending lookup of the same card, or makes one.
   *
   * @param notBeforeMs when a new one may be requested, by the monotonic clock
   * @param turn that it would have, where that was asked for in the same moment
   */
  join(lookup: Lookup, notBeforeMs: number, turn = this.#lanes[lookup.lane].turnFor(lookup.requester)): Waiter {
    const { cardId, lane } = lookup;
    const waiter: Waiter = {
      ...Promise.withResolvers<CardRecord>(),
      ...turn,
      lookup,
      lane,
      arrival: ++this.#arrivals,
      startedAtMs: Number.POSITIVE_INFINITY,
      progress: { requestNumbers: new Set() },
    };
    const present = this.#byCard.get(cardId);
    if (present?.isUnderWay) noteRequest(waiter);
    else this.#lanes[lane].reserve(waiter);
    if (!present) {
      const waits = { isUnderWay: false, notBeforeMs, kept: undefined };
      const pending = { cardId, waiters: new Set([waiter]), best: waiter, payer: lookup.requester, ...waits };
      this.#byCard.set(cardId, pending);
      this.#place(pending);
    } else if (isBefore(waiter, present.best)) this.#change(present, () => present.waiters.add(waiter));
    else present.waiters.add(waiter);
    return waiter;
  }

  /** It is given up. What others still want keeps its place. */
  cancel(waiter: Waiter): void {
    const pending = this.#byCard.get(waiter.lookup.cardId);
    if (pending?.waiters.has(waiter)) this.#leave(pending, [waiter]);
  }

  /** Refuses those who want the card and fit. */
  refuseWaiters(pending: Pending, fits: (lookup: Lookup) => boolean, why: () => CardServiceError): void {
    const left = [...pending.waiters].filter(({ lookup }) => fits(lookup));
    if (left.length === 0) return;
    const error = why();
    this.#leave(pending, left);
    for (const { reject } of left) reject(error);
  }

  /** Refuses all who wait for a permit in the lane. */
  refuseLane(lane: Lane, error: CardServiceError): void {
    for (const pending of [...this.#lanes[lane].waiting]) this.end(pending, error);
  }

  /** Refuses all that wait now, and what comes back from a request later. */
  close(): void {
    this.isClosed = true;
    for (const lane of LANES) this.refuseLane(lane, new Stopping());
  }

  /** All that wait, in the order of their places; those too for which no request may be sent yet. */
  inOrder(): IteratorObject<Pending> {
    return LANES.values().flatMap((lane) => this.#lanes[lane].waiting);
  }

  /** One request leaves for these. */
  left(batch: readonly Pending[]): void {
    this.leftCount += 1;
    for (const pending of batch) {
      this.#lanes[pending.best.lane].served(pending);
      this.#remove(pending);
      this.#free(pending.waiters);
      pending.isUnderWay = true;
      for (const waiter of pending.waiters) noteRequest(waiter);
    }
  }

  /** The request brought no answer for it: it waits again, unless all have left. */
  back(pending: Pending): void {
    if (this.isClosed) {
      this.end(pending, new Stopping());
      return;
    }
    pending.isUnderWay = false;
    for (const waiter of pending.waiters) {
      const lane = this.#lanes[waiter.lane];
      Object.assign(waiter, lane.turnFor(waiter.lookup.requester, waiter));
      lane.reserve(waiter);
    }
    this.#placeBest(pending);
  }

  /** It is answered or refused, for all who want it. */
  end(pending: Pending, answer: CardRecord | CardServiceError): void {
    if (!this.has(pending)) return;
    if (!pending.isUnderWay) {
      this.#remove(pending);
      this.#free(pending.waiters);
    }
    this.#byCard.delete(pending.cardId);
    for (const { resolve, reject } of pending.waiters) {
      if (answer instanceof CardServiceError) reject(answer);
      else resolve(answer);
    }
  }

  /**
   * Tells all who wait when their permit is expected; who cannot wait until then is refused.
   *
   * @param paused whether the service asked us to wait
   */
  announce(permitAtMs: (position: number, lane: Lane) => number, paused: boolean, nowMs: number): void {
    const lengths = this.#otherQueues.lengths();
    let withMembersMs = Number.NEGATIVE_INFINITY;
    for (const [index, pending] of [...this.inOrder()].entries()) {
      const { lane } = pending.best;
      const position = positionOfAll(1 + index, lengths);
      const asMembersMs = permitAtMs(position, 'members');
      if (lane === 'members') withMembersMs = asMembersMs;
      // What fits into the request of a member needs no permit of its own lane.
      const permittedAtMs = asMembersMs <= withMembersMs ? asMembersMs : permitAtMs(position, lane);
      const atMs = Math.max(permittedAtMs, nowMs + Math.max(0, pending.notBeforeMs - performance.now()));
      const isLate = ({ deadlineMs }: Lookup) => deadlineMs < atMs;
      this.refuseWaiters(pending, isLate, () => new Busy({ untilMs: atMs, paused }));
      tellMembers(pending, atMs);
    }
  }

  #leave(pending: Pending, left: readonly Waiter[]): void {
    this.#change(pending, () => {
      for (const waiter of left) pending.waiters.delete(waiter);
    });
    if (!pending.isUnderWay) this.#free(left);
  }

  /** Who decides its place may change only while it stands nowhere. One under way goes on, even if all have left. */
  #change(pending: Pending, change: () => void): void {
    if (!pending.isUnderWay) this.#remove(pending);
    change();
    if (!pending.isUnderWay) this.#placeBest(pending);
  }

  /** Where the best placed of those stands who want it, if anybody does. */
  #placeBest(pending: Pending): void {
    const best = bestOf(pending.waiters);
    if (best) {
      const first = pending.waiters.values().find(({ lane }) => lane === best.lane) ?? best;
      Object.assign(pending, { best, payer: first.lookup.requester });
      this.#place(pending);
    } else this.#byCard.delete(pending.cardId);
  }

  #place(pending: Pending): void {
    this.#lanes[pending.best.lane].add(pending);
    this.#countQueued(pending, 1);
  }

  #remove(pending: Pending): void {
    this.#lanes[pending.best.lane].delete(pending);
    this.#countQueued(pending, -1);
  }

  #free(waiters: Iterable<Waiter>): void {
    for (const waiter of waiters) this.#lanes[waiter.lane].free(waiter);
  }

  #countQueued({ payer }: Pending, by: 1 | -1): void {
    for (const whose of [memberOf(payer), guildOf(payer)]) {
      const queued = (this.#queued.get(whose) ?? 0) + by;
      if (queued === 0) this.#queued.delete(whose);
      else this.#queued.set(whose, queued);
    }
  }
}

/** Processes take turns: before the n-th permit of this one, each other has had n, or as many as it wants. */
function positionOfAll(position: number, lengths: readonly number[]): number {
  return position + sumOf(lengths.map((length) => Math.min(length, position)));
}

function sumOf(lengths: readonly number[]): number {
  return lengths.reduce((sum, length) => sum + length, 0);
}

const memberOf = ({ memberId }: Requester) => `member ${memberId}`;
const guildOf = (requester: Requester) => `server ${guildKey(requester)}`;

function bestOf(waiters: Iterable<Waiter>): Waiter | undefined {
  let best: Waiter | undefined;
  for (const waiter of waiters) if (!best || isBefore(waiter, best)) best = waiter;
  return best;
}

/** When it may be requested, by the monotonic clock; never while nobody who wants it is started. */
export function readyAtMs({ waiters, notBeforeMs }: Pending): number {
  let firstMs = Number.POSITIVE_INFINITY;
  for (const { startedAtMs } of waiters) firstMs = Math.min(firstMs, startedAtMs);
  return Math.max(notBeforeMs, firstMs);
}

/** Whether anyone wants prices, so that a copy without fresh ones does not do. */
export function wantsPrices({ waiters }: Pending): boolean {
  return waiters.values().some(({ lookup }) => lookup.showPrices);
}

function noteRequest({ progress, onProgress }: Waiter): void {
  progress.permitAtMs = undefined;
  progress.requestedAtMs ??= Date.now();
  onProgress?.();
}

export function noteCounted({ waiters }: Pending, requestNumber: number): void {
  for (const { progress } of waiters) progress.requestNumbers.add(requestNumber);
}

/** Another process requests the card. */
export function noteAskedElsewhere({ waiters }: Pending): void {
  for (const { progress, onProgress } of waiters) {
    if (progress.askedElsewhereAtMs !== undefined) continue;
    progress.askedElsewhereAtMs = Date.now();
    onProgress?.();
  }
}

/** When their permit is expected, where that has moved. */
function tellMembers({ waiters }: Pending, atMs: number): void {
  for (const { lane, progress, onProgress } of waiters) {
    const knownMs = progress.permitAtMs ?? Number.NEGATIVE_INFINITY;
    if (lane !== 'members' || Math.abs(atMs - knownMs) < ANNOUNCED_TO_MS) continue;
    progress.permitAtMs = atMs;
    onProgress?.();
  }
}

/** Newcomers get into a round for so long, at least: see `FairLane`. */
const ROUND_OPEN_MS = 15_000;

/**
 * Start-time fair queuing in rounds. A lookup is of the round behind all that its requester waits for and, when there
 * is nothing, of the one that is being served; within it, its turn is likewise behind what the Discord server waits
 * for. No two cards of one member are in the same round, so a burst delays another member's first lookup by one permit
 * at most, even when others join it; and the burst has no effect once it is served.
 *
 * A round is open to newcomers for 15 s, and until as many were served as it had when it began. After that they are of
 * the next, so that an endless stream of them overtakes nobody for ever.
 */
class FairLane {
  /** In order. */
  readonly waiting: Pending[] = [];
  #served = { round: 0, turn: 0 };
  /** By the monotonic clock. */
  #opensUntilMs = 0;
  /** How many of its cards are to be served before it closes. */
  #left = 0;
  /** The rounds that each member waits for, and the turns of each place in a round. */
  readonly #rounds = new Tags();
  readonly #turns = new Tags();

  /** The round that somebody gets who waits for nothing. */
  get newcomersRound(): number {
    const isOpen = this.#left > 0 || performance.now() < this.#opensUntilMs;
    return this.#served.round + (isOpen ? 0 : 1);
  }

  /**
   * The turn of a lookup that comes now.
   *
   * @param before its turn before a permit that brought no answer: there it is again, unless the round is over, or its
   *   requester waits for another card of it
   */
  turnFor(requester: Requester, before?: Turn): Turn {
    const served = this.#served;
    const earliest = before ? Math.max(before.round, served.round) : this.newcomersRound;
    const round = this.#rounds.next(requester.memberId, earliest, before !== undefined);
    if (round === before?.round) return { round, turn: before.turn };
    return { round, turn: this.#turns.next(turnsOf(round, requester), round === served.round ? served.turn : 0) };
  }

  lengthBefore(place: Place): number {
    return countWhile(this.waiting, ({ best }) => isBefore(best, place));
  }

  /** How many wait in this round and those before it. */
  lengthTo(round: number): number {
    return countWhile(this.waiting, ({ best }) => best.round <= round);
  }

  add(pending: Pending): void {
    this.waiting.splice(this.lengthBefore(pending.best), 0, pending);
  }

  delete(pending: Pending): void {
    this.waiting.splice(this.lengthBefore(pending.best), 1);
  }

  reserve({ round, turn, lookup }: Waiter): void {
    this.#rounds.reserve(lookup.requester.memberId, round);
    this.#turns.reserve(turnsOf(round, lookup.requester), turn);
  }

  free({ round, turn, lookup }: Waiter): void {
    this.#rounds.free(lookup.requester.memberId, round);
    this.#turns.free(turnsOf(round, lookup.requester), turn);
  }

  /**
   * One that waits gets a permit. The order goes on from the first in order, not from one that was started before
   * others of its requester, which would put newcomers behind all of these.
   */
  served(pending: Pending): void {
    const nowMs = performance.now();
    const first = this.waiting.find(({ notBeforeMs }) => notBeforeMs <= nowMs) ?? pending;
    const { round, turn } = isBefore(first.best, pending.best) ? first.best : pending.best;
    if (round > this.#served.round) {
      this.#served = { round, turn };
      this.#opensUntilMs = nowMs + ROUND_OPEN_MS;
      this.#left = this.lengthTo(round);
    } else if (round === this.#served.round) this.#served.turn = Math.max(this.#served.turn, turn);
    this.#left -= 1;
  }
}

const turnsOf = (round: number, requester: Requester) => `${round} ${placeKey(requester)}`;

/** The places that are taken in one order, by who has them. */
class Tags {
  /** Each ascending. */
  readonly #of = new Map<string, number[]>();

  /** @param keeps takes `earliest` itself if it is free, although others behind it are taken */
  next(flow: string, earliest: number, keeps = false): number {
    const taken = this.#of.get(flow);
    const last = taken?.at(-1) ?? Number.NEGATIVE_INFINITY;
    return keeps && !taken?.includes(earliest) ? earliest : Math.max(earliest, last + 1);
  }

  reserve(flow: string, tag: number): void {
    const taken = this.#of.get(flow);
    if (taken) taken.splice(1 + taken.findLastIndex((other) => other < tag), 0, tag);
    else this.#of.set(flow, [tag]);
  }

  free(flow: string, tag: number): void {
    const taken = this.#of.get(flow) ?? [];
    taken.splice(taken.indexOf(tag), 1);
    if (taken.length === 0) this.#of.delete(flow);
  }
}

function isBefore(a: Place, b: Place): boolean {
  if (a.lane !== b.lane) return LANES.indexOf(a.lane) < LANES.indexOf(b.lane);
  if (a.round !== b.round) return a.round < b.round;
  return a.turn === b.turn ? a.arrival < b.arrival : a.turn < b.turn;
}

/** How many it is true of: those come first. It is asked of the logarithm of their number. */
function countWhile<T>(items: readonly T[], isTrue: (item: T) => boolean): number {
  let [from, to] = [0, items.length];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    const item = items[middle];
    if (item !== undefined && isTrue(item)) from = middle + 1;
    else to = middle;
  }
  return from;
}
