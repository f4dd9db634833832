import { isRefusal, UnexpectedAnswer } from '../model/errors.ts';
import type { Usage } from '../model/quota.ts';
import { DAY_MS } from '../time.ts';
import { AnswerReader, type Fetched, type FetchedCard } from './answers.ts';
import { BulkRequests } from './bulk.ts';
import { type CardServiceOptions, endpoint, Requests, statedLimits } from './request.ts';
import type { ServiceDescription } from './service-description.ts';

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
  readonly limits: BulkRequests['limits'] | undefined;

  constructor(options: CardServiceOptions) {
    const { description, log } = options;
    this.#options = options;
    this.#requests = new Requests(options);
    const logged = new Set<string>(); // each field once: the next card has it, too
    this.#reader = new AnswerReader(description, (field, why) => {
      if (!logged.has(field))
        log.warn({ field, why }, 'a field of the card service cannot be read: it counts as absent');
      logged.add(field);
    });
    const { list } = description;
    this.#bulk = list && new BulkRequests({ ...options, list, reader: this.#reader });
    this.limits = this.#bulk?.limits;
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
  async usage(signal?: AbortSignal): Promise<Usage> {
    const { baseUrl, description, limiter } = this.#options;
    const response = await this.#requests.send(endpoint(baseUrl, description.usage?.path ?? ''), signal);
    const usage = this.#reader.usageIn(response);
    const { startMs = response.receivedAtMs, endMs = startMs } = usage.period ?? {};
    // Where an answer states what remains, its report may mean another day.
    const isStated = statedLimits(response, description.quota).some(({ remaining }) => remaining !== undefined);
    if (isStated || endMs - startMs > DAY_MS) return usage;
    for (const reading of statedLimits(response, [{ per: 'day', ...description.usage }])) limiter.observe(reading);
    return usage;
  }

  async #card(id: string, signal?: AbortSignal): Promise<FetchedCard> {
    const { baseUrl, description } = this.#options;
    try {
      const response = await this.#requests.send(cardUrl(baseUrl, description, id), signal);
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
    const { atMs = -Infinity, refusedId = id } = this.#worked ?? {};
    const isBelieved = refusedId === id && Date.now() - atMs < BELIEVED_FOR_MS;
    this.#worked = isBelieved ? { atMs, refusedId } : undefined;
    return isBelieved;
  }
}

/** The address of a card with its prices: whatever the id holds, it stays in its place in the path or the query. */
export function cardUrl(baseUrl: string, { card }: ServiceDescription, id: string): URL {
  const parts = card.idSeparator ? id.split(card.idSeparator) : [id];
  const path = card.path.replace('{id}', () => parts.map(encodeURIComponent).join('/'));
  return endpoint(baseUrl, path, card.query);
}
