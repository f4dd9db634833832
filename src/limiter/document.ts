import { z } from 'zod';
import type { Logger } from '../log.ts';
import type { Processes } from '../model/processes.ts';
import { type Rows, update } from '../model/rows.ts';
import { movedBy, storedJson } from '../model/stored-json.ts';
import { DAY_MS } from '../time/utc-day.ts';
import { afterLost } from './decision.ts';
import { newsOf } from './news.ts';
import { at, INITIAL_STATE, LimiterState, startedUnder, type Terms } from './state.ts';
import { newerOf } from './windows.ts';

/** The requests of a process that have left and have not ended; one of them may be the probe. */
const Count = z.int().nonnegative();
const UnderWay = z.object({ requests: Count, probes: Count });
type UnderWay = z.infer<typeof UnderWay>;
const NONE: UnderWay = { requests: 0, probes: 0 };

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
  const { requests, probes } = by[id] ?? NONE;
  return { ...by, [id]: { requests: requests + more, probes: probes + (isProbe ? more : 0) } };
}

/** What is under way in all processes. */
export function underWayIn(by: SharedState['by']): UnderWay {
  const sum = (a: UnderWay, b: UnderWay) => ({ requests: a.requests + b.requests, probes: a.probes + b.probes });
  return Object.values(by).reduce(sum, NONE);
}

/** What becomes of what is known, perhaps again of what is newer; `undefined`: nothing any more. */
export type Change = (known: SharedState) => SharedState | undefined;

interface Unwritten {
  change: Change;
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
  link?: { health: string; onHealth(listener: (health: string) => void): void };
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
  #notify = () => {};
  readonly #first: SharedState;
  /** As it was read or written last; without a text where that was lost. */
  #agreed: Agreed | undefined;
  /** What this process has under way it knows best: whether the last permit that it wanted was stored, it need not. */
  #mine = NONE;
  #unwritten: readonly Unwritten[] = [];
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
    processes.onLook(() => void (this.#isAway ? this.written() : this.refresh()));
    if (!link || link.health === 'usable') void this.written();
  }

  /** As of now, by this machine's clock. */
  get known(): SharedState {
    const isSet =
      Math.abs(this.#options.rows.aheadMs - this.#aheadMs) > CLOCKS_DIFFER_MS ||
      this.#known.state.atMs > Date.now() + CLOCKS_DIFFER_MS;
    if (isSet) this.#derive();
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
   * A change that counts at once.
   *
   * @param isHeld it is stored together with the next
   * @returns when it is, or cannot be now
   */
  async note(change: Change, isHeld = false): Promise<void> {
    this.#known = change(this.known) ?? this.#known;
    await this.#add(change, false, isHeld);
  }

  /** Reads what other processes have changed. @returns whether to decide again */
  async refresh(): Promise<boolean> {
    const { rows } = this.#options;
    if (!rows.isShared) return false;
    if (this.#isAway) await this.#writing;
    else {
      const { part, key } = this.#row;
      const found = await rows.read(part, [key]);
      if (found) await this.#adopt(found.get(key));
      else this.#leave();
    }
    return !this.#isAway;
  }

  /** Called when other processes have changed something, or can be reached no longer, or again. */
  onChange(listener: () => void): void {
    this.#notify = listener;
  }

  get #isAway(): boolean {
    return this.awaySinceMs !== undefined;
  }

  #add(change: Change, isWish: boolean, isHeld = false): Promise<boolean> {
    return new Promise((settle) => {
      this.#unwritten = [...this.#unwritten, { change, isWish, settle }];
      if (!isHeld) void this.written();
    });
  }

  async #adopt(text: string | undefined): Promise<void> {
    const isChanged = text !== this.#agreed?.text;
    if (isChanged) {
      const shared = readable(text);
      if (!shared || this.#isLost(shared)) {
        this.#leave();
        return this.written();
      }
      this.#agreed = { text, shared };
    }
    this.#derive(); // a process may have died
    if (isChanged) this.#notify();
  }

  #leave(): void {
    if (!this.#options.rows.isShared || this.#isAway) return;
    this.awaySinceMs = performance.now();
    this.#notify();
    setTimeout(() => this.#notify(), STORE_AWAITED_MS).unref(); // it is not awaited any longer
  }

  async #writeAll(): Promise<void> {
    do await this.#write();
    while (!this.#isAway && this.#unwritten.length > 0);
    this.#writing = undefined; // in the same moment: what is added later is written by another call
    const left = this.#unwritten;
    this.#unwritten = left.filter(({ isWish }) => !isWish);
    for (const { settle } of left) settle(false);
  }

  async #write(): Promise<void> {
    const { rows } = this.#options;
    const isJoining = this.#isAway;
    // A write tells the clock that all go by.
    if (isJoining && (await rows.write([], KEPT)) === undefined) return this.#leave();
    const known = isJoining || !this.#agreed ? undefined : { value: this.#agreed.text };
    const make = (text: string | undefined) => this.#made(text, isJoining);
    const made = await update(rows, this.#row, make, { ...KEPT, known });
    if (!made && rows.isShared) return this.#leave();
    const text = this.#agreed?.text;
    const { before, after, changes, done, agreed } = made ?? make(text).result;
    this.#agreed = made ? agreed : { ...agreed, text };
    this.#mine = after.by[this.id] ?? NONE;
    this.#unwritten = this.#unwritten.filter((each) => !changes.includes(each));
    this.#derive();
    this.#tell(before, after.state);
    for (const each of changes) each.settle(done.has(each));
    if (!isJoining) return;
    this.awaySinceMs = undefined;
    this.#notify();
  }

  /** What is known from what was agreed, and what has been noted since. */
  #derive(): void {
    this.#aheadMs = this.#options.rows.aheadMs;
    const { shared } = this.#agreed ? this.#agree(this.#agreed) : { shared: this.#first };
    const certain = this.#unwritten.filter(({ isWish }) => !isWish);
    this.#known = certain.reduce((known, { change }) => change(known) ?? known, this.#localOf(shared));
  }

  /** What all that is not written makes of what is stored. */
  #made(text: string | undefined, isJoining: boolean) {
    const known = this.#agreed;
    const isAsAgreed = known !== undefined && text === known.text;
    const agreed = this.#agree(isAsAgreed ? known : this.#baseOf(text));
    const local = this.#localOf(agreed.shared);
    const changes = this.#unwritten;
    const done = new Set(changes);
    const made = (before: SharedState, each: Unwritten) => {
      const next = each.change(before);
      if (!next) done.delete(each);
      return next ?? before;
    };
    const isNoted = isAsAgreed && !changes.some(({ isWish }) => isWish);
    const after = isNoted ? this.known : changes.reduce(made, local);
    const states = { before: known && local.state, after, changes, done };
    // One that joins writes in any case: others may believe what it no longer has under way.
    if (after === local && !isJoining) return { changes: [], result: { ...states, agreed } };
    const written = moved({ ...after, version: agreed.shared.version + 1 }, this.#options.rows.aheadMs);
    const value = JSON.stringify(written);
    return { changes: [{ ...this.#row, value }], result: { ...states, agreed: { text: value, shared: written } } };
  }

  /** What is stored; or what this process knows of it, should that be lost: then nobody knows how much was spent. */
  #baseOf(text: string | undefined): Agreed {
    const { rows, terms } = this.#options;
    const stored = readable(text);
    if (text !== undefined && !stored) rows.drop(this.#row.part, this.#row.key);
    if (stored && !this.#isLost(stored)) {
      const state = this.#agreed ? stored.state : startedUnder(stored.state, terms.setting);
      return { text, shared: { ...stored, state } };
    }
    const shared = this.#agreed?.shared ?? this.#first;
    const isLost = rows.isShared || text !== undefined;
    return { text: undefined, shared: isLost ? this.#restored(shared, stored) : shared };
  }

  /** With an empty bucket, and what others know better by now: the longer of two pauses, and the newer figures. */
  #restored({ state, version }: SharedState, stored = this.#first): SharedState {
    const nowMs = Date.now() + this.#options.rows.aheadMs;
    const { capacity, intervalMs } = at(state, this.#options.terms, nowMs).pace;
    const { by, state: other } = stored;
    const trouble = (other.trouble?.untilMs ?? 0) > (state.trouble?.untilMs ?? 0) ? other.trouble : state.trouble;
    const fullAtMs = nowMs + capacity * intervalMs;
    const restored = { ...state, trouble, windows: newerOf(state.windows, other.windows), fullAtMs };
    return { state: restored, by, version: Math.max(version, stored.version) };
  }

  /** Whether it was begun anew, or went back, since this process read or wrote it. */
  #isLost({ version }: SharedState): boolean {
    return this.#agreed !== undefined && version <= this.#agreed.shared.version;
  }

  /**
   * By this machine's clock, with what this process has under way, and without processes that have died: nobody will
   * know how their requests have ended.
   */
  #localOf(shared: SharedState): SharedState {
    const { rows, processes, terms } = this.#options;
    const local = moved(shared, -rows.aheadMs);
    const by = { ...local.by, [this.id]: this.#mine };
    let lost = 0;
    for (const [id, { requests }] of Object.entries(by)) {
      if (id === this.id || !processes.isDead(id)) continue;
      lost += requests;
      delete by[id];
    }
    const nowMs = Date.now();
    if (lost === 0) return { ...local, by };
    return { ...local, by, state: { ...afterLost(at(local.state, terms, nowMs), lost), atMs: nowMs } };
  }

  /**
   * After the clock was set back, what was noted lies in the future: it is moved, so that a pause lasts as long as it
   * was to.
   */
  #agree({ text, shared }: Agreed): Agreed {
    const laterMs = shared.state.atMs - (Date.now() + this.#options.rows.aheadMs);
    this.#agreed = { text, shared: laterMs > CLOCKS_DIFFER_MS ? moved(shared, -laterMs) : shared };
    return this.#agreed;
  }

  /** Tells operators of a change. */
  #tell(before: LimiterState | undefined, state: LimiterState): void {
    if (state === before) return;
    const { terms, log } = this.#options;
    const nowMs = Date.now();
    const lines = newsOf(before && at(before, terms, nowMs), at(state, terms, nowMs));
    for (const { level, facts, text } of lines) log[level](facts, text);
  }
}

function readable(text: string | undefined): SharedState | undefined {
  return text === undefined ? undefined : storedJson(SharedState).safeParse(text).data;
}

function moved(shared: SharedState, byMs: number): SharedState {
  return byMs === 0 ? shared : (movedBy(SharedState, shared, byMs) as SharedState);
}
