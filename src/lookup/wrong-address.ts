import type { Logger } from '../log.ts';

/** One id that does not exist may be mistyped; of three different ones some should exist. */
const SUSPICIOUS_IDS = 3;

/** Warns once that the address of the card lookup may be wrong: several ids do not exist, and no card is known. */
export class WrongAddressWarning {
  readonly #log: Logger;
  readonly #missing = new Set<string>();
  #isTold = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** To be called as long as no card is known. */
  noSuchCard(id: string): void {
    this.#missing.add(id);
    if (this.#isTold || this.#missing.size < SUSPICIOUS_IDS) return;
    this.#isTold = true;
    this.#log.warn(
      { cardIds: [...this.#missing] },
      'no card has ever been found: CARD_SERVICE_URL or CARD_SERVICE_CARD_PATH may be wrong',
    );
  }
}
