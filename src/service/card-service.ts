import type { Logger } from '../log.ts';
import { type CardServiceError, isRefusal, UnexpectedAnswer } from '../model/errors.ts';
import type { Usage } from '../model/plan.ts';
import type { ServiceDescription, WindowSources } from '../model/service-description.ts';
import { DAY_MS } from '../time/utc-day.ts';
import { cardUrl, endpoint } from './address.ts';
import { isAbsent, type OnUnread, successBody, throwUnlessAnswered, usageIn } from './answers.ts';
import { type AnsweredCard, CardReader } from './described-card.ts';
import { afterKeyRefusal, type KeyTrust } from './key-trust.ts';
import { againAtMost, type BatchLimits, Listing } from './listing.ts';
import { failedOutcome, type ListingOutcome } from './listing-learning.ts';
import { readRateLimits } from './rate-limit-headers.ts';
import { type RequestOptions, request, type ServiceResponse } from './request.ts';

/** `limiter` of `RequestOptions` is told what the headers of each answer say. */
export interface CardServiceOptions extends RequestOptions {
  baseUrl: string;
  description: ServiceDescription;
  log: Logger;
}

/** What the service said of a card; an error concerns this id alone. */
export type FetchedCard = AnsweredCard | 'noSuchCard' | CardServiceError;

export interface Fetched {
  cards: ReadonlyMap<string, FetchedCard>;
  /** Cards of which the answer says nothing may be requested again, with no more than so many together. */
  againAtMost?: number;
}

/** The card data service. Every call of a method that returns a promise costs one request; nothing is retried here. */
export class CardService {
  readonly #options: CardServiceOptions;
  readonly #listing: Listing | undefined;
  readonly #onUnread: OnUnread;
  readonly #reader: CardReader;
  #key: KeyTrust = {};
  /** What one request may carry now, given how many cards may be under way together. Absent: one card. */
  readonly limits: ((nowMs: number, cardsLeft: number | undefined) => BatchLimits) | undefined;

  constructor(options: CardServiceOptions) {
    this.#options = options;
    const { description, log } = options;
    this.#onUnread = loggingOnce(log);
    this.#reader = new CardReader(description, this.#onUnread);
    const listing = description.list && new Listing({ ...options, list: description.list, reader: this.#reader });
    this.#listing = listing;
    this.limits = listing && ((...given) => listing.limits(...given));
  }

  /**
   * One card or several, within `limits`, always with prices, because they cost nothing more. A list may count as one
   * request or as one for each card, which the service does not show.
   *
   * @throws RateLimited on 429, KeyRefused or PlanRefused where the description says so, ServiceDown on 408, 5xx or
   *   silence, and the reason of `signal`
   */
  async fetch(ids: readonly string[], signal?: AbortSignal): Promise<Fetched> {
    const listing = this.#listing;
    const ended = listing?.sent(ids);
    const [id = ''] = ids;
    try {
      const isList = listing && ids.length > 1;
      const [fetched, outcome] = await (isList ? this.#several(listing, ids, signal) : this.#one(id, signal));
      ended?.(outcome);
      return fetched;
    } catch (error) {
      ended?.(failedOutcome(error));
      throw error;
    }
  }

  /**
   * What the plan's period has left. Assumed to cost a request like any other.
   *
   * @throws as `fetch` does, and UnexpectedAnswer; without a key KeyRefused is to be expected.
   */
  async usage({ signal }: { signal?: AbortSignal } = {}): Promise<Usage> {
    const { baseUrl, description, limiter } = this.#options;
    const response = await answered(endpoint(baseUrl, description.usage?.path ?? ''), this.#options, signal);
    const usage = usageIn(response, description, this.#onUnread);
    const { sentAtMs, receivedAtMs } = response;
    const { startMs = receivedAtMs, endMs = startMs } = usage.period ?? {};
    const statedBy = (windows: readonly WindowSources[]) => readRateLimits(response, windows, sentAtMs, receivedAtMs);
    // Where an answer states what remains, its report may mean another day.
    const isUnstated = statedBy(description.quota).every(({ remaining }) => remaining === undefined);
    const ofReport = isUnstated && endMs - startMs <= DAY_MS ? statedBy([{ per: 'day', ...description.usage }]) : [];
    for (const reading of ofReport) limiter.observe(reading);
    return usage;
  }

  async #several(
    listing: Listing,
    ids: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<[Fetched, ListingOutcome]> {
    const answer = await listing.request(ids, this.#options, signal);
    const isListed = answer.kind === 'listed';
    if (isListed) this.#key = { workedAtMs: Date.now() };
    return [{ cards: isListed ? answer.cards : new Map(), againAtMost: againAtMost(answer, ids.length) }, answer];
  }

  async #one(id: string, signal?: AbortSignal): Promise<[Fetched, ListingOutcome]> {
    try {
      const found = await this.#card(id, signal);
      this.#key = { workedAtMs: Date.now() };
      const cards = new Map(found === 'noSuchCard' ? [] : [[id, found]]);
      return [{ cards: new Map([[id, found]]) }, { kind: 'listed', cards }];
    } catch (error) {
      if (!this.#concernsIdAlone(error, id)) throw error;
      return [{ cards: new Map([[id, error]]) }, failedOutcome(error)];
    }
  }

  #concernsIdAlone(error: unknown, id: string): error is CardServiceError {
    if (!isRefusal(error)) return error instanceof UnexpectedAnswer;
    this.#key = afterKeyRefusal(this.#key, id, Date.now());
    return this.#key.workedAtMs !== undefined;
  }

  async #card(id: string, signal?: AbortSignal): Promise<AnsweredCard | 'noSuchCard'> {
    const { baseUrl, description } = this.#options;
    const response = await answered(cardUrl(baseUrl, description, id), this.#options, signal);
    if (isAbsent(response, description)) return 'noSuchCard';
    const card = this.#reader.cardOf(id, this.#reader.foundIn(successBody(response)));
    if (card instanceof UnexpectedAnswer) throw card;
    return card;
  }
}

/** Each field once: the next card has it, too. */
function loggingOnce(log: Logger): OnUnread {
  const logged = new Set<string>();
  return (field, why) => {
    if (!logged.has(field)) log.warn({ field, why }, 'a field of the card service cannot be read: it counts as absent');
    logged.add(field);
  };
}

async function answered(url: URL, options: CardServiceOptions, signal?: AbortSignal): Promise<ServiceResponse> {
  const response = await request(url, options, { signal });
  throwUnlessAnswered(response, options.description);
  return response;
}
