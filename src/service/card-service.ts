import { z } from 'zod';
import { type Card, optional } from '../model/card.ts';
import { KeyRefused, RateLimited, ServiceDown, UnexpectedAnswer } from '../model/errors.ts';
import { Usage } from '../model/plan.ts';
import { listedCards } from './bulk-answer.ts';
import { bulkRequest } from './bulk-request.ts';
import { CardAnswer } from './card-answer.ts';
import { serviceClock } from './rate-limit-headers.ts';
import { type RequestOptions, request, type ServiceResponse } from './request.ts';
import { statedWait } from './retry-after.ts';

export interface CardServiceOptions extends RequestOptions {
  baseUrl: string;
  /** Path template of the card lookup, with `{id}` in place of the id. */
  cardPath: string;
  /** Where several cards are listed at once, as in `BulkAddress`; `undefined`: nowhere. */
  bulkPath?: string | undefined;
  /** A card does not exist; `tag` names the error as the service does. */
  onNoSuchCard: (id: string, tag: string) => void;
}

const instantMs = optional(z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)));

/** `GET /v1/usage` */
export const UsageAnswer = Usage.omit({ period: true })
  .extend({ period: optional(z.object({ start: instantMs, end: instantMs })) })
  .transform(
    ({ period, ...usage }): Usage => ({
      ...usage,
      period: period && { startMs: period.start, endMs: period.end },
    }),
  );

/** How a listing of several cards is answered. `detail` is for operators. */
export type BulkAnswer =
  /** An id that is not among them was left out, or its card does not fit: that says nothing of whether there is one. */
  | { kind: 'listed'; cards: ReadonlyMap<string, Card> }
  /** Too many at once, or one of them cannot be listed: fewer may be. */
  | { kind: 'tooMany'; detail: string }
  /** This path does not accept the key; whether others do is not known. */
  | { kind: 'keyRefused'; detail: string }
  /** By a firewall in front of the service, which does not use its error bodies: because of one id, or of the path. */
  | { kind: 'blocked'; detail: string }
  /** There is no listing here, or none that is understood. */
  | { kind: 'unusable'; detail: string };

/** Answers to a listing that is too long, in one way or another, or of which a part is refused. */
const TOO_MANY: ReadonlySet<number> = new Set([400, 413, 414, 422, 431]);

type Answered = Pick<ServiceResponse, 'status' | 'headers' | 'body' | 'receivedAtMs'>;

/** The body of every error. */
export const ErrorBody = z.object({ _tag: z.string(), message: z.string() });

/** The card data service: one method per endpoint. Every call costs one request; nothing is retried here. */
export class CardService {
  readonly #options: CardServiceOptions;

  constructor(options: CardServiceOptions) {
    this.#options = options;
  }

  /**
   * One card by its id.
   *
   * @returns `undefined` when no card has that id: an answer like any other.
   * @throws RateLimited on 429, KeyRefused on 401 and on a 403 with an error body, ServiceDown on 408, 5xx or silence,
   *   UnexpectedAnswer on anything that does not fit.
   */
  async card(
    id: string,
    { includePrices, signal }: { includePrices: boolean; signal?: AbortSignal },
  ): Promise<Card | undefined> {
    const url = cardUrl(this.#options.baseUrl, this.#options.cardPath, id);
    url.searchParams.set('includePrices', String(includePrices));
    const response = await this.#get(url, signal);
    const error = response.status === 404 ? errorBody(response) : undefined;
    if (error) {
      this.#options.onNoSuchCard(id, error._tag);
      return undefined;
    }
    return fitting(CardAnswer, response);
  }

  /**
   * Several cards by their ids. The service does not show what it costs: one request, or one for each card.
   *
   * @throws RateLimited on 429, ServiceDown on 408, 5xx (but for 501) or silence
   */
  async cards(ids: readonly string[], { signal }: { signal?: AbortSignal | undefined } = {}): Promise<BulkAnswer> {
    const { baseUrl, bulkPath } = this.#options;
    if (bulkPath === undefined) return { kind: 'unusable', detail: 'no path' };
    const { url, json } = bulkRequest({ baseUrl, bulkPath }, ids);
    let response: ServiceResponse;
    try {
      response = await request(url, this.#options, { signal, json });
    } catch (error) {
      if (error instanceof UnexpectedAnswer) return { kind: 'tooMany', detail: error.detail };
      throw error;
    }
    return bulkAnswer(response, ids);
  }

  /**
   * What the plan's period has left. Assumed to cost a request like any other.
   *
   * @throws as `card` does; without a key KeyRefused is to be expected.
   */
  async usage({ signal }: { signal?: AbortSignal } = {}): Promise<Usage> {
    return fitting(UsageAnswer, await this.#get(endpoint(this.#options.baseUrl, '/v1/usage'), signal));
  }

  async #get(url: URL, signal?: AbortSignal): Promise<ServiceResponse> {
    const response = await request(url, this.#options, { signal });
    throwUnlessAnswered(response);
    return response;
  }
}

/** The address of a card: whatever the id holds, it stays exactly one path segment. */
export function cardUrl(baseUrl: string, cardPath: string, id: string): URL {
  return endpoint(
    baseUrl,
    cardPath.replace('{id}', () => encodeURIComponent(id)),
  );
}

function endpoint(baseUrl: string, path: string): URL {
  return new URL(baseUrl.replace(/\/+$/, '') + path);
}

function throwUnlessAnswered(response: Answered): void {
  const { status } = response;
  if (status === 429) throw rateLimited(response);
  // A 403 without the interface's error body comes from a firewall before the service.
  if (status === 401 || (status === 403 && errorBody(response))) throw new KeyRefused({ status });
  if (status === 408 || status >= 500) throw serviceDown(response);
}

/** What the answer to a listing of these ids means. @throws as `CardService.cards` does */
export function bulkAnswer(response: Answered, ids: readonly string[]): BulkAnswer {
  const { status, body } = response;
  const detail = `status ${status}`;
  if (TOO_MANY.has(status) || (status === 404 && errorBody(response))) return { kind: 'tooMany', detail };
  if (status === 403 && !errorBody(response)) return { kind: 'blocked', detail };
  if (status === 401 || status === 403) return { kind: 'keyRefused', detail };
  if (status !== 501) throwUnlessAnswered(response);
  if (status < 200 || status > 299) return { kind: 'unusable', detail };
  const cards = listedCards(body, ids);
  return cards ? { kind: 'listed', cards } : { kind: 'unusable', detail: 'a body that is no list of cards' };
}

function rateLimited({ headers, body, receivedAtMs }: Answered): RateLimited {
  const wait = statedWait(body, headers.get('retry-after'), serviceClock(headers, receivedAtMs));
  return new RateLimited({ seconds: wait?.seconds, source: wait?.source ?? 'none' });
}

/** A service that is down may state for how long; whether to wait longer is the caller's decision. */
function serviceDown({ status, headers, receivedAtMs }: Answered): ServiceDown {
  const wait = statedWait(undefined, headers.get('retry-after'), serviceClock(headers, receivedAtMs));
  return new ServiceDown({ reason: `it answered ${status}`, retryAfterMs: wait && wait.seconds * 1000 });
}

function errorBody({ body }: Answered): z.infer<typeof ErrorBody> | undefined {
  return ErrorBody.safeParse(body).data;
}

function fitting<T>(schema: z.ZodType<T>, { status, body }: ServiceResponse): T {
  if (status < 200 || status > 299) throw new UnexpectedAnswer({ detail: `status ${status}` });
  if (body === undefined) throw new UnexpectedAnswer({ detail: 'the body is not JSON' });

  const read = schema.safeParse(body);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const field = issue?.path.join('.') || 'the body';
  throw new UnexpectedAnswer({ detail: `${field}: ${issue?.message}` }, { cause: read.error });
}
