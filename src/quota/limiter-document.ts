import { z } from 'zod';
import type { Logger } from '../log.ts';
import type { Processes } from '../model/store/processes.ts';
import { movedBy, type Rows, storedJson, update } from '../model/store/rows.ts';
import { DAY_MS } from '../time.ts';
import { afterLost, type Flow } from './decision.ts';
import { at, INITIAL_STATE, LimiterState, startedUnder, type Terms } from './limiter-state.ts';
import { newsOf } from './news.ts';
import { newerOf } from './windows.ts';

/**
 * The requests of a process that have left and have not ended; one of them may be the probe. `changes`: how many it had
 * made when it wrote last.
 */
const Count = z.int().nonnegative();
const UnderWay = z.object({ requests: Count, probes: Count, changes: Count });
type UnderWay = z.infer<typeof UnderWay>;
const NONE: UnderWay = { requests: 0, probes: 0, changes: 0 };

/**
 * A limiter's state, and what is under way in all processes. Stored as JSON, all times by the clock that they share.
 */
export const SharedState = z.object({
  state: LimiterState,
  by: z.record(z.string(), UnderWay),
  /** How often it was written: what is stored may be lost, or go back, as in a failover. */
  version: z.int(),
});
export type SharedState = z.infer<typeof SharedState>;

/** With one more request of a process under way, or one fewer. */
export function withRequest(by: SharedState['by'], id: string, more: 1 | -1, isProbe: boolean): SharedState['by'] {
  const { requests, probes, changes } = by[id] ?? NONE;
  return { ...by, [id]: { requests: requests + more, probes: probes + (isProbe ? more : 0), changes } };
}

/** What is under way in all processes. */
export function underWayIn(by: SharedState['by']): Pick<Flow, 'underWay' | 'isProbing'> {
  const all = Object.values(by);
  const underWay = all.reduce((sum, { requests }) => sum + requests, 0);
  return { underWay, isProbing: all.some(({ probes }) => probes > 0) };
}

/** What becomes of what is known, perhaps again of what is newer; `undefined`: nothing any more. */
export type Change = (known: SharedState) => SharedState | undefined;

interface Unwritten {
  change: Change;
  /** The how manieth of this process it is. */
  number: number;
  /** It counts only once it is stored; any other counts at once. */
  isWish: boolean;
  settle(isStored: boolean): void;
}

interface Agreed {
  text: string | undefined;
  shared: SharedState;
}

export interface DocumentOptions {
  terms: Terms;
  log: Logger;
  rows: Rows;
  /** What the quota belongs to. */
  account: string;
  processes: Pick<Processes, 'id' | 'isDead' | 'onLook'>;
  /** Whether the rows can be reached: `usable` or not; absent: always. */
  link?: { onHealth(listener: (health: string) => void): void };
}

/** Longer than a quota window, so that nothing that still counts expires. */
const KEPT = { keepMs: 35 * DAY_MS };
/** Most outages of a Redis are over by then. */
export const STORE_AWAITED_MS = 30_000;
/**
 * Clocks of processes are known better than this: what was noted so much later than now was noted before a clock was
 * set.
 */
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
  readonly #listeners: (() => void)[] = [];
  readonly #first: SharedState;
  /** The document as it was read or written last; it has no text where that was lost. */
  #agreed: Agreed | undefined;
  /** What this process has under way it knows best: whether the last permit that it wanted was stored, it need not. */
  #mine = NONE;
  #unwritten: readonly Unwritten[] = [];
  #changes = 0;
  /** What was agreed and what was noted since, by this machine's clock when the shared one was so far ahead. */
  #known: SharedState;
  #aheadMs = 0;
  /** Since when the other processes cannot be reached, by the monotonic clock; `undefined` while they can. */
  awaySinceMs: number | undefined;
  #writing: Promise<void> | undefined;

  constructor(options: DocumentOptions) {
    const { link, rows, processes, account, terms } = options;
    this.id = processes.id;
    this.#options = options;
    this.#row = { part: 'limiter', key: account };
    this.#first = { state: startedUnder(INITIAL_STATE, terms.setting), by: {}, version: 0 };
    this.#known = this.#first;
    if (rows.isShared) this.awaySinceMs = performance.now();
    link?.onHealth((health) => (health === 'usable' ? void this.written() : this.#leave()));
    processes.onLook(() => void this.refresh());
    void this.written();
  }

  /** What is known now, with times by this machine's clock. */
  get known(): SharedState {
    const isSet =
      Math.abs(this.#options.rows.aheadMs - this.#aheadMs) > CLOCKS_DIFFER_MS ||
      this.#known.state.atMs > Date.now() + CLOCKS_DIFFER_MS;
    if (isSet) this.#derive(this.#localOf(this.#agreed ? this.#agree(this.#agreed).shared : this.#first));
    return this.#known;
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
    return this.#add(change, true);
  }

  /**
   * A change that counts at once, and of which listeners are told.
   *
   * @param isHeld it is stored together with the next, and told with that
   * @returns when it is, or cannot be now
   */
  async note(change: Change, isHeld = false): Promise<void> {
    this.#known = change(this.known) ?? this.#known;
    const stored = this.#add(change, false, isHeld);
    if (!isHeld) this.#notify();
    await stored;
  }

  /** Reads what other processes have changed. @returns whether to decide again */
  async refresh(): Promise<boolean> {
    if (!this.#options.rows.isShared) return false;
    await this.#writing;
    await this.written();
    return !this.awaySinceMs;
  }

  /** Called when anything has changed, or other processes can be reached no longer, or again. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  #add(change: Change, isWish: boolean, isHeld = false): Promise<boolean> {
    return new Promise((settle) => {
      this.#unwritten = [...this.#unwritten, { change, number: ++this.#changes, isWish, settle }];
      if (!isHeld) void this.written();
    });
  }

  #leave(): void {
    if (this.awaySinceMs) return;
    this.awaySinceMs = performance.now();
    this.#notify();
    setTimeout(() => this.#notify(), STORE_AWAITED_MS).unref(); // it is not awaited any longer
  }

  async #writeAll(): Promise<void> {
    do await this.#write();
    while (!this.awaySinceMs && this.#unwritten.length > 0);
    this.#writing = undefined; // in the same moment: what is added later is written by another call
    const left = this.#unwritten;
    this.#unwritten = left.filter(({ isWish }) => !isWish);
    for (const { settle } of left) settle(false);
  }

  async #write(): Promise<void> {
    const { rows, terms, log } = this.#options;
    const isJoining = this.awaySinceMs !== undefined;
    // A write tells the clock that all go by.
    if (isJoining && (await rows.write([], KEPT)) === undefined) return;
    const text = this.#agreed?.text;
    // What is written is written only if it is still as it was read; with nothing to write it is read.
    const known = this.#agreed && this.#unwritten.length > 0 ? { value: text } : undefined;
    const made = await update(rows, this.#row, (text) => this.#made(text), { ...KEPT, known });
    if (!made && rows.isShared) return this.#leave();
    const { before, after, changes, done, base, agreed } = made ?? this.#made(this.#agreed?.text).result;
    this.#agreed = made ? agreed : { ...agreed, text: base.text };
    this.#mine = after.by[this.id] ?? NONE;
    this.#unwritten = this.#unwritten.filter((each) => !changes.includes(each));
    this.#derive(after);
    const news = after.state === before ? [] : newsOf(before, after.state, terms, Date.now());
    for (const { level, facts, text } of news) log[level](facts, text);
    for (const each of changes) each.settle(done.has(each));
    if (isJoining) this.awaySinceMs = undefined;
    if (isJoining || base.text !== text) this.#notify();
  }

  /** What is known from what was agreed, by this machine's clock, and what has been noted since. */
  #derive(agreed: SharedState): void {
    const certain = this.#unwritten.filter(({ isWish }) => !isWish);
    this.#known = certain.reduce((known, each) => this.#changed(known, each) ?? known, agreed);
  }

  /** What Redis has stored already, although its answer was lost, changes what is under way here, and nothing else. */
  #changed(known: SharedState, { change, number }: Unwritten): SharedState | undefined {
    const next = change(known);
    const isStored = number <= (this.#agreed?.shared.by[this.id]?.changes ?? 0);
    return next && isStored ? { ...known, by: next.by } : next;
  }

  /** What all that is not written makes of what is stored. */
  #made(text: string | undefined) {
    const known = this.#agreed;
    const isAsAgreed = known !== undefined && text === known.text;
    const base = this.#agree(isAsAgreed ? known : this.#baseOf(text));
    const local = this.#localOf(base.shared);
    const changes = this.#unwritten;
    const done = new Set(changes);
    const made = (before: SharedState, each: Unwritten) => {
      const next = this.#changed(before, each);
      if (!next) done.delete(each);
      return next ?? before;
    };
    // What was noted is known already, unless another process has died since.
    const hasLost = Object.keys(this.#known.by).some((id) => !(id in local.by));
    const isNoted = isAsAgreed && !hasLost && !changes.some(({ isWish }) => isWish);
    const after = isNoted ? this.known : changes.reduce(made, local);
    const result = { before: known && local.state, after, changes, done, base, agreed: base };
    // One that joins writes in any case: others may believe what it no longer has under way.
    if (text && base.text === text && done.size === 0 && !this.awaySinceMs) return { changes: [], result };
    const by = { ...after.by, [this.id]: { ...(after.by[this.id] ?? NONE), changes: this.#changes } };
    const shared = moved({ ...after, by, version: base.shared.version + 1 }, this.#options.rows.aheadMs);
    const value = JSON.stringify(shared);
    return { changes: [{ ...this.#row, value }], result: { ...result, agreed: { text: value, shared } } };
  }

  /** What is stored; or what this process knows of it, should that be lost: then nobody knows how much was spent. */
  #baseOf(text: string | undefined): Agreed {
    const { rows, terms } = this.#options;
    const stored = storedJson(SharedState).safeParse(text).data;
    if (text !== undefined && !stored) rows.drop(this.#row.part, this.#row.key);
    if (stored && !this.#isLost(stored)) {
      const state = this.#agreed ? stored.state : startedUnder(stored.state, terms.setting);
      return { text, shared: { ...stored, state } };
    }
    const shared = this.#agreed?.shared ?? this.#first;
    const isLost = rows.isShared || text !== undefined;
    return { text: undefined, shared: isLost ? this.#restored(shared, stored) : shared };
  }

  /** With an empty bucket, the longer of two stops, and the newer figures. */
  #restored(known: SharedState, stored = this.#first): SharedState {
    const [{ state, version }, { state: other }] = stored.version > known.version ? [stored, known] : [known, stored];
    const { capacity, intervalMs } = at(state, this.#options.terms, this.#nowMs).pace;
    const trouble = (other.trouble?.untilMs ?? 0) > (state.trouble?.untilMs ?? 0) ? other.trouble : state.trouble;
    const fullAtMs = this.#nowMs + capacity * intervalMs;
    const restored = { ...state, trouble, windows: newerOf(state.windows, other.windows), fullAtMs };
    return { state: restored, by: stored.by, version };
  }

  /**
   * Whether it was begun anew, or went back, since this process read or wrote it. If others have written more since, a
   * stop shows it: none is over before its time.
   */
  #isLost({ version, state: { trouble } }: SharedState): boolean {
    const { shared } = this.#agreed ?? {};
    const { kind, untilMs = 0 } = shared?.state.trouble ?? {};
    const leastMs = Math.max(this.#nowMs, trouble?.untilMs ?? 0) + CLOCKS_DIFFER_MS;
    return shared !== undefined && (version <= shared.version || (kind !== 'failing' && untilMs > leastMs));
  }

  /**
   * By this machine's clock, with what this process has under way, and without processes that have died: nobody will
   * know how their requests have ended.
   */
  #localOf(shared: SharedState): SharedState {
    const { rows, processes, terms } = this.#options;
    this.#aheadMs = rows.aheadMs;
    const local = moved(shared, -rows.aheadMs);
    const by = { ...local.by, [this.id]: this.#mine };
    let { state } = local;
    for (const [id, { requests }] of Object.entries(by)) {
      if (id === this.id || !processes.isDead(id)) continue;
      delete by[id];
      if (requests > 0) state = afterLost(at(state, terms, Date.now()), requests);
    }
    return { ...local, by, state };
  }

  /**
   * After the clock was set back, what was noted lies in the future: it is moved, so that a pause lasts as long as it
   * was to.
   */
  #agree({ text, shared }: Agreed): Agreed {
    const laterMs = shared.state.atMs - this.#nowMs;
    this.#agreed = { text, shared: laterMs > CLOCKS_DIFFER_MS ? moved(shared, -laterMs) : shared };
    return this.#agreed;
  }

  /** By the clock that the processes share. */
  get #nowMs(): number {
    return Date.now() + this.#options.rows.aheadMs;
  }
}

function moved(shared: SharedState, byMs: number): SharedState {
  return byMs === 0 ? shared : (movedBy(SharedState, shared, byMs) as SharedState);
}
