import type { CardStore } from '../cache/card-store.ts';
import type { Logger } from '../log.ts';

/** One id that does not exist may be mistyped; of three different ones some should exist. */
const SUSPICIOUS_IDS = 3;
const LONGEST_TAG = 100;

/** Warns once that the address of the card lookup may be wrong: several ids do not exist, and no card was ever found. */
export class WrongAddressWarning {
  readonly #cards: Pick<CardStore, 'holdsCards'>;
  readonly #log: Logger;
  readonly #missing = new Set<string>();

  constructor(cards: Pick<CardStore, 'holdsCards'>, log: Logger) {
    this.#cards = cards;
    this.#log = log;
  }

  /** @param tag `_tag` of the error body: a wrong path likely has another than a wrong id */
  async noSuchCard(id: string, tag: string): Promise<void> {
    if (this.#missing.size >= SUSPICIOUS_IDS || this.#missing.has(id)) return;
    this.#missing.add(id);
    if (this.#missing.size < SUSPICIOUS_IDS || (await this.#cards.holdsCards()) !== false) return;
    this.#log.warn(
      { tag: tag.slice(0, LONGEST_TAG), cardIds: [...this.#missing] },
      'no card has ever been found: CARD_SERVICE_URL or CARD_SERVICE_CARD_PATH may be wrong',
    );
  }
}
