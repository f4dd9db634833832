import { LRUCache } from 'lru-cache';
import type { CardStore } from '../cache/card-store.ts';
import type { Answer } from '../card.ts';
import { UnexpectedAnswer } from '../errors.ts';
import type { Pacer, Turn } from '../quota/pacer.ts';
import type { CardService } from '../service/card-service.ts';
import { type Freshness, freshness, type Lifetimes } from './freshness.ts';
import { inTurn } from './request-outcome.ts';

/** What is known of a card without asking. */
export type Known = { kind: 'nothing' } | { kind: Freshness; answer: Answer };

export interface CardLookupOptions {
  store: CardStore;
  service: CardService;
  pacer: Pacer;
  lifetimes: Lifetimes;
}

/** An id that was answered with nonsense is left alone for this long; it would only be nonsense again. */
const NONSENSE_MS = 5 * 60_000;
const NONSENSE_IDS = 1_000;

/** What do we know of a card, and how to ask when that is not enough. Knows nothing of turns and replies. */
export class CardLookup {
  readonly #store: CardStore;
  readonly #service: CardService;
  readonly #pacer: Pacer;
  readonly #lifetimes: Lifetimes;
  readonly #nonsense = new LRUCache<string, UnexpectedAnswer>({ max: NONSENSE_IDS, ttl: NONSENSE_MS });

  constructor({ store, service, pacer, lifetimes }: CardLookupOptions) {
    this.#store = store;
    this.#service = service;
    this.#pacer = pacer;
    this.#lifetimes = lifetimes;
  }

  /**
   * Costs no request.
   *
   * @throws UnexpectedAnswer when nothing is known and the service answered this id with nonsense a moment ago
   */
  async known(id: string, showPrices: boolean): Promise<Known> {
    const howFresh = (answer: Answer) => freshness(answer, showPrices, Date.now(), this.#lifetimes);
    const answer = await this.#store.get(id, (remembered) => howFresh(remembered) === 'fresh');
    if (answer !== undefined) return { kind: howFresh(answer), answer };
    const nonsense = this.#nonsense.get(id);
    if (nonsense) throw nonsense;
    return { kind: 'nothing' };
  }

  /**
   * What makes asking needless: a fresh copy that came in the meantime. Costs no request.
   *
   * @throws UnexpectedAnswer when the service answered this id with nonsense a moment ago, whatever we hold
   */
  async withoutAsking(id: string, showPrices: boolean): Promise<Answer | undefined> {
    const nonsense = this.#nonsense.get(id);
    if (nonsense) throw nonsense;
    const known = await this.known(id, showPrices);
    return known.kind === 'fresh' ? known.answer : undefined;
  }

  /**
   * Asks the service once and remembers its answer. Costs one request, always with prices: they cost nothing more.
   *
   * @param signal gives up without news of the service
   * @throws what `CardService.card` throws; an old copy stays as it was
   */
  async ask(id: string, turn: Turn, signal?: AbortSignal): Promise<Answer> {
    try {
      const query = { includePrices: true, ...(signal && { signal }) };
      const card = await inTurn(this.#pacer, turn, () => this.#service.card(id, query));
      const answer: Answer = card ? { card, askedAtMs: Date.now() } : await this.#notFound(id);
      await this.#store.set(id, answer);
      if (card && card.id !== id) await this.#store.set(card.id, answer);
      return answer;
    } catch (error) {
      if (error instanceof UnexpectedAnswer) this.#nonsense.set(id, error);
      throw error;
    }
  }

  /** A card that we hold and the service denies is not forgotten: it is no longer listed. */
  async #notFound(id: string): Promise<Answer> {
    // Not what memory alone holds: another process may have stored a newer copy.
    const held = await this.#store.get(id, () => false);
    const nowMs = Date.now();
    return held?.card ? { ...held, deniedAtMs: nowMs } : { card: undefined, askedAtMs: nowMs };
  }
}
