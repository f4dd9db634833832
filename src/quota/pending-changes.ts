import { setTimeout as sleep } from 'node:timers/promises';
import type { Permit } from './limiter.ts';
import type { LimiterState } from './limiter-state.ts';
import type { Change } from './stateful-limiter.ts';

/** A process that is to write before this one, as the store sees to, has written by then as a rule. */
const REWRITE_WITHIN_MS = 50;

/** Resolves when this process may write again after another was first. */
export function rewriteTurn(): Promise<void> {
  return sleep(Math.random() * REWRITE_WITHIN_MS);
}

/** Changes that are made in this process, and not in the store yet. */
export class PendingChanges {
  readonly #write: (changes: readonly Change[]) => Promise<boolean | undefined>;
  #changes: readonly Change[] = [];
  #writing: Promise<void> | undefined;

  /** @param write drops what it has written; returns `false` when another process was first */
  constructor(write: (changes: readonly Change[]) => Promise<boolean | undefined>) {
    this.#write = write;
  }

  get size(): number {
    return this.#changes.length;
  }

  get isWriting(): boolean {
    return this.#writing !== undefined;
  }

  /** Permits whose outcomes are among them. */
  get ended(): Permit[] {
    return this.#changes.flatMap(({ ended }) => ended ?? []);
  }

  add(change: Change): void {
    this.#changes = [...this.#changes, change];
  }

  drop(changes = this.#changes): void {
    this.#changes = this.#changes.slice(changes.length);
  }

  appliedTo(state: LimiterState): LimiterState {
    return this.#changes.reduce((changed, { apply }) => apply(changed), state);
  }

  /**
   * Any number are written at once, as soon as those before are. Resolves when `change` is written or dropped.
   *
   * @param joining while it is under way, nothing is written
   */
  async written(change: Change, joining: () => Promise<void> | undefined): Promise<void> {
    while (this.#changes.includes(change)) {
      if (!joining()) this.#writing ??= this.#writeAll();
      await (joining() ?? this.#writing);
    }
  }

  async #writeAll(): Promise<void> {
    try {
      if ((await this.#write(this.#changes)) === false) await rewriteTurn();
    } finally {
      this.#writing = undefined;
    }
  }
}
