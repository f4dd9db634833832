import { decodeHTMLStrict } from 'entities/decode';
import { z } from 'zod';
import { Card, optional, Prices, text } from '../model/card.ts';
import { KeyRefused, PlanRefused, RateLimited, ServiceDown, UnexpectedAnswer } from '../model/errors.ts';
import { type Answer, isObject, ownMember, type Source, written } from '../model/field-source.ts';
import { Usage } from '../model/plan.ts';
import type { ServiceDescription, Sign } from '../model/service-description.ts';
import type { ServiceResponse } from './request.ts';
import { serviceClock, statedWaitSeconds, timeLeft } from './stated.ts';

/** A card as an answer has it. */
export interface AnsweredCard extends Card {
  /** Its prices of each row with a market price, the one that is shown first; absent where there is at most one. */
  rows?: readonly Prices[];
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
    this.#sharedNames = differing < 0 ? Math.min(...named.map(({ length }) => length)) : differing;
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
    const card = body === undefined ? 'noSuchCard' : this.#cardOf(id, body);
    if (card instanceof UnexpectedAnswer) throw card;
    return card;
  }

  #cardOf(id: string, body: unknown): AnsweredCard | 'noSuchCard' | UnexpectedAnswer {
    if (this.description.isDefault) return this.read(body);
    const found = this.foundIn(body);
    if (!Array.isArray(found)) return this.#asAsked(id, found);
    const cards = found.slice(0, MOST_LISTED).map((value) => this.#asAsked(id, value));
    return cards.find((card) => !(card instanceof UnexpectedAnswer)) ?? cards[0] ?? 'noSuchCard';
  }

  #asAsked(id: string, value: unknown): AnsweredCard | UnexpectedAnswer {
    const card = this.read(value);
    if (card instanceof UnexpectedAnswer || this.isOf(id, card, value)) return card;
    return new UnexpectedAnswer({ detail: 'it answered with another card' });
  }

  /** Whether a card may be asked for by this id. @param value what it was read from */
  isOf(id: string, card: AnsweredCard, value: unknown): boolean {
    const { isDefault, card: described } = this.description;
    if (isDefault) return card.id.toLowerCase() === id.toLowerCase();
    return card.id === id || (described.also?.textsIn({ value }) ?? []).includes(id);
  }

  /** What stands in the body of an answer where the description has a card. */
  foundIn(body: unknown): unknown {
    const { at } = this.description.card;
    const found = at.map((path) => path.valueIn(body)).find((value) => value !== undefined);
    if (found === undefined) this.#onUnread('card.at', leadsNowhere(at.map(({ text }) => text)));
    return found;
  }

  /** @param value what stands where a card is expected */
  read(value: unknown): AnsweredCard | UnexpectedAnswer {
    // The default interface's fields are the model's own, and an empty text is a text in it.
    if (this.description.isDefault) return read(CardAnswer, value, this.#onUnread);
    if (!isObject(value)) return read(DescribedCardAnswer, value);
    const { fields, game, none } = this.description;
    const at = (field: keyof typeof fields) => fields[field]?.valueIn({ value, none });
    const plain = SAME_FIELDS.map((field) => [field, at(field)]);
    const [id = at('set.name'), name = id] = [at('set.id'), at('set.name')];
    const set = id === undefined ? undefined : { id, name };
    const rows = this.#rows(value);
    const priced = this.#priced(rows);
    const described = { ...Object.fromEntries(plain), tcg: at('tcg') ?? game, set, prices: priced[0] ?? rows[0] };
    const card = read(DescribedCardAnswer, described, this.#onUnread);
    if (card instanceof UnexpectedAnswer) {
      this.#tellOfRequired({ value, none });
      return card;
    }
    const shown = { ...card, rarity: card.rarity?.replaceAll('_', ' ') }; // such as Super_rare
    return priced.length < 2 ? shown : { ...shown, rows: priced };
  }

  #tellOfRequired(answer: Answer): void {
    for (const field of ['id', 'name'] as const) {
      const source = this.description.fields[field];
      if (source.valueIn(answer) === undefined) this.#onUnread(`fields.${field}`, leadsNowhere(source.texts));
    }
  }

  /** The card's price rows in the order of the description, as they stand in the answer. */
  #rows(card: object): unknown[] {
    const { prices, none, currency: ofAll } = this.description;
    if (!prices) return [];
    const { market, low, high, currency } = prices;
    const found = prices.rows.flatMap((path) => [...path.foundIn(card, (member) => this.#nameOf(member))]);
    return found.map(({ value, names }) => {
      const answer: Answer = { value, none };
      // What is no row is left as it is: it will not fit, and be reported.
      if (!isObject(value) && market.textIn(answer) === undefined) return value;
      const figures = { market: market.valueIn(answer), low: low?.valueIn(answer), high: high?.valueIn(answer) };
      const code = currency?.textIn(answer) ?? ofAll;
      if (code !== undefined && !/^[a-z]{3}$/i.test(code)) return {}; // rather none than one in another currency
      return { ...figures, currency: code, label: this.#labelOf(names) };
    });
  }

  /** Those that have a market price. Several paths may lead to the same row. */
  #priced(rows: readonly unknown[]): Prices[] {
    const onUnread: OnUnread = (field, why) => this.#onUnread(`prices.${field}`, why);
    const byLabel = new Map<string | undefined, Prices>();
    for (const row of rows) {
      const prices = read(Prices, row, onUnread);
      if (prices instanceof UnexpectedAnswer || prices.market === undefined) continue;
      if (!byLabel.has(prices.label)) byLabel.set(prices.label, prices);
    }
    return [...byLabel.values()];
  }

  /** What a member of an array is called: by what any filter tells members apart. */
  #nameOf(member: unknown): string {
    const values = this.#distinguishing.map((name) => written(ownMember(member, name) ?? ''));
    return values.filter(Boolean).join(', ');
  }

  #labelOf(names: readonly string[]): string | undefined {
    const currency = this.description.currency?.toLowerCase();
    const words = names.slice(this.#sharedNames).map((name) =>
      plainWords(name)
        .split(' ')
        .filter((word) => word.toLowerCase() !== currency)
        .join(' '),
    );
    return words.filter(Boolean).join(', ') || undefined;
  }

  /** What a usage report says. @throws as `cardIn` does */
  usageIn(response: ServiceResponse): Usage {
    const body = this.#bodyOf(response);
    if (body === undefined) throw new UnexpectedAnswer({ detail: statusText(response) });
    const usage = this.description.isDefault
      ? read(UsageAnswer, body, this.#onUnread)
      : read(Usage, this.#describedUsage(response), this.#onUnread);
    if (usage instanceof UnexpectedAnswer) throw usage;
    return usage;
  }

  #describedUsage({ headers, body, receivedAtMs }: ServiceResponse) {
    const { usage, none } = this.description;
    const textIn = (source: Source | undefined) => source?.textIn({ headers, value: body, none });
    const reset = textIn(usage?.reset);
    const leftMs = timeLeft(reset, serviceClock(headers, receivedAtMs));
    return {
      plan: textIn(usage?.plan),
      period: { endMs: leftMs === undefined ? reset : receivedAtMs + leftMs },
      requests: { limit: textIn(usage?.limit), remaining: textIn(usage?.remaining) },
    };
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
    const answer: Answer = { headers, value: body, none };
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
    // Nothing but the interface's whole error body is one of its errors.
    if (this.description.isDefault && has && !ErrorBody.safeParse(body).success) return false;
    if (has && !isLike(has.valueIn(body), like)) return false;
    const list = empty?.valueIn(body);
    return empty === undefined || (Array.isArray(list) && list.length === 0);
  }
}

/** For the log: a status, and where a redirect leads, which is not followed. */
export function statusText({ status, headers }: ServiceResponse): string {
  const to = headers.get('location');
  return to === null ? `status ${status}` : `status ${status}, a redirect to ${to.slice(0, 200)}`;
}

/** Services also send texts as they stand in their web pages. */
const shown = text.transform(decodeHTMLStrict);

/** Fields that a card has under the same names in the model. */
const SAME_FIELDS = ['id', 'name', 'number', 'rarity', 'imageUrl', 'pageUrl'] as const;

/** A card as the service sends it: as the model has it, but for the names that are the service's own. */
const SentCard = Card.omit({ game: true, set: true }).extend({
  ...{ tcg: optional(shown), name: shown, number: optional(shown), rarity: optional(shown) },
  set: optional(z.object({ id: text, name: shown })),
});
type SentCard = z.output<typeof SentCard>;

const DescribedCardAnswer = SentCard.transform(({ tcg, ...card }: SentCard): Card => ({ ...card, game: tcg }));

/** The default interface requires a game and a set, too. */
export const CardAnswer = SentCard.extend({ tcg: shown, set: z.object({ id: text, name: shown }) }).transform(
  ({ tcg, ...card }): Card => ({ ...card, game: tcg }),
);

const instantMs = optional(z.iso.datetime({ offset: true }).transform(Date.parse));

/** `GET /v1/usage` */
export const UsageAnswer = Usage.omit({ period: true })
  .extend({ period: optional(z.object({ start: instantMs, end: instantMs })) })
  .transform(
    ({ period, ...usage }): Usage => ({ ...usage, period: period && { startMs: period.start, endMs: period.end } }),
  );

/** The body of every error of the default interface. */
const ErrorBody = z.object({ _tag: z.string(), message: z.string() });

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
  return new UnexpectedAnswer({ detail: `${field || 'the body'}: ${why}` }, { cause: whole.error });
}

function without(value: unknown, [step, ...inner]: readonly PropertyKey[]): unknown {
  if (step === undefined) return undefined;
  return { ...Object(value), [step]: without(Reflect.get(Object(value), step), inner) };
}

function isLike(value: unknown, like: string | undefined): boolean {
  if (value === undefined || like === undefined) return value !== undefined;
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
