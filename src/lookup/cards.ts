import { LRUCache } from 'lru-cache';
import type { CardStore } from '../cache/card-store.ts';
import type { CardRecord } from '../model/card.ts';
import { type CardServiceError, KeyRefused, UnexpectedAnswer } from '../model/errors.ts';
import type { Limiter, Permit } from '../quota/limiter.ts';
import type { CardService } from '../service/card-service.ts';
import { type Freshness, freshness, type Lifetimes } from './freshness.ts';
import { KeyTrust } from './key-trust.ts';
import { withPermit } from './permitted-request.ts';

/** What is known of a card without asking. */
export type Known = { kind: 'missing' } | { kind: Freshness; answer: CardRecord };

export interface CardsOptions {
  store: CardStore;
  service: CardService;
  limiter: Limiter;
  lifetimes: Lifetimes;
}

/** An id that was answered with nonsense is left alone for this long; it would only be nonsense again. */
const NONSENSE_MS = 5 * 60_000;
/** One that alone was refused; so often a refused key may be tried. */
const REFUSED_MS = 60_000;
const REMEMBERED_IDS = 1_000;

/** What do we know of a card, and how to ask when that is not enough. Knows nothing of turns and replies. */
export class Cards {
  readonly #store: CardStore;
  readonly #service: CardService;
  readonly #limiter: Limiter;
  readonly #lifetimes: Lifetimes;
  readonly #key = new KeyTrust();
  /** What was answered to single ids, and says nothing of others. */
  readonly #oddAnswers = new LRUCache<string, CardServiceError>({
    max: REMEMBERED_IDS,
    ttl: NONSENSE_MS,
    perf: { now: () => performance.now() }, // looked up each time: lru-cache keeps the one that it was loaded with
  });

  constructor({ store, service, limiter, lifetimes }: CardsOptions) {
    this.#store = store;
    this.#service = service;
    this.#limiter = limiter;
    this.#lifetimes = lifetimes;
  }

  /**
   * Costs no request.
   *
   * @throws UnexpectedAnswer when nothing is known and the service answered this id with nonsense a moment ago,
   *   KeyRefused when it refused this id alone
   */
  async known(id: string, showPrices: boolean): Promise<Known> {
    const howFresh = (answer: CardRecord) => freshness(answer, showPrices, Date.now(), this.#lifetimes);
    const answer = await this.#store.get(id, (remembered) => howFresh(remembered) === 'fresh');
    if (answer !== undefined) return { kind: howFresh(answer), answer };
    const odd = this.#oddAnswers.get(id);
    if (odd) throw odd;
    return { kind: 'missing' };
  }

  /**
   * What makes asking needless: a fresh copy that came in the meantime. Costs no request.
   *
   * @throws UnexpectedAnswer, KeyRefused as `known` does, whatever we hold
   */
  async withoutAsking(id: string, showPrices: boolean): Promise<CardRecord | undefined> {
    const odd = this.#oddAnswers.get(id);
    if (odd) throw odd;
    const known = await this.known(id, showPrices);
    return known.kind === 'fresh' ? known.answer : undefined;
  }

  /**
   * Asks the service once and remembers its answer. Costs one request, always with prices: they cost nothing more.
   *
   * @param signal gives up without news of the service
   * @throws what `CardService.card` throws; an old copy stays as it was
   */
  async fetch(id: string, permit: Permit, signal?: AbortSignal): Promise<CardRecord> {
    const query = { includePrices: true, ...(signal && { signal }) };
    const card = await withPermit(
      this.#limiter,
      permit,
      () => this.#service.card(id, query),
      (error) => this.#concernsAlone(id, error),
    );
    this.#key.worked(Date.now());
    const answer: CardRecord = card ? { card, fetchedAtMs: Date.now() } : await this.#notFound(id);
    await this.#store.set(id, answer);
    if (card && card.id !== id) await this.#store.set(card.id, answer);
    return answer;
  }

  /** Such an answer is remembered for its id. */
  #concernsAlone(id: string, error: unknown): boolean {
    if (error instanceof UnexpectedAnswer) this.#oddAnswers.set(id, error);
    else if (error instanceof KeyRefused && this.#key.isBelievedAfterRefusing(id, Date.now()))
      this.#oddAnswers.set(id, error, { ttl: REFUSED_MS });
    else return false;
    return true;
  }

  /** A card that we hold and the service denies is not forgotten: it is no longer listed. */
  async #notFound(id: string): Promise<CardRecord> {
    // Not what memory alone holds: another process may have stored a newer copy.
    const held = await this.#store.get(id, () => false);
    const nowMs = Date.now();
    return held?.card ? { ...held, delistedAtMs: nowMs } : { card: undefined, fetchedAtMs: nowMs };
  }
}
