import type { Claimed, ClaimOptions, Claims } from '../model/claims.ts';

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
