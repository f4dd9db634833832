import type { Processes } from './processes.ts';
import type { Row, Rows } from './rows.ts';

export interface ClaimOptions {
  ttlMs: number;
  /** Whether the name is free as soon as the process that claimed it is dead. */
  endsWithOwner: boolean;
}

/** What several processes share. */
interface Shared {
  rows: Rows;
  processes: Processes;
}

/** `unavailable`: only this process knows of the claim, because the others cannot be reached. */
export type Claimed = 'mine' | 'unavailable' | { heldForMs: number };

/** Whether this process has the name now, as far as it can know. */
export function isMine(claimed: Claimed): claimed is Exclude<Claimed, object> {
  return typeof claimed === 'string';
}

/**
 * "This name is mine for a while": among the parts of one process or, where processes share their rows, among all of
 * them, by a part for each name, which ends with the claim. No method rejects.
 */
export class Claims {
  /** Whether there may be other processes. */
  readonly isShared: boolean;
  readonly #shared: Shared | undefined;
  /**
   * When each claim of this process ends, by its monotonic clock. The others do not know of one that was made while they
   * could not be reached.
   */
  readonly #endsAtMs = new Map<string, number>();
  /** By name, the rows that this process has written. */
  readonly #own = new Map<string, Row>();

  /** @param shared absent: this process is alone */
  constructor(shared?: Shared) {
    this.#shared = shared;
    this.isShared = shared !== undefined;
  }

  /** A name is claimed once: also by the process that holds it already, it has to be released or to end before. */
  async claim(name: string, options: ClaimOptions): Promise<Claimed> {
    const nowMs = performance.now();
    const heldForMs = Math.ceil((this.#endsAtMs.get(name) ?? 0) - nowMs);
    if (heldForMs > 0) return { heldForMs };
    this.#endsAtMs.set(name, nowMs + options.ttlMs);
    const claimed = this.#shared ? await this.#claimed(name, options, this.#shared) : 'mine';
    if (typeof claimed === 'object') this.#endsAtMs.delete(name);
    return claimed;
  }

  /** Does nothing unless this process holds the name. */
  async release(name: string): Promise<void> {
    this.#endsAtMs.delete(name);
    const own = this.#own.get(name);
    this.#own.delete(name);
    if (own) await this.#shared?.rows.write([{ ...own, value: undefined }], { ifStill: [own], keepMs: 1 });
  }

  /** What the other processes say to a claim that this one may make. */
  async #claimed(name: string, { ttlMs, endsWithOwner }: ClaimOptions, { rows, processes }: Shared): Promise<Claimed> {
    const nowMs = Date.now() + rows.aheadMs;
    const row = { part: `claim:${name}`, key: 'owner' };
    const own = { ...row, value: `${processes.id} ${Math.ceil(nowMs + ttlMs)}` };
    const take = (from: string | undefined) =>
      rows.write([own], { ifStill: [{ ...row, value: from }], keepMs: Math.ceil(ttlMs) });
    let isTaken = await take(undefined);
    let untilMs = NaN;
    if (isTaken === false) {
      const held = (await rows.read(row.part))?.get(row.key);
      const [owner = '', until] = held?.split(' ') ?? [];
      untilMs = Number(until);
      // One of this process that is still there could not be released. What was released just now is taken by the next
      // claim, so that whatever its owner has stored is read after it.
      const isFree = owner === processes.id || (endsWithOwner && processes.isDead(owner));
      if (owner && isFree) isTaken = await take(held);
    }
    if (isTaken === false) return { heldForMs: Math.min(Math.max(Math.ceil(untilMs - nowMs), 1), ttlMs) || 1 };
    this.#own.set(name, own);
    return isTaken ? 'mine' : 'unavailable';
  }
}
