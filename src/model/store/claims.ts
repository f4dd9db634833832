import type { Processes } from './processes.ts';
import type { Row, Rows } from './rows.ts';

interface ClaimOptions {
  ttlMs: number;
  /** Whether the name is free as soon as the process that claimed it is dead. */
  endsWithOwner: boolean;
}

/** `unavailable`: only this process knows of the claim, because the others cannot be reached. */
export type Claimed = 'mine' | 'unavailable' | { heldForMs: number };

/** Whether this process has the name now, as far as it can know. */
export function isMine(claimed: Claimed): claimed is Exclude<Claimed, object> {
  return typeof claimed === 'string';
}

/** "This name is mine for a while", among all processes that share their state. No method rejects. */
export interface Claims {
  /** Whether there may be other processes. */
  readonly isShared: boolean;
  /** A name is claimed once: also by the process that holds it already, it has to be released or to end before. */
  claim(name: string, options: ClaimOptions): Promise<Claimed>;
  /** Does nothing unless this process holds the name. */
  release(name: string): Promise<void>;
}

/** The claims of one process. */
export class LocalClaims implements Claims {
  readonly isShared = false;
  readonly #endsAtMs = new Map<string, number>();

  async claim(name: string, { ttlMs }: ClaimOptions): Promise<Claimed> {
    const nowMs = performance.now();
    const heldForMs = Math.ceil((this.#endsAtMs.get(name) ?? 0) - nowMs);
    if (heldForMs > 0) return { heldForMs };
    this.#endsAtMs.set(name, nowMs + ttlMs);
    return 'mine';
  }

  async release(name: string): Promise<void> {
    this.#endsAtMs.delete(name);
  }
}

/** The claims of all processes that share their rows: a part for each name, which ends with the claim. */
export class SharedClaims implements Claims {
  readonly isShared = true;
  readonly #rows: Rows;
  readonly #processes: Processes;
  /** A name is claimed once in this process, too, and the others do not know of this while they cannot be reached. */
  readonly #here = new LocalClaims();
  /** By name, the rows that this process has written. */
  readonly #own = new Map<string, Row>();

  constructor(rows: Rows, processes: Processes) {
    this.#rows = rows;
    this.#processes = processes;
  }

  async claim(name: string, options: ClaimOptions): Promise<Claimed> {
    const here = await this.#here.claim(name, options);
    if (here !== 'mine') return here;
    const claimed = await this.#claim(name, options);
    if (typeof claimed === 'object') await this.#here.release(name);
    return claimed;
  }

  async release(name: string): Promise<void> {
    await this.#here.release(name);
    const own = this.#own.get(name);
    this.#own.delete(name);
    if (own) await this.#rows.write([{ ...own, value: undefined }], { ifStill: [own], keepMs: 1 });
  }

  async #claim(name: string, { ttlMs, endsWithOwner }: ClaimOptions): Promise<Claimed> {
    const nowMs = Date.now() + this.#rows.aheadMs;
    const row = { part: `claim:${name}`, key: 'owner' };
    const own = { ...row, value: `${this.#processes.id} ${Math.ceil(nowMs + ttlMs)}` };
    const take = (from: string | undefined) =>
      this.#rows.write([own], { ifStill: [{ ...row, value: from }], keepMs: Math.ceil(ttlMs) });
    let isTaken = await take(undefined);
    let untilMs = Number.NaN;
    if (isTaken === false) {
      const held = (await this.#rows.read(row.part))?.get(row.key);
      const [owner = '', until] = held?.split(' ') ?? [];
      untilMs = Number(until);
      // One of this process that is still there could not be released. What was released just now is taken by the next
      // claim, so that whatever its owner has stored is read after it.
      const isFree = owner === this.#processes.id || (endsWithOwner && this.#processes.isDead(owner));
      if (owner && isFree) isTaken = await take(held);
    }
    if (isTaken === false) return { heldForMs: Math.min(Math.max(Math.ceil(untilMs - nowMs), 1), ttlMs) || 1 };
    this.#own.set(name, own);
    return isTaken ? 'mine' : 'unavailable';
  }
}
