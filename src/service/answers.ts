import { decodeHTMLStrict } from 'entities/decode';
import { z } from 'zod';
import { Card, isObject, optional, Prices, rowKey, text } from '../model/card.ts';
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
  /** Its rows with a market price, each label and currency once, in the description's order; absent: `prices` is all. */
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
/** How many rows with a market price are taken of a card; most cards have fewer. */
const MOST_ROWS = 25;
/** How many are read for these: reading rows without a price must not keep the process busy either. */
const MOST_ROWS_READ = 250;

/** Reads a service's answers, as its description says where they have what. */
export class AnswerReader {
  readonly description: ServiceDescription;
  readonly #onUnread: OnUnread;
  /**
   * With how many of the same names the paths of all rows begin, such as 1 for `prices.usd` and `prices.eur`: these
   * tell no row from another, so no label has them. Rows with figures of their own stand elsewhere, and do not count.
   */
  readonly #sharedNames: number;
  readonly #distinguishing: readonly string[];

  constructor(description: ServiceDescription, onUnread: OnUnread = () => {}) {
    this.description = description;
    this.#onUnread = onUnread;
    const rows = description.prices?.rows ?? [];
    const named = rows.filter(({ at, market }) => at.text !== '' && !market).map(({ at }) => at.names);
    const [first = []] = named;
    const differing = first.findIndex((name, at) => named.some((names) => names[at] !== name));
    this.#sharedNames = differing < 0 ? first.length : differing;
    this.#distinguishing = [...new Set(rows.flatMap(({ at }) => at.filterNames))];
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
    const cards = read.flatMap((each) => (each instanceof UnexpectedAnswer ? [] : each));
    const ofFirst = isList ? together(cards.filter((each) => each.id === cards[0]?.id)) : cards[0];
    const card = ofFirst ?? read[0] ?? 'noSuchCard';
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
   * What the card's price rows say, in the order of the description: those that have a market price, of two with one
   * label and currency the first; or else the first that can be read.
   */
  #prices(card: object): Prices[] {
    const onUnread: OnUnread = (field, why) => this.#onUnread(`prices.${field}`, why);
    const unpriced: Prices[] = [];
    const unreadable: UnexpectedAnswer[] = [];
    const rows = this.#rows(card)
      .values()
      .flatMap((row) => {
        const prices = read(Prices, row, onUnread);
        if (prices instanceof UnexpectedAnswer) unreadable.push(prices);
        else if (prices.market) return [prices];
        else unpriced.push(prices);
        return [];
      });
    const priced = firstOfEach(rows);
    if (priced.length > 0) return priced;
    if (unpriced.length === 0 && unreadable[0]) this.#onUnread('prices', unreadable[0].detail);
    return unpriced.slice(0, 1);
  }

  #rows(card: object): unknown[] {
    const { prices, none, currency: ofAll } = this.description;
    // A member of an array is called by what any filter tells members apart.
    const nameOf = (member: unknown) =>
      this.#distinguishing
        .map((name) => written(memberNamed(name)(member) ?? ''))
        .filter(Boolean)
        .join(', ');
    const found = prices?.rows.flatMap((row) =>
      // An empty text is no row in any case.
      row.at.foundIn(card, nameOf, none.has('') ? none : undefined).map((each) => ({ ...each, row })),
    );
    return (found ?? []).slice(0, MOST_ROWS_READ).map(({ row, value, names }) => {
      const { market, low, high, currency } = { ...prices, ...row };
      const answer = { value, none };
      if (!isObject(value) && market?.textIn(answer) === undefined) return value; // it is no row, and will not fit
      const stated = currency?.textIn(answer);
      const isToBeCode = row.currency || (stated !== undefined && none.has(''));
      if (isToBeCode && !/^[a-z]{3}$/i.test(stated ?? '')) return {}; // rather none than one in another currency
      const code = stated ?? ofAll;
      const own = names.slice(this.#sharedNames).map((name) => plainWords(name, row.currency ? code : ofAll));
      const pathLabel = own.filter(Boolean).join(', ');
      const label = row.label?.textIn(answer) ?? row.label?.textIn({ value: card, none });
      return {
        market: market?.valueIn(answer),
        low: low?.valueIn(answer),
        high: high?.valueIn(answer),
        currency: code,
        label: (label ?? pathLabel) || undefined,
        ...(label && { pathLabel }),
      };
    });
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

/**
 * What several members of an answer say of one card, such as its variants: the facts of the first, the rows of all. As
 * one path leads to rows of each, of which any may lack a price now, it names none of them.
 */
export function together(cards: readonly AnsweredCard[]): AnsweredCard | undefined {
  const [first] = cards;
  if (!first || cards.length === 1) return first;
  const read = cards.flatMap(({ rows, prices }) => rows ?? prices ?? []);
  const priced = firstOfEach(read.filter(({ market }) => market));
  const rows = priced.map((each) => ({ ...each, pathLabel: undefined }));
  return { ...first, prices: rows[0] ?? read.find(({ low, high }) => low ?? high) ?? first.prices, rows };
}

/** Takes the first of the rows with one label and currency, and looks at none beyond the last that it takes. */
function firstOfEach(rows: Iterable<Prices>): Prices[] {
  const firsts = new Map<string, Prices>();
  for (const row of rows) {
    const key = rowKey(row);
    if (!firsts.has(key)) firsts.set(key, row);
    if (firsts.size === MOST_ROWS) break;
  }
  return [...firsts.values()];
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

/** `NEAR_MINT` and `reverse-holofoil` as somebody would write them, without the word that says the currency. */
function plainWords(name: string, currency = ''): string {
  const words = name.replace(/[_-]+/g, ' ').trim();
  const shown = words === words.toUpperCase() ? words.toLowerCase() : words;
  return shown
    .split(' ')
    .filter((word) => word.toLowerCase() !== currency.toLowerCase())
    .join(' ');
}
