import type { Catalog } from '../catalog/catalog.ts';
import type { Logger } from '../log.ts';
import { type CardRecord, type Known, type PriceRow, type Prices, rowKey } from '../model/card.ts';
import { CardServiceError } from '../model/errors.ts';
import type { Events } from '../model/events.ts';
import { withPoint } from '../model/price-history.ts';
import type { AnsweredCard, FetchedCard } from '../service/answers.ts';
import { DAY_MS } from '../time.ts';
import { type CardStore, saidAtMs } from './card-store.ts';
import { RestingCards } from './resting-cards.ts';

/** How long each kind of answer may be shown without a request. Past that it is kept as a fallback. */
export interface Lifetimes {
  /** Facts change with errata at most. */
  factsFreshMs: number;
  /** Prices change daily. */
  pricesFreshMs: number;
  /** How long the service lets its prices be kept; absent: for as long as they are shown. */
  historyMs?: number | undefined;
  /** The fingerprint of the description that prices come by: those by another are stale. */
  pricesBy?: string | undefined;
}

export interface CardsOptions {
  store: Pick<CardStore, 'remembered' | 'newest' | 'set'>;
  lifetimes: Lifetimes;
  /** Told of what the service answers. */
  catalog?: Catalog;
  events?: Events;
  log: Logger;
}

/** One id that does not exist may be mistyped; of three different ones some should exist. */
const SUSPICIOUS_IDS = 3;
const WRONG_ADDRESS = 'no card has ever been found: CARD_SERVICE_URL or CARD_SERVICE_CARD_PATH may be wrong';

/** What is known of cards, and what is kept of an answer. Knows nothing of permits and replies. */
export class Cards {
  readonly #options: CardsOptions;
  /** Ids that do not exist, as long as no card of this address is known and nothing was said of them. */
  #idsOfWrongAddress: Set<string> | undefined = new Set();
  readonly resting = new RestingCards();

  constructor(options: CardsOptions) {
    this.#options = options;
  }

  /** How long a price is new. */
  get pricesFreshMs(): number {
    return this.#options.lifetimes.pricesFreshMs;
  }

  /** What is kept of a card, however old. Costs no request, and no read of the lasting store where it is fresh. */
  async kept(id: string, showPrices = true): Promise<Known> {
    const { store, lifetimes } = this.#options;
    let known = knownBy(store.remembered(id), showPrices, Date.now(), lifetimes);
    if (known.kind !== 'fresh') known = knownBy(await store.newest(id), showPrices, Date.now(), lifetimes);
    if (known.answer?.card) this.#idsOfWrongAddress = undefined;
    return known;
  }

  /**
   * The same for a member who wants to see the card, or for a request that is about to leave: since its lookup found
   * nothing fresh, another process may have brought the card, or a request for it under another id.
   *
   * @throws the error after which the card is left alone (UnexpectedAnswer, KeyRefused, PlanRefused, ServiceDown): when
   *   nothing is known, and before a request whatever is known
   */
  async known(id: string, showPrices: boolean, { isBeforeRequest = false } = {}): Promise<Known> {
    const known = await this.kept(id, showPrices);
    const rest = known.kind === 'missing' || isBeforeRequest ? this.resting.of(id) : undefined;
    if (rest && !rest.isSatOut) throw rest.error;
    return known;
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

/** "No such card" and "no longer listed". */
const NOT_FOUND_FRESH_MS = 3_600_000;

/**
 * Without prices to show, only the facts age. A card fetched with prices that has none is as old as prices are. How old
 * a record is that a clock ahead has dated is not known, so it is stale. What another description called a price may be
 * another one, so it is stale, too; one of another service has no past besides.
 */
export function knownBy(
  answer: CardRecord | undefined,
  showPrices: boolean,
  nowMs: number,
  { factsFreshMs, pricesFreshMs, pricesBy }: Lifetimes,
): Known {
  if (!answer) return { kind: 'missing' };
  const [reading, service] = partsOf(answer.pricesBy);
  const [ownReading, ownService] = partsOf(pricesBy);
  const isFound = answer.card !== undefined && answer.delistedAtMs === undefined;
  const pricedFreshMs = reading !== ownReading ? -Infinity : Math.min(pricesFreshMs, factsFreshMs);
  const freshMs = !isFound ? NOT_FOUND_FRESH_MS : showPrices ? pricedFreshMs : factsFreshMs;
  const isOfAnotherService = service === undefined ? !ownReading : service !== ownService;
  return {
    kind: nowMs < saidAtMs(answer, nowMs) + freshMs ? 'fresh' : 'stale',
    answer: isOfAnotherService ? { ...answer, history: undefined } : answer,
  };
}

/** How prices are read, and of which service they are; records of former versions name no described service. */
function partsOf(pricesBy = '.') {
  return pricesBy.split('.');
}

/** A row may lack a price for a day or two; for so long none of another row is compared with those it had. */
const ROW_KEPT_MS = 3 * DAY_MS;

/** With the one that is shown first they are one screen of a phone. */
const MOST_OTHERS = 4;

/**
 * What is kept of a card after an answer, and its price if watches may be told of it. Former prices go on with the same
 * row as long as that has a price, rest while it lacks one, and begin anew with another row after that. A row is the
 * same by label and currency, whatever else an update of its description changes.
 *
 * @param answered `undefined`: there is no such card
 */
export function nextRecord(
  kept: CardRecord | undefined,
  answered: AnsweredCard | undefined,
  nowMs: number,
  { pricesBy, historyMs = Infinity }: Pick<Lifetimes, 'pricesBy' | 'historyMs'>,
) {
  if (!answered) return { record: denied(kept, nowMs) };
  const { rows, ...card } = answered;
  const past = kept?.history?.filter(([atMs]) => nowMs - atMs < historyMs);
  const row = past && rowOf(kept, nowMs);
  const priced = rows ?? (card.prices?.market === undefined ? [] : [card.prices]);
  const isReadOtherwise = partsOf(kept?.pricesBy)[0] !== partsOf(pricesBy)[0];
  const same = row && sameRow(priced, row, isReadOtherwise);
  const shown = same ?? priced[0] ?? card.prices;
  const others = rows?.filter((each) => each !== shown).slice(0, MOST_OTHERS);
  const record = { card: { ...card, prices: shown }, others, fetchedAtMs: nowMs, pricesBy };
  const { market, label, currency } = shown ?? {};
  const isAwaited = row && !same && nowMs - row.sinceMs < ROW_KEPT_MS;
  if (isAwaited || market === undefined) return { record: { ...record, history: past, missingRow: row } };
  const isOther = kept?.card !== undefined && isReadOtherwise;
  return {
    record: { ...record, history: withPoint((same && past) ?? [], [nowMs, market]) },
    priced: { market, label, currency, isAnew: !same && (isOther || row !== undefined) },
  };
}

/** By its label; or, where an update has given it one, by what its path calls it, unless it calls others so, too. */
function sameRow(priced: readonly Prices[], row: PriceRow, isReadOtherwise: boolean): Prices | undefined {
  const [same] = priced.filter((each) => rowKey(each) === rowKey(row));
  if (same || !isReadOtherwise) return same;
  const [only, ...others] = priced.filter(
    ({ pathLabel: label, currency }) => label !== undefined && rowKey({ label, currency }) === rowKey(row),
  );
  return others.length === 0 ? only : undefined;
}

/** A card that is kept is not forgotten: it is no longer listed. */
function denied(kept: CardRecord | undefined, nowMs: number): CardRecord {
  return kept?.card ? { ...kept, delistedAtMs: nowMs } : { card: undefined, fetchedAtMs: nowMs };
}

/** The row that the past is of, and since when it lacks a price, should it. */
function rowOf(kept: CardRecord | undefined, nowMs: number) {
  const { label, currency } = kept?.card?.prices ?? {};
  return kept?.missingRow ?? { label, currency, sinceMs: nowMs };
}
