import { randomUUID } from 'node:crypto';
import { every } from '../../time.ts';
import type { Rows } from './rows.ts';

/** The part: each process changes its row once a second, which ends with the length of its queue. */
const PART = 'processes';
export const LOOK_EVERY_MS = 1_000;
/**
 * A process is dead after so many looks in which its row did not change: one that is only busy, or collecting garbage,
 * is never silent that long.
 */
const DEAD_AFTER = 4;
/** One fewer, since looks take different times. */
const LEASE = 3;
/** A minute of looks, after which the row of a dead process is deleted. */
const FORGOTTEN_AFTER = 60;

/** What the row of a process was, empty while there is none, and in how many looks since. */
interface Seen {
  text: string;
  unchanged: number;
}

/**
 * The processes that share their rows: which are alive, and how long their queues are. Nobody's clock matters: a
 * process is dead when another that looks every second has not seen it change its row in four looks in a row. Who
 * shares with nobody is alone, and all others are dead.
 */
export class Processes {
  /** Names this run of the process; a restart has another id. */
  readonly id: string = randomUUID();
  readonly #rows: Rows;
  readonly #everyMs: number;
  readonly #onLook: (() => void)[] = [];
  /** `undefined` where there are no others, and once this process has left. */
  #endLooks: (() => void) | undefined;
  /** By id. */
  #seen = new Map<string, Seen>();
  /** How many in a row were answered. */
  #looks = 0;
  #beats = 0;
  #queueLengthNow = () => 0;
  #aliveSinceMs = NaN;
  #lastBeatMs = -Infinity;

  constructor(rows: Rows, everyMs = LOOK_EVERY_MS) {
    this.#rows = rows;
    this.#everyMs = everyMs;
    if (!rows.isShared) return;
    this.#endLooks = every(everyMs, () => void this.look());
    void this.look();
  }

  /**
   * Since when the others have certainly counted this process as alive, by its monotonic clock; NaN, which equals
   * nothing, when they may have declared it dead.
   */
  get aliveSinceMs(): number {
    if (!this.#rows.isShared) return 0;
    return this.#isWithinLease(performance.now()) ? this.#aliveSinceMs : NaN;
  }

  /**
   * Whether a process that was named somewhere is dead: certainly not before this one has looked for long enough, and
   * then not before two looks have failed to show one that has just come.
   */
  isDead(id: string): boolean {
    if (!this.#rows.isShared) return id !== this.id;
    const seen = this.#seen.get(id) ?? { text: '', unchanged: DEAD_AFTER - 2 };
    this.#seen.set(id, seen);
    return this.#looks >= DEAD_AFTER && seen.unchanged >= DEAD_AFTER;
  }

  /** Has the others told how many wait here: with each look. */
  tell(queueLengthNow: () => number): void {
    this.#queueLengthNow = queueLengthNow;
  }

  /** The length that each other process alive told last; empty while they cannot be reached. */
  lengths(): readonly number[] {
    if (!this.#rows.isReachable) return [];
    return [...this.#seen].flatMap(([id, { text, unchanged }]) => {
      const isOther = id !== this.id && text !== '' && unchanged < DEAD_AFTER;
      return isOther ? Number(text.split(' ')[1]) || 0 : [];
    });
  }

  /** Called after every look that was answered: about once a second, never where there are no others. */
  onLook(listener: () => void): void {
    this.#onLook.push(listener);
  }

  /**
   * Shows that this process is alive, and looks at the others: to be called when they can be reached again. Costs two
   * commands.
   *
   * @param isEarly less than a second after the last: what another has not changed since says nothing
   */
  async look({ isEarly = false } = {}): Promise<void> {
    if (!this.#endLooks) return;
    const sentMs = performance.now();
    const own = { part: PART, key: this.id, value: `${++this.#beats} ${this.#queueLengthNow()}` };
    const [found, isWritten] = await Promise.all([
      this.#rows.read(PART), // first, because it shows whether the row of the last look is still there
      this.#rows.write([own], { keepMs: FORGOTTEN_AFTER * this.#everyMs }),
    ]);
    if (!isWritten || !found) {
      this.#looks = 0;
      for (const seen of this.#seen.values()) seen.unchanged = 0;
      return;
    }
    const isEmptied = !found.has(this.id);
    if (isEmptied) this.#looks = 0;
    if (isEmptied || !this.#isWithinLease(sentMs)) this.#aliveSinceMs = sentMs;
    this.#lastBeatMs = sentMs;
    if (!isEarly || this.#looks === 0) {
      this.#looks++;
      this.#note(found);
    }
    for (const listener of this.#onLook) listener();
  }

  /** Tells the others that this process ends, so that they need not wait until it counts as dead. Never rejects. */
  async leave(): Promise<void> {
    this.#endLooks?.();
    this.#endLooks = undefined;
    if (this.#rows.isShared) await this.#drop([this.id]);
  }

  #note(found: ReadonlyMap<string, string>): void {
    const before = this.#seen;
    const ids = [...new Set(before.keys()).union(found)];
    this.#seen = new Map(ids.map((id) => [id, seenAgain(before.get(id), found.get(id))]));
    const old = [...this.#seen].flatMap(([id, { unchanged }]) => (unchanged > FORGOTTEN_AFTER ? id : []));
    for (const id of old) this.#seen.delete(id);
    if (old.length > 0) void this.#drop(old);
  }

  async #drop(ids: readonly string[]): Promise<void> {
    const changes = ids.map((key) => ({ part: PART, key, value: undefined }));
    await this.#rows.write(changes, { keepMs: FORGOTTEN_AFTER * this.#everyMs });
  }

  #isWithinLease(nowMs: number): boolean {
    return nowMs - this.#lastBeatMs < LEASE * this.#everyMs;
  }
}

/** One that was there and is gone has left. */
function seenAgain(before: Seen | undefined, text = ''): Seen {
  if (text !== '') return { text, unchanged: before?.text === text ? before.unchanged + 1 : 0 };
  return { text, unchanged: before?.text ? DEAD_AFTER : (before?.unchanged ?? 0) + 1 };
}
