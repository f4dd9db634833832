import type { Logger } from '../log.ts';
import { type CardServiceError, isRefusal, UnexpectedAnswer } from '../model/errors.ts';
import type { Usage } from '../model/plan.ts';
import type { ServiceDescription } from '../model/service-description.ts';
import { DAY_MS } from '../time/utc-day.ts';
import { type AnsweredCard, AnswerReader, type OnUnread } from './answers.ts';
import { type BatchLimits, BulkRequests } from './bulk.ts';
import { endpoint, type RequestOptions, Requests } from './request.ts';
import { statedLimits } from './stated.ts';

/** `limiter` of `RequestOptions` is told what the headers of each answer say. */
export interface CardServiceOptions extends RequestOptions {
  baseUrl: string;
  log: Logger;
}

/** What the service said of a card; an error concerns this id alone. */
export type FetchedCard = AnsweredCard | 'noSuchCard' | CardServiceError;

export interface Fetched {
  cards: ReadonlyMap<string, FetchedCard>;
  /** Cards of which the answer says nothing may be requested again, with no more than so many together. */
  againAtMost?: number;
}

/** A key that worked this lately is more likely good than the refusal of one id says. */
const BELIEVED_FOR_MS = 60 * 60_000;

/** The card data service. Every call of a method that returns a promise costs one request; nothing is retried here. */
export class CardService {
  readonly #options: CardServiceOptions;
  readonly #requests: Requests;
  readonly #reader: AnswerReader;
  readonly #bulk: BulkRequests | undefined;
  /**
   * When a card was last looked up with the key, and the id that was refused since. Absent: a refusal is believed, as
   * the first one after a start is.
   */
  #worked: { atMs: number; refusedId?: string } | undefined;
  /** What one request may carry now, given how many cards may be under way together. Absent: one card. */
  readonly limits: ((nowMs: number, cardsLeft: number | undefined) => BatchLimits) | undefined;

  constructor(options: CardServiceOptions) {
    const { description, log } = options;
    this.#options = options;
    this.#requests = new Requests(options);
    this.#reader = new AnswerReader(description, loggingOnce(log));
    const bulk = description.list && new BulkRequests({ ...options, list: description.list, reader: this.#reader });
    this.#bulk = bulk;
    this.limits = bulk && ((...given) => bulk.limits(...given));
  }

  /**
   * One card or several, within `limits`, always with prices, because they cost nothing more. Costs one request; a bulk
   * request may count as one or as one for each card, which the service does not show.
   *
   * @throws RateLimited on 429, KeyRefused or PlanRefused where the description says so, ServiceDown on 408, 5xx or
   *   silence, and the reason of `signal`
   */
  async fetch(ids: readonly string[], signal?: AbortSignal): Promise<Fetched> {
    const [id = ''] = ids;
    if (this.#bulk && ids.length > 1) {
      const listed = await this.#bulk.fetch(ids, signal);
      if (listed.cards.size > 0) this.#worked = { atMs: Date.now() };
      return listed;
    }
    const card = this.#card(id, signal);
    return { cards: new Map([[id, await (this.#bulk?.alone(card) ?? card)]]) };
  }

  /**
   * What the plan's period has left. Assumed to cost a request like any other.
   *
   * @throws as `fetch` does, and UnexpectedAnswer; without a key KeyRefused is to be expected.
   */
  async usage({ signal }: { signal?: AbortSignal } = {}): Promise<Usage> {
    const { baseUrl, description, limiter } = this.#options;
    const response = await this.#requests.send(endpoint(baseUrl, description.usage?.path ?? ''), { signal });
    const usage = this.#reader.usageIn(response);
    const { startMs = response.receivedAtMs, endMs = startMs } = usage.period ?? {};
    // Where an answer states what remains, its report may mean another day.
    const isStated = statedLimits(response, description.quota).some(({ remaining }) => remaining !== undefined);
    const ofReport = isStated || endMs - startMs > DAY_MS ? [] : [{ per: 'day' as const, ...description.usage }];
    for (const reading of ofReport.flatMap((window) => statedLimits(response, [window]))) limiter.observe(reading);
    return usage;
  }

  async #card(id: string, signal?: AbortSignal): Promise<FetchedCard> {
    const { baseUrl, description } = this.#options;
    try {
      const response = await this.#requests.send(cardUrl(baseUrl, description, id), { signal });
      const card = this.#reader.cardIn(response, id);
      this.#worked = { atMs: Date.now() };
      return card;
    } catch (error) {
      if (error instanceof UnexpectedAnswer || (isRefusal(error) && this.#isOfIdAlone(id))) return error;
      throw error;
    }
  }

  /** Whether the key is good although this id was refused: it is until two different ids were. */
  #isOfIdAlone(id: string): boolean {
    const { atMs = Number.NEGATIVE_INFINITY, refusedId = id } = this.#worked ?? {};
    const isBelieved = refusedId === id && Date.now() - atMs < BELIEVED_FOR_MS;
    this.#worked = isBelieved ? { atMs, refusedId } : undefined;
    return isBelieved;
  }
}

/** The address of a card with its prices: whatever the id holds, it stays in its place in the path or the query. */
export function cardUrl(baseUrl: string, { card }: ServiceDescription, id: string): URL {
  const parts = card.idSeparator === undefined ? [id] : id.split(card.idSeparator);
  const path = card.path.replace('{id}', () => parts.map(encodeURIComponent).join('/'));
  return endpoint(baseUrl, path, card.query);
}

/** Each field once: the next card has it, too. */
function loggingOnce(log: Logger): OnUnread {
  const logged = new Set<string>();
  return (field, why) => {
    if (!logged.has(field)) log.warn({ field, why }, 'a field of the card service cannot be read: it counts as absent');
    logged.add(field);
  };
}
