export interface ClaimOptions {
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

  async claim(name: string, { ttlMs }: ClaimOptions): Promise<Exclude<Claimed, 'unavailable'>> {
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
