import type { CardStore } from '../cache/card-store.ts';
import type { CatalogLearner } from '../catalog/catalog.ts';
import type { Logger } from '../log.ts';
import type { CardRecord, Known } from '../model/card.ts';
import { CardServiceError } from '../model/errors.ts';
import type { Events } from '../model/events.ts';
import type { FetchedCard } from '../service/card-service.ts';
import { freshness, type Lifetimes } from './freshness.ts';
import { nextRecord } from './next-record.ts';
import { RestingCards } from './resting-cards.ts';

export interface CardsOptions {
  store: Pick<CardStore, 'get' | 'set'>;
  lifetimes: Lifetimes;
  /** Told of what the service answers. */
  catalog?: CatalogLearner;
  events?: Events;
  log: Logger;
}

/** One id that does not exist may be mistyped; of three different ones some should exist. */
const SUSPICIOUS_IDS = 3;

/** What is known of cards, and how to fetch what is not. Knows nothing of permits and replies. */
export class Cards {
  readonly #options: CardsOptions;
  /** Ids that do not exist, as long as no card of this address is known and nothing was said of them. */
  #idsOfWrongAddress: Set<string> | undefined = new Set();
  readonly resting = new RestingCards();

  constructor(options: CardsOptions) {
    this.#options = options;
  }

  /**
   * Costs no request.
   *
   * @throws when nothing is known, the error after which the card is left alone: UnexpectedAnswer, KeyRefused, ServiceDown
   */
  async known(id: string, showPrices: boolean): Promise<Known> {
    const known = await this.#read(id, showPrices);
    if (known.kind === 'missing') this.#throwIfResting(id);
    return known;
  }

  /** What is kept of a card, however old. Costs no request. */
  async kept(id: string): Promise<CardRecord | undefined> {
    return (await this.#read(id, true)).answer;
  }

  /** The same, and whether it is old. Costs no request. */
  async keptPrice(id: string): Promise<{ record: CardRecord; isStale: boolean } | undefined> {
    const { kind, answer } = await this.#read(id, true);
    return answer && { record: answer, isStale: kind === 'stale' };
  }

  /** How long a price is new. */
  get pricesFreshMs(): number {
    return this.#options.lifetimes.pricesFreshMs;
  }

  /**
   * What is known right before a request: since the lookup found nothing fresh, another process may have brought the
   * card, or a request for it under another id. Costs no request.
   *
   * @throws as `known` does, whatever is known
   */
  async knownBeforeRequest(id: string, showPrices: boolean): Promise<Known> {
    this.#throwIfResting(id);
    return this.#read(id, showPrices);
  }

  #throwIfResting(id: string): void {
    const rest = this.resting.of(id);
    if (rest && !rest.isSatOut) throw rest.error;
  }

  async #read(id: string, showPrices: boolean): Promise<Known> {
    const { store, lifetimes } = this.#options;
    const howFresh = (record: CardRecord) => freshness(record, showPrices, Date.now(), lifetimes);
    const answer = await store.get(id, (remembered) => howFresh(remembered) === 'fresh');
    if (answer?.card) this.#idsOfWrongAddress = undefined;
    if (!answer) return { kind: 'missing' };
    const isOther = answer.pricesBy !== lifetimes.pricesBy; // what another description called a price may be another one
    return { kind: howFresh(answer), answer: isOther ? { ...answer, history: undefined } : answer };
  }

  /**
   * Keeps what was fetched, all with the same time.
   *
   * @param kept what was known of each before the request
   * @returns it as records; errors are passed on, and what was kept before stays as it was
   */
  async store(
    found: ReadonlyMap<string, FetchedCard>,
    kept: ReadonlyMap<string, CardRecord | undefined>,
  ): Promise<ReadonlyMap<string, CardRecord | CardServiceError>> {
    const nowMs = Date.now();
    const storing = [...found].map(async ([id, one]) => [id, await this.#store(id, one, kept.get(id), nowMs)] as const);
    return new Map(await Promise.all(storing)); // all at once: everybody waits for the last
  }

  async #store(id: string, found: FetchedCard, kept: CardRecord | undefined, nowMs: number) {
    const { store, lifetimes, catalog, events } = this.#options;
    if (found instanceof CardServiceError) {
      this.resting.failed(id, found);
      return found;
    }
    this.resting.answered(id);
    const card = found === 'noSuchCard' ? undefined : found;
    const { record, priced } = nextRecord(kept, card, nowMs, lifetimes);
    for (const key of new Set([id, card?.id ?? id])) {
      await store.set(key, record);
      if (priced) events?.publish('priced', { ...priced, cardId: key, atMs: nowMs });
    }
    if (card) {
      this.#idsOfWrongAddress = undefined;
      catalog?.learn(card);
    } else {
      this.#warnOfWrongAddress(id);
      catalog?.deny(id, record.card !== undefined);
    }
    return record;
  }

  #warnOfWrongAddress(missingId: string): void {
    const cardIds = [...(this.#idsOfWrongAddress?.add(missingId) ?? [])];
    if (cardIds.length < SUSPICIOUS_IDS) return;
    this.#idsOfWrongAddress = undefined;
    this.#options.log.warn({ cardIds }, WRONG_ADDRESS);
  }
}

const WRONG_ADDRESS = 'no card has ever been found: CARD_SERVICE_URL or CARD_SERVICE_CARD_PATH may be wrong';
