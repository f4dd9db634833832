/** A key that worked this lately is more likely good than the refusal of one id says. */
const BELIEVED_FOR_MS = 60 * 60_000;

/**
 * Whether the key is believed although a lookup was refused. One that worked within the hour is, until two different ids
 * were refused. Kept in memory: after a start the first refusal counts.
 */
export class KeyTrust {
  #workedAtMs = Number.NEGATIVE_INFINITY;
  #refusedId: string | undefined;

  /** A card was looked up with it. */
  worked(nowMs: number): void {
    this.#workedAtMs = nowMs;
    this.#refusedId = undefined;
  }

  isBelievedAfterRefusing(id: string, nowMs: number): boolean {
    const isOtherId = this.#refusedId !== undefined && this.#refusedId !== id;
    if (isOtherId || nowMs - this.#workedAtMs >= BELIEVED_FOR_MS) this.#workedAtMs = Number.NEGATIVE_INFINITY;
    this.#refusedId = id;
    return this.#workedAtMs !== Number.NEGATIVE_INFINITY;
  }
}
