import { LRUCache } from 'lru-cache';
import type { CardStore } from '../cache/card-store.ts';
import type { CatalogLearner } from '../catalog/catalog.ts';
import type { CardRecord } from '../model/card.ts';
import { CardServiceError, KeyRefused } from '../model/errors.ts';
import type { Events } from '../model/events.ts';
import type { Found } from '../service/card-service.ts';
import { freshness, type Lifetimes } from './freshness.ts';
import { nextRecord } from './next-record.ts';

/** What is known of a card without a request. */
export type Known = { kind: 'missing' } | { kind: 'fresh' | 'stale'; answer: CardRecord };

export interface CardsOptions {
  store: CardStore;
  lifetimes: Lifetimes;
  /** Told of what the service answers. */
  catalog?: CatalogLearner;
  events?: Events;
}

/** How an id was read, and what was found. */
interface NotFresh {
  showPrices: boolean;
  found?: { answer: CardRecord | undefined };
}

/** An id that got an answer that does not fit gets no request for this long: the next answer would hardly fit. */
const UNEXPECTED_MS = 5 * 60_000;
/** The same for an id that alone was refused: a refused key may be tried this often. */
const REFUSED_MS = 60_000;
const MAX_IDS = 1_000;

/** What is known of cards, and how to fetch what is not. Knows nothing of permits and replies. */
export class Cards {
  readonly #options: CardsOptions;
  /** Errors that concern single ids. */
  readonly #idErrors = new LRUCache<string, CardServiceError>({
    max: MAX_IDS,
    ttl: UNEXPECTED_MS,
    perf: { now: () => performance.now() }, // looked up each time: lru-cache keeps the one that it was loaded with
  });
  /** Ids that were read, and were neither fresh then nor stored since. */
  readonly #notFresh = new Map<string, NotFresh>();

  constructor(options: CardsOptions) {
    this.#options = options;
  }

  /**
   * Costs no request.
   *
   * @throws UnexpectedAnswer when nothing is known and the service answered this id within the last 5 minutes with
   *   something that does not fit, KeyRefused when it refused this id alone within the last minute
   */
  async known(id: string, showPrices: boolean): Promise<Known> {
    const known = await this.#known(id, showPrices);
    this.#options.events?.publish('known', { kind: known.kind });
    return known;
  }

  async #known(id: string, showPrices: boolean): Promise<Known> {
    const reading: NotFresh = { showPrices };
    this.#reads(id, reading); // what is stored while this is read takes it away
    const howFresh = (answer: CardRecord) => freshness(answer, showPrices, Date.now(), this.#options.lifetimes);
    const answer = await this.#options.store.get(id, (remembered) => howFresh(remembered) === 'fresh');
    reading.found = { answer };
    if (answer !== undefined) {
      const kind = howFresh(answer);
      if (kind === 'fresh') this.#notFresh.delete(id);
      return { kind, answer };
    }
    const error = this.#idErrors.get(id);
    if (error) throw error;
    return { kind: 'missing' };
  }

  /** When there are too many ids, the one that was read longest ago is forgotten. */
  #reads(id: string, reading: NotFresh): void {
    this.#notFresh.delete(id);
    this.#notFresh.set(id, reading);
    const [oldest] = this.#notFresh.size > MAX_IDS ? this.#notFresh.keys() : [];
    if (oldest !== undefined) this.#notFresh.delete(oldest);
  }

  /**
   * A fresh copy that makes a request needless: one that came after the lookup found none. Costs no request, and no read
   * either when nothing can have changed.
   *
   * @param isShared whether other processes may have stored a copy
   * @throws UnexpectedAnswer, KeyRefused as `known` does, whatever is known
   */
  async fresh(id: string, showPrices: boolean, isShared: boolean): Promise<CardRecord | undefined> {
    const error = this.#idErrors.get(id);
    if (error) throw error;
    const read = this.#notFresh.get(id);
    // A copy that is stale without prices is stale with them.
    if (!isShared && read && (showPrices || !read.showPrices)) return undefined;
    const known = await this.#known(id, showPrices);
    return known.kind === 'fresh' ? known.answer : undefined;
  }

  /**
   * Keeps what was fetched, all with the same time.
   *
   * @returns it as records; errors are passed on, and what was kept before stays as it was
   */
  async store(found: ReadonlyMap<string, Found>): Promise<ReadonlyMap<string, CardRecord | CardServiceError>> {
    const nowMs = Date.now();
    const storing = [...found].map(async ([id, one]) => [id, await this.#storeOne(id, one, nowMs)] as const);
    return new Map(await Promise.all(storing)); // all at once: everybody waits for the last
  }

  async #storeOne(id: string, found: Found, nowMs: number): Promise<CardRecord | CardServiceError> {
    if (found instanceof CardServiceError) {
      this.#idErrors.set(id, found, { ttl: found instanceof KeyRefused ? REFUSED_MS : UNEXPECTED_MS });
      return found;
    }
    const card = found === 'noSuchCard' ? undefined : found;
    const record = nextRecord(await this.#kept(id), card, nowMs);
    for (const key of new Set([id, card?.id ?? id])) {
      await this.#options.store.set(key, record);
      this.#notFresh.delete(key);
    }
    if (card) this.#options.catalog?.learn(card);
    else this.#options.catalog?.deny(id, record.card !== undefined);
    return record;
  }

  /**
   * The copy that a lookup would replace, as it was read before the request; otherwise not from memory alone: another
   * process may have stored a newer one.
   */
  async #kept(id: string): Promise<CardRecord | undefined> {
    const found = this.#notFresh.get(id)?.found;
    return found ? found.answer : this.#options.store.get(id, () => false);
  }
}
