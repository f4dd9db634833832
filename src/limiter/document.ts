import { z } from 'zod';
import type { Logger } from '../log.ts';
import type { Events } from '../model/events.ts';
import type { Processes } from '../model/processes.ts';
import { type Rows, update } from '../model/rows.ts';
import { Moment, movedBy, storedJson } from '../model/stored-json.ts';
import { DAY_MS } from '../time/utc-day.ts';
import { afterLost, type Flow, stopOf } from './decision.ts';
import { newsOf } from './news.ts';
import { at, INITIAL_STATE, LimiterState, startedUnder, type Terms } from './state.ts';
import { leastOf, newerOf } from './windows.ts';

/** What others need to know of a process. */
const Process = z.object({
  /** Its requests that have left and have not ended. */
  underWay: z.int().nonnegative(),
  /** One of them is the probe. */
  isProbing: z.boolean(),
  /** Since when it waits for a token, and until when one is left to it. */
  turn: z.object({ sinceMs: Moment, untilMs: Moment }).optional(),
});
export type Process = z.infer<typeof Process>;
const IDLE: Process = { underWay: 0, isProbing: false };

/**
 * A limiter's state, and what is under way in all processes. Stored as JSON, all times by the clock that they share.
 */
export const SharedState = z.object({
  state: LimiterState,
  by: z.record(z.string(), Process),
  /** How often it was written: what is stored may be lost, or go back, as in a failover. */
  version: z.int().default(0),
});
export type SharedState = z.infer<typeof SharedState>;

/** What is known with something else of one process. */
export function withMine(known: SharedState, id: string, change: (mine: Process) => Process): SharedState {
  return { ...known, by: { ...known.by, [id]: change(known.by[id] ?? IDLE) } };
}

/** What is under way as one process sees it: another whose turn it is before is ahead. */
export function flowIn({ by }: SharedState, id: string, nowMs: number): Omit<Flow, 'answersTakeMs'> {
  const mine = by[id]?.turn;
  const mineMs = mine && mine.untilMs >= nowMs ? mine.sinceMs : Number.POSITIVE_INFINITY;
  const flow = { underWay: 0, isProbing: false, ahead: 0 };
  for (const { underWay, isProbing, turn } of Object.values(by)) {
    flow.underWay += underWay;
    flow.isProbing ||= isProbing;
    if (turn && turn.untilMs >= nowMs && turn.sinceMs < mineMs) flow.ahead++;
  }
  return flow;
}

/** What becomes of what is known, perhaps again of what is newer; `undefined`: nothing any more. */
export type Change = (known: SharedState) => SharedState | undefined;

interface Unwritten {
  change: Change;
  /** It counts only once it is stored; any other counts at once. */
  isWish: boolean;
  settle(isStored: boolean): void;
}

export interface DocumentOptions {
  terms: Terms;
  log: Logger;
  /** Told of every change. */
  events?: Events | undefined;
  rows: Rows;
  /** What the quota belongs to. */
  account: string;
  processes: Pick<Processes, 'id' | 'isDead' | 'onLook'>;
  /** Whether the rows can be reached: `usable` or not; absent: always. */
  link?: { health: string; onHealth(listener: (health: string) => void): void };
}

/** Longer than a quota window, so that nothing that still counts expires. */
const KEPT = { keepMs: 35 * DAY_MS };
/** Most outages of a Redis are over by then. */
export const STORE_AWAITED_MS = 30_000;
/** Clocks of processes are known as well as this. */
const CLOCKS_MS = 100;
/** What was noted so much later than now was noted before a clock was set back. */
const CLOCKS_DIFFER_MS = 1_000;

/**
 * The state of a limiter: a row that each of the processes that share it writes if it is still as it was read, and a
 * copy here. While other processes cannot be reached this one is away: it keeps what it knows, and writes that when it
 * joins again. Who shares with nobody is never away: what cannot be written is known here. No method rejects.
 */
export class LimiterDocument {
  /** Names this run of the process. */
  readonly id: string;
  readonly #options: DocumentOptions;
  readonly #row: { part: string; key: string };
  readonly #first: SharedState;
  #notify = () => {};
  /** As it was read or written last. */
  #agreed: { text: string | undefined; shared: SharedState } | undefined;
  /** What this process has under way it knows best: whether the last permit that it wanted was stored, it need not. */
  #mine = IDLE;
  #unwritten: readonly Unwritten[] = [];
  /** Those of them whose write may succeed yet. */
  #beingWritten: readonly Unwritten[] = [];
  #known: SharedState;
  #awaySinceMs: number | undefined;
  #writing: Promise<void> | undefined;
  /** When the monotonic clock began, by this machine's. */
  #beganMs = 0;

  constructor(options: DocumentOptions) {
    const { link, rows, processes, account, terms } = options;
    this.id = processes.id;
    this.#options = options;
    this.#row = { part: 'limiter', key: account };
    this.#first = { state: startedUnder(INITIAL_STATE, terms.setting), by: {}, version: 0 };
    this.#known = this.#first;
    if (rows.isShared) this.#awaySinceMs = performance.now();
    link?.onHealth((health) => (health === 'usable' ? void this.written() : this.#leave()));
    processes.onLook(() => void (this.#isAway ? this.written() : this.refresh()));
    if (!link || link.health === 'usable') void this.written();
  }

  /** As of now, by this machine's clock. */
  get known(): SharedState {
    if (!this.#options.rows.isShared && this.#known.state.atMs > Date.now()) this.#derive();
    return this.#known;
  }

  /** Since when the other processes cannot be reached, by the monotonic clock; `undefined` while they can. */
  get awaySinceMs(): number | undefined {
    return this.#awaySinceMs;
  }

  /** Joins if this process is away, and writes all that is not written, as soon as what is being written is. */
  written(): Promise<void> {
    this.#writing ??= this.#writeAll();
    return this.#writing;
  }

  /**
   * A change that counts only once it is stored.
   *
   * @returns whether it is: not when it makes nothing any more, or the other processes cannot be reached
   */
  wish(change: Change): Promise<boolean> {
    // By a clock that was set, what is known is of another time.
    if (Math.abs(Date.now() - performance.now() - this.#beganMs) > CLOCKS_DIFFER_MS) this.#leave();
    return this.#add(change, { isWish: true });
  }

  /**
   * A change that counts at once.
   *
   * @param isHeld it is stored together with the next
   * @returns when it is, or cannot be now
   */
  async note(change: Change, { isHeld = false } = {}): Promise<void> {
    await this.#add(change, { isHeld });
  }

  /** Reads what other processes have changed. @returns whether to decide again */
  async refresh(): Promise<boolean> {
    const { rows } = this.#options;
    if (!rows.isShared) return false;
    if (this.#isAway) await this.#writing;
    else {
      const found = await rows.read(this.#row.part, [this.#row.key]);
      if (found) await this.#adopt(found.get(this.#row.key));
      else this.#leave();
    }
    return !this.#isAway;
  }

  /** Called when other processes have changed when permits are expected. */
  onChange(listener: () => void): void {
    this.#notify = listener;
  }

  /** Leaves its turn to the others. */
  async close(): Promise<void> {
    await this.note((known) => withMine(known, this.id, ({ turn, ...mine }) => mine));
  }

  get #isAway(): boolean {
    return this.#awaySinceMs !== undefined;
  }

  #add(change: Change, { isWish = false, isHeld = false }): Promise<boolean> {
    return new Promise((settle) => {
      this.#unwritten = [...this.#unwritten, { change, isWish, settle }];
      if (!isWish) this.#known = change(this.known) ?? this.#known;
      if (this.#isAway) publish(this.#known.state, this.#options); // it is logged as it is written
      if (!isHeld) void this.written();
    });
  }

  async #adopt(text: string | undefined): Promise<void> {
    const before = this.#known;
    if (text !== this.#agreed?.text) {
      const shared = readable(text);
      if (!shared || this.#isLost(shared)) {
        this.#leave();
        return this.written();
      }
      this.#agreed = { text, shared };
    }
    this.#derive(); // a process may have died
    publish(this.#known.state, this.#options);
    if (!isScheduledAlike(before, this.#known)) this.#notify();
  }

  #leave(): void {
    if (!this.#options.rows.isShared) return;
    const isOver = (each: Unwritten) => !this.#beingWritten.includes(each);
    for (const each of this.#unwritten.filter(isOver)) each.settle(false);
    this.#unwritten = this.#unwritten.filter((each) => !(each.isWish && isOver(each)));
    if (this.#isAway) return;
    this.#awaySinceMs = performance.now();
    this.#notify();
    setTimeout(() => this.#notify(), STORE_AWAITED_MS).unref(); // it is not awaited any longer
  }

  async #writeAll(): Promise<void> {
    try {
      do await this.#write();
      while (!this.#isAway && this.#unwritten.length > 0);
    } finally {
      this.#writing = undefined; // in the same moment: what is added later is written by another call
    }
  }

  async #write(): Promise<void> {
    const { rows } = this.#options;
    const isJoining = this.#isAway;
    // A write tells the clock that all go by.
    if (isJoining && (await rows.write([], KEPT)) === undefined) return this.#leave();
    const unwritten = this.#unwritten;
    const make = (text: string | undefined) => this.#made(text, unwritten);
    const known = isJoining || !this.#agreed ? undefined : { value: this.#agreed.text };
    this.#beingWritten = unwritten;
    const made = await update(rows, this.#row, make, { ...KEPT, known });
    this.#beingWritten = [];
    if (!made && rows.isShared) return this.#leave();
    const text = this.#agreed?.text;
    const { before, after, done, agreed } = made ?? make(text).result;
    this.#agreed = made ? agreed : { ...agreed, text };
    this.#mine = after.by[this.id] ?? IDLE;
    this.#unwritten = this.#unwritten.filter((each) => !unwritten.includes(each));
    this.#derive();
    tell(before, after.state, this.#options);
    for (const each of unwritten) each.settle(done.has(each));
    if (!isJoining) return;
    this.#beganMs = Date.now() - performance.now();
    this.#awaySinceMs = undefined;
    this.#notify();
  }

  /** What is known from what was agreed, and what has been noted since. */
  #derive(): void {
    if (this.#agreed) this.#agreed = { ...this.#agreed, shared: this.#byClock(this.#agreed.shared) };
    const local = this.#localOf(this.#agreed?.shared ?? this.#first);
    const certain = this.#unwritten.filter(({ isWish }) => !isWish);
    this.#known = certain.reduce((known, { change }) => change(known) ?? known, local);
  }

  /** What the changes make of what is stored. */
  #made(text: string | undefined, changes: readonly Unwritten[]) {
    const base = this.#baseOf(text);
    const shared = this.#byClock(base.shared);
    const local = this.#localOf(shared);
    const done = new Set(changes);
    // What has been noted on top of that is known already.
    const isNoted = changes.length > 0 && !changes.some(({ isWish }) => isWish);
    const isKnown = isNoted && base.shared === this.#agreed?.shared;
    const made = (known: SharedState, each: Unwritten) => {
      const next = each.change(known);
      if (!next) done.delete(each);
      return next ?? known;
    };
    const after = isKnown && changes === this.#unwritten ? this.#known : changes.reduce(made, local);
    const states = { before: this.#agreed && local.state, after, done };
    // One that joins writes in any case: others may believe what it no longer has under way.
    if (after === local && base.isStored && !this.#isAway)
      return { changes: [], result: { ...states, agreed: { text, shared } } };
    const written = moved({ ...after, version: shared.version + 1 }, this.#options.rows.aheadMs);
    const value = JSON.stringify(written);
    return { changes: [{ ...this.#row, value }], result: { ...states, agreed: { text: value, shared: written } } };
  }

  /** What is stored; or what this process knows of it, should that be lost: then nobody knows how much was spent. */
  #baseOf(text: string | undefined): { shared: SharedState; isStored: boolean } {
    const { rows, terms, log } = this.#options;
    const known = this.#agreed;
    if (known && text === known.text) return { shared: known.shared, isStored: true };
    const stored = readable(text);
    const isUnreadable = text !== undefined && !stored;
    if (isUnreadable) log.warn('what is stored of the limiter cannot be read: it is replaced');
    if (stored && !this.#isLost(stored)) {
      const state = known ? stored.state : startedUnder(stored.state, terms.setting);
      return { shared: { ...stored, state }, isStored: state === stored.state };
    }
    const shared = known?.shared ?? this.#first;
    const isLost = rows.isShared || isUnreadable;
    return { shared: isLost ? this.#restored(shared, stored) : shared, isStored: false };
  }

  /** With an empty bucket, and what others know better by now: the longer of two pauses, and the newer figures. */
  #restored({ state, version }: SharedState, stored: SharedState | undefined): SharedState {
    const nowMs = Date.now() + this.#options.rows.aheadMs;
    const { capacity, intervalMs } = at(state, this.#options.terms, nowMs).pace;
    const { by = {}, state: other = state, version: otherVersion = 0 } = stored ?? {};
    const trouble = (other.trouble?.untilMs ?? 0) > (state.trouble?.untilMs ?? 0) ? other.trouble : state.trouble;
    const fullAtMs = nowMs + capacity * intervalMs;
    const restored = { ...state, trouble, windows: newerOf(state.windows, other.windows), fullAtMs };
    return { state: restored, by, version: Math.max(version, otherVersion) };
  }

  /**
   * Whether it was begun anew, or went back, since this process read or wrote it; if others have written since, a pause
   * is missing.
   */
  #isLost({ version, state }: SharedState): boolean {
    if (!this.#agreed) return false;
    const { state: known, version: knownVersion } = this.#agreed.shared;
    const pausedUntilMs = known.trouble?.kind === 'pause' ? known.trouble.untilMs : 0;
    const isMissing = (state.trouble?.untilMs ?? 0) < pausedUntilMs;
    return (
      version <= knownVersion || (isMissing && pausedUntilMs > Date.now() + this.#options.rows.aheadMs + CLOCKS_MS)
    );
  }

  /**
   * After the clock was set back, what was noted lies in the future: it is moved, so that a pause lasts as long as it
   * was to.
   */
  #byClock(shared: SharedState): SharedState {
    const { rows } = this.#options;
    const laterMs = shared.state.atMs - (Date.now() + rows.aheadMs);
    return laterMs > (rows.isShared ? CLOCKS_DIFFER_MS : 0) ? moved(shared, -laterMs) : shared;
  }

  /**
   * By this machine's clock, with what this process has under way, and without processes that have died. Nobody will
   * know how their requests have ended.
   */
  #localOf(shared: SharedState): SharedState {
    const { rows, processes, terms } = this.#options;
    const { state, by, version } = moved(shared, -rows.aheadMs);
    const all = { ...by, [this.id]: this.#mine };
    let [known, lost] = [state, 0];
    for (const id of Object.keys(by)) {
      if (id === this.id || !processes.isDead(id)) continue;
      lost += all[id]?.underWay ?? 0;
      delete all[id];
    }
    const nowMs = Date.now();
    if (lost > 0) known = { ...afterLost(at(state, terms, nowMs), lost), atMs: nowMs };
    return { state: known, by: all, version };
  }
}

function readable(text: string | undefined): SharedState | undefined {
  return text === undefined ? undefined : storedJson(SharedState).safeParse(text).data;
}

function moved(shared: SharedState, byMs: number): SharedState {
  return byMs === 0 ? shared : (movedBy(SharedState, shared, byMs) as SharedState);
}

/** Whether permits come at the same times, the bucket apart. */
function isScheduledAlike(a: SharedState, b: SharedState): boolean {
  const scheduleOf = ({ state: { trouble, learned, windows } }: SharedState) =>
    JSON.stringify([trouble, learned.rung, learned.window, windows.day?.stated?.limit]);
  const underWayIn = (shared: SharedState) => flowIn(shared, '', 0).underWay;
  return underWayIn(b) >= underWayIn(a) && scheduleOf(a) === scheduleOf(b);
}

/** Tells operators of a change. */
function tell(before: LimiterState | undefined, state: LimiterState, options: DocumentOptions): void {
  if (state === before) return;
  const { terms, log } = options;
  const nowMs = Date.now();
  const lines = newsOf(before && at(before, terms, nowMs), at(state, terms, nowMs));
  for (const { level, facts, text } of lines) log[level](facts, text);
  publish(state, options);
}

/** Of the day or the month, whichever leaves less, and of what stops requests. */
function publish(state: LimiterState, { terms, events }: DocumentOptions): void {
  if (!events?.isWatched('limiter')) return;
  const now = at(state, terms, Date.now());
  const quota = leastOf(now.windows.filter(({ per }) => per !== 'hour'));
  events.publish('limiter', { quota, stopped: stopOf(now)?.reason });
}
