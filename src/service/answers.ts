import { decodeHTMLStrict } from 'entities/decode';
import { z } from 'zod';
import { Card, isObject, optional, Prices, text } from '../model/card.ts';
import {
  type CardServiceError,
  KeyRefused,
  PlanRefused,
  RateLimited,
  ServiceDown,
  UnexpectedAnswer,
} from '../model/errors.ts';
import { Usage } from '../model/quota.ts';
import { memberNamed, type Source, written } from './field-source.ts';
import { momentMs, type ServiceResponse, serviceClock, statedWaitSeconds } from './request.ts';
import type { ServiceDescription, Sign } from './service-description.ts';

/** A card as an answer has it. */
export interface AnsweredCard extends Card {
  /** Its prices of each row with a market price, the one that is shown first; absent where there is at most one. */
  rows?: readonly Prices[];
}

/** What the service said of a card; an error concerns this id alone. */
export type FetchedCard = AnsweredCard | 'noSuchCard' | CardServiceError;

export interface Fetched {
  cards: ReadonlyMap<string, FetchedCard>;
  /** Cards of which the answer says nothing may be requested again, with no more than so many together. */
  againAtMost?: number;
}

/** Told of a field that is of another type than the interface says, and why it cannot be read. */
export type OnUnread = (field: string, why: string) => void;

/** More than any list has: reading what is listed must not keep the process busy. */
export const MOST_LISTED = 10_000;

/** Reads a service's answers, as its description says where they have what. */
export class AnswerReader {
  readonly description: ServiceDescription;
  readonly #onUnread: OnUnread;
  /** How many names the paths of all rows begin with together: they say nothing of which row one is. */
  readonly #sharedNames: number;
  readonly #distinguishing: readonly string[];

  constructor(description: ServiceDescription, onUnread: OnUnread = () => {}) {
    this.description = description;
    this.#onUnread = onUnread;
    const rows = description.prices?.rows ?? [];
    const named = rows.filter(({ text }) => text !== '').map(({ names }) => names);
    const [first = []] = named;
    const differing = first.findIndex((name, at) => named.some((names) => names[at] !== name));
    this.#sharedNames = differing < 0 ? first.length : differing;
    this.#distinguishing = [...new Set(rows.flatMap(({ filterNames }) => filterNames))];
  }

  /**
   * The card that was asked for by this id.
   *
   * @throws RateLimited on 429, KeyRefused or PlanRefused where the description says so, ServiceDown on 408 and 5xx,
   *   UnexpectedAnswer for anything else, also for another card
   */
  cardIn(response: ServiceResponse, id: string): AnsweredCard | 'noSuchCard' {
    const body = this.#bodyOf(response);
    if (body === undefined) return 'noSuchCard';
    const { at, anySpelling } = this.description.card;
    const found = at.map((path) => path.valueIn(body)).find((value) => value !== undefined);
    if (found === undefined) this.#onUnread('card.at', leadsNowhere(at.map(({ text }) => text)));
    // Where a card may have any id, nothing in a bare list would tell which one is meant.
    const isList = Array.isArray(found) && !(anySpelling && found === body);
    const values: unknown[] = isList ? found.slice(0, MOST_LISTED) : [found];
    const read = values.map((value) => {
      const card = this.read(value);
      const isToTake = card instanceof UnexpectedAnswer || (anySpelling && !isList) || this.isOf(id, card, value);
      return isToTake ? card : new UnexpectedAnswer({ detail: 'it answered with another card' });
    });
    const card = read.find((each) => !(each instanceof UnexpectedAnswer)) ?? read[0] ?? 'noSuchCard';
    if (card instanceof UnexpectedAnswer) throw card;
    return card;
  }

  /** Whether a card may be asked for by this id. @param value what it was read from */
  isOf(id: string, card: AnsweredCard, value: unknown): boolean {
    const { also, anySpelling } = this.description.card;
    if (card.id === id || (anySpelling && card.id.toLowerCase() === id.toLowerCase())) return true;
    return also?.textsIn({ value }).includes(id) ?? false;
  }

  /** @param value what stands where a card is expected */
  read(value: unknown): AnsweredCard | UnexpectedAnswer {
    if (!isObject(value)) return read(CardAnswer, value);
    const { fields, game, none, card: described } = this.description;
    const found = Object.entries(fields).map(([field, source]) => [field, source?.valueIn({ value, none })]);
    const { tcg, 'set.name': setName, 'set.id': setId = setName, ...same } = Object.fromEntries(found);
    const set = setId === undefined ? undefined : { id: setId, name: setName ?? setId };
    const lacking = described.requires.find((path) => path.valueIn(value, none) === undefined);
    if (lacking) return misfit(lacking.names[0] ?? '', 'Invalid input: every card has one');
    const rows = this.#prices(value);
    const card = read(CardAnswer, { ...same, game: tcg ?? game, set }, this.#onUnread);
    if (card instanceof UnexpectedAnswer) {
      for (const field of ['id', 'name'] as const)
        if (same[field] === undefined) this.#onUnread(`fields.${field}`, leadsNowhere(fields[field].texts));
      return card;
    }
    const rarity = none.has('') ? card.rarity?.replaceAll('_', ' ') : card.rarity; // such as Super_rare
    return { ...card, rarity, prices: rows[0], ...(rows.length > 1 && { rows }) };
  }

  /**
   * What the card's price rows say, in the order of the description: those that have a market price, each once however
   * many paths lead to it; or else the first that can be read.
   */
  #prices(card: object): Prices[] {
    const onUnread: OnUnread = (field, why) => this.#onUnread(`prices.${field}`, why);
    const rows = this.#rows(card).map((row) => read(Prices, row, onUnread));
    const readable = rows.flatMap((row) => (row instanceof UnexpectedAnswer ? [] : row));
    const priced = Map.groupBy(
      readable.filter(({ market }) => market),
      ({ label }) => label,
    );
    if (priced.size > 0) return [...priced.values()].flatMap(([first]) => first ?? []);
    if (rows[0] instanceof UnexpectedAnswer && readable.length === 0) this.#onUnread('prices', rows[0].detail);
    return readable.slice(0, 1);
  }

  #rows(card: object): unknown[] {
    const { prices, none, currency: ofAll } = this.description;
    if (!prices) return [];
    const { market, low, high, currency } = prices;
    // A member of an array is called by what any filter tells members apart.
    const nameOf = (member: unknown) =>
      this.#distinguishing
        .map((name) => written(memberNamed(name)(member) ?? ''))
        .filter(Boolean)
        .join(', ');
    const found = prices.rows.flatMap((path) => path.foundIn(card, nameOf));
    return found.map(({ value, names }) => {
      const answer = { value, none };
      if (!isObject(value) && market.textIn(answer) === undefined) return value; // it is no row, and will not fit
      const code = currency?.textIn(answer) ?? ofAll;
      // Rather none than one in another currency.
      if (none.has('') && code && !/^[a-z]{3}$/i.test(code)) return {};
      return {
        market: market.valueIn(answer),
        low: low?.valueIn(answer),
        high: high?.valueIn(answer),
        currency: code,
        label: this.#labelOf(names),
      };
    });
  }

  #labelOf(names: readonly string[]): string | undefined {
    const currency = this.description.currency?.toLowerCase();
    return (
      names
        .slice(this.#sharedNames)
        .map((name) =>
          plainWords(name)
            .split(' ')
            .filter((word) => word.toLowerCase() !== currency)
            .join(' '),
        )
        .filter(Boolean)
        .join(', ') || undefined
    );
  }

  /** What a usage report says. @throws as `cardIn` does */
  usageIn(response: ServiceResponse): Usage {
    const body = this.#bodyOf(response);
    if (body === undefined) throw new UnexpectedAnswer({ detail: statusText(response) });
    const { usage, none } = this.description;
    const { headers, receivedAtMs } = response;
    const answer = { headers, value: body, none };
    const at = (source?: Source) => source?.valueIn(answer);
    const momentAt = (source?: Source) =>
      momentMs(source?.textIn(answer), serviceClock(headers, receivedAtMs), receivedAtMs) ?? at(source);
    const stated = {
      plan: at(usage?.plan),
      period: unlessEmpty({ startMs: momentAt(usage?.start), endMs: momentAt(usage?.reset) }),
      requests: unlessEmpty({ used: at(usage?.used), limit: at(usage?.limit), remaining: at(usage?.remaining) }),
    };
    const report = read(Usage, isObject(body) ? stated : body, this.#onUnread);
    if (report instanceof UnexpectedAnswer) throw report;
    return report;
  }

  /** @returns `undefined` where the answer says that there is no such thing */
  #bodyOf(response: ServiceResponse): unknown {
    const refusal = this.refusalIn(response);
    if (refusal) throw refusal;
    if (this.saysAbsent(response)) return undefined;
    const failure = this.failureIn(response);
    if (failure) throw failure;
    const { status, body } = response;
    if (status < 200 || status > 299) throw new UnexpectedAnswer({ detail: statusText(response) });
    if (body === undefined) throw new UnexpectedAnswer({ detail: 'the body is not JSON' });
    return body;
  }

  /** Whether an answer says that there is no such card. */
  saysAbsent(response: ServiceResponse): boolean {
    return this.description.absent.some((sign) => sign.status === response.status && this.#shows(response, sign));
  }

  /** What an answer refuses, if it does: the key, or what the plan has not. */
  refusalIn(response: ServiceResponse): KeyRefused | PlanRefused | undefined {
    const { status } = response;
    const sign = this.description.refused.find((each) => each.status === status && this.#shows(response, each));
    return sign && (sign.means === 'key' ? new KeyRefused({ status }) : new PlanRefused());
  }

  /** 429, 408 and 5xx. */
  failureIn(response: ServiceResponse): RateLimited | ServiceDown | undefined {
    const { status, headers, body, receivedAtMs } = response;
    if (status !== 408 && status !== 429 && status < 500) return undefined;
    const { wait, spent, none, shutOutSeconds } = this.description;
    const answer = { headers, value: body, none };
    if (status === 429) {
      const stated = statedWaitSeconds(answer, receivedAtMs, wait);
      // A service may shut out for longer than it says.
      const seconds = shutOutSeconds === 0 ? stated : Math.max(shutOutSeconds, stated ?? 0);
      return new RateLimited({ seconds, per: spent.find((sign) => this.#shows(response, sign))?.per });
    }
    // For how long it is down; whether to wait longer is the caller's decision.
    const seconds = statedWaitSeconds(answer, receivedAtMs);
    return new ServiceDown({ reason: `it answered ${status}`, retryAfterMs: seconds && seconds * 1000 });
  }

  /** Whether a body has all that a sign of the description names. */
  #shows({ body }: ServiceResponse, { has, like, empty }: Sign): boolean {
    const { none } = this.description;
    if (has && !has.every((path, at) => isLike(path.valueIn(body, none), at === 0 ? like : undefined))) return false;
    const list = empty?.valueIn(body);
    return !empty || (Array.isArray(list) && list.length === 0);
  }
}

/** For the log: a status, and where a redirect leads, which is not followed. */
export function statusText({ status, headers }: ServiceResponse): string {
  const to = headers.get('location');
  return to === null ? `status ${status}` : `status ${status}, a redirect to ${to.slice(0, 200)}`;
}

/** Services also send texts as they stand in their web pages. */
const shown = text.transform(decodeHTMLStrict);

const CardAnswer = Card.omit({ prices: true }).extend({
  ...{ game: optional(shown), name: shown, number: optional(shown), rarity: optional(shown) },
  set: optional(z.object({ id: text, name: shown })),
});

function unlessEmpty(read: object): object | undefined {
  return Object.values(read).some((value) => value !== undefined) ? read : undefined;
}

/** What is required decides: the rest, where it cannot be read, counts as absent. */
function read<T>(schema: z.ZodType<T>, body: unknown, onUnread?: OnUnread): T | UnexpectedAnswer {
  const whole = schema.safeParse(body);
  if (whole.success) return whole.data;
  const { issues } = whole.error;
  const rest = schema.safeParse(issues.reduce((value: unknown, { path }) => without(value, path), body));
  if (rest.success) {
    for (const { path, message } of issues) onUnread?.(path.join('.'), message);
    return rest.data;
  }
  const field = rest.error.issues[0]?.path.join('.') ?? '';
  const why = issues.find(({ path }) => path.join('.') === field)?.message;
  return misfit(field || 'the body', why, { cause: whole.error });
}

function misfit(field: string, why = '', options?: ErrorOptions): UnexpectedAnswer {
  return new UnexpectedAnswer({ detail: `${field}: ${why}` }, options);
}

function without(value: unknown, [step, ...inner]: readonly PropertyKey[]): unknown {
  if (step === undefined) return undefined;
  return { ...Object(value), [step]: without(Reflect.get(Object(value), step), inner) };
}

function isLike(value: unknown, like: string | undefined): boolean {
  if (value === undefined || !like) return value !== undefined;
  const text = written(value) ?? '';
  return like.startsWith('=') ? text === like.slice(1) : text.toLowerCase().includes(like.toLowerCase());
}

/** For the log, of an answer in another shape than described. */
function leadsNowhere(texts: readonly string[]): string {
  return `nothing in the answer at ${texts.map((text) => JSON.stringify(text)).join(' or ')}`;
}

/** `NEAR_MINT` and `reverse-holofoil` as somebody would write them. */
function plainWords(name: string): string {
  const words = name.replace(/[_-]+/g, ' ').trim();
  return words === words.toUpperCase() ? words.toLowerCase() : words;
}
