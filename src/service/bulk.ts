import { Incident } from '../log.ts';
import { isObject } from '../model/card.ts';
import { RateLimited, ServiceDown, UnexpectedAnswer } from '../model/errors.ts';
import {
  type AnsweredCard,
  type AnswerReader,
  type Fetched,
  type FetchedCard,
  MOST_LISTED,
  statusText,
  together,
} from './answers.ts';
import { memberNamed } from './field-source.ts';
import { type CardServiceOptions, endpoint, Requests } from './request.ts';
import type { ServiceDescription } from './service-description.ts';

/** What one request may carry. */
export interface BatchLimits {
  /** Cards. */
  most: number;
  /** How long their ids may be together, and how long each is; longer than any if it cannot be named with others. */
  room: number;
  lengthOf(id: string): number;
  /** The next request is to show what is wrong: nothing else leaves before it has ended. */
  goesAlone?: boolean;
  /** Between two bulk requests of all processes; absent: they leave as single cards do. */
  everyMs?: number | undefined;
}

/** Where there are no bulk requests. */
export const ONE_BY_ONE: BatchLimits = { most: 1, room: 0, lengthOf: () => Infinity };

interface BulkOptions extends CardServiceOptions {
  list: BulkAddress['list'];
  reader: AnswerReader;
}

/** `detail` is for operators. */
export type BulkAnswer =
  | ({ kind: 'listed' } & Listed)
  /** Too many at once, or one of them cannot be listed: fewer may be. */
  | { kind: 'tooMany'; detail: string }
  /** There is no listing here, none that is understood, or none for this key. */
  | { kind: 'unusable'; detail: string };

interface Listed {
  /** An id that is not among them was left out, or its card does not fit: that says nothing of whether there is one. */
  cards: ReadonlyMap<string, AnsweredCard | 'noSuchCard'>;
  /** Whether cards are listed that nobody asked for, as by a service that ignores the ids. */
  hasOthers: boolean;
}

/**
 * `failed`: a bulk request has brought nothing, which may be a hiccup of the service, so that one card goes next,
 * alone. `doubted`: that one was answered, so that another without a card is the fault of bulk requests.
 */
type Trust = 'good' | 'failed' | 'doubted';

/** Requests take differently long on their way: with this, no more arrive within a second than may. */
const SLOWER_BY = 1.1;
const QUARTER_MS = 15 * 60_000;

/**
 * Requests for several cards at once, and what answers have taught of them, since no service shows all that it takes:
 * with how many cards they leave. Kept in memory, and learned anew after a start.
 */
export class BulkRequests {
  readonly #options: BulkOptions;
  readonly #requests: Requests;
  readonly #address: BulkAddress;
  readonly #always: Pick<BatchLimits, 'room' | 'lengthOf' | 'everyMs'>;
  readonly #fault: Incident;
  /** How many cards go together until that time; afterwards as many go as are described. */
  #learned = { most: 1, untilMs: 0 };
  #trust: Trust = 'good';
  #cardsUnderWay = 0;

  constructor(options: BulkOptions) {
    const { baseUrl, list, reader, log } = options;
    this.#options = options;
    this.#requests = new Requests(options);
    this.#address = { baseUrl, list, query: reader.description.card.query };
    const everyMs = list.perSecond && Math.ceil(SLOWER_BY * (1_000 / list.perSecond));
    this.#always = { ...roomForIds(this.#address), everyMs };
    this.#fault = new Incident(log, { level: 'warn', begins: AT_FAULT, ends: 'bulk requests work again' });
  }

  /** Needs no `this`. @param cardsLeft how many cards may be under way together, if that is known */
  readonly limits = (nowMs: number, cardsLeft = Infinity): BatchLimits => {
    const goesAlone = this.#trust === 'failed';
    const most = goesAlone ? 1 : Math.max(1, Math.min(this.#mostAt(nowMs), cardsLeft - this.#cardsUnderWay));
    return { ...this.#always, most, goesAlone };
  };

  /** To be told of each request for one card: whether it is answered shows whether bulk alone has failed. */
  async alone(answer: Promise<FetchedCard>): Promise<FetchedCard> {
    const isProbe = this.#trust === 'failed';
    this.#cardsUnderWay += 1;
    try {
      const answered = await answer;
      if (isProbe && this.#trust === 'failed') this.#trust = 'doubted';
      return answered;
    } finally {
      this.#cardsUnderWay -= 1;
    }
  }

  /**
   * The cards of one bulk request, and with how many others those may be asked for again that it left out.
   *
   * @throws RateLimited on 429, ServiceDown on 408, 5xx (but for 501) or silence, and the reason of `signal`
   */
  async fetch(ids: readonly string[], signal?: AbortSignal): Promise<Fetched> {
    const leftIn = this.#trust;
    this.#cardsUnderWay += ids.length;
    try {
      const answer = await this.request(ids, signal);
      if (answer.kind === 'tooMany') {
        const most = Math.floor(ids.length / 2);
        // Otherwise this one had left before that was known.
        if (most < this.#mostAt(Date.now())) {
          this.#keepTo(most);
          this.#options.log.info({ detail: answer.detail, most }, FEWER_AT_ONCE);
        }
        return { cards: NONE, againAtMost: most };
      }
      const { cards, detail } = answer.kind === 'listed' ? { ...answer, detail: NOTHING } : { ...answer, cards: NONE };
      if (cards.size === 0) this.#broughtNothing(detail, leftIn);
      else {
        this.#trust = 'good';
        this.#fault.succeeded();
      }
      return { cards, againAtMost: 1 };
    } catch (error) {
      if (error instanceof RateLimited || error instanceof ServiceDown) this.#broughtNothing(error.message, leftIn);
      throw error;
    } finally {
      this.#cardsUnderWay -= ids.length;
    }
  }

  /** The same, of which nothing is learned. */
  async request(ids: readonly string[], signal?: AbortSignal): Promise<BulkAnswer> {
    const { reader } = this.#options;
    const { url, json } = bulkRequest(this.#address, ids);
    try {
      const response = await this.#requests.send(url, signal, json);
      const { status, body } = response;
      const detail = statusText(response);
      if (reader.refusalIn(response)) return { kind: 'unusable', detail };
      const isAnswer = status >= 200 && status <= 299;
      const listed = isAnswer && listedCards(body, ids, reader);
      if (listed) return { kind: 'listed', ...listed };
      // An empty list may be what tells of one card that there is none.
      if (TOO_MANY.has(status) || reader.saysAbsent(response)) return { kind: 'tooMany', detail };
      const failure = status !== 501 && reader.failureIn(response);
      if (failure) throw failure;
      return { kind: 'unusable', detail: isAnswer ? 'a body that is no list of cards' : detail };
    } catch (error) {
      if (error instanceof UnexpectedAnswer) return { kind: 'tooMany', detail: error.detail };
      throw error;
    }
  }

  /** @param leftIn what left together fails as one */
  #broughtNothing(detail: string, leftIn: Trust): void {
    if (this.#trust !== leftIn) return;
    if (leftIn === 'good') this.#trust = 'failed';
    if (leftIn !== 'doubted') return;
    this.#keepTo(1);
    this.#fault.failed({ detail });
  }

  #keepTo(most: number): void {
    this.#learned = { most, untilMs: Date.now() + QUARTER_MS };
  }

  #mostAt(nowMs: number): number {
    const { most, untilMs } = this.#learned;
    return nowMs < untilMs ? most : this.#options.list.max;
  }
}

const NONE: Listed['cards'] = new Map();
const NOTHING = 'it brings none of the cards';
const AT_FAULT =
  'bulk requests at CARD_SERVICE_BULK_PATH do not work: for a quarter of an hour, cards are requested one by one';
const FEWER_AT_ONCE =
  'the card service takes fewer cards at once than were asked for: for a quarter of an hour, no more go together';

/** Where a service lists several cards, and how its description names them. */
export interface BulkAddress {
  baseUrl: string;
  list: NonNullable<ServiceDescription['list']>;
  query: ServiceDescription['card']['query'];
}

/** Servers accept at least 8,000 octets in a request line (RFC 9112 §3). */
const LONGEST_URL = 8_000;
const POST = 'POST ';
const ID = '{id}';

/** The request for these cards, with their prices: they cost nothing more. Without `json` it is a GET. */
export function bulkRequest({ baseUrl, list, query }: BulkAddress, ids: readonly string[]) {
  const named = ids.map((id) => encoded(list.each.replace(ID, () => id))).join(encoded(list.separator));
  const path = list.path.replace(/^(GET|POST) +/, '').replace('{ids}', () => named);
  const json = list.path.startsWith(POST) ? Object(withIds(list.body ?? [ID], ids)) : undefined;
  return { url: endpoint(baseUrl, path, query), json };
}

/** A body in which the member of a list that contains `{id}` is repeated for each id. */
function withIds(body: unknown, ids: readonly string[]): unknown {
  if (isObject(body)) {
    return Object.fromEntries(Object.entries(body).map(([name, member]) => [name, withIds(member, ids)]));
  }
  if (!Array.isArray(body)) return body;
  return body.flatMap((member) => {
    const parts = JSON.stringify(member).split(ID);
    return parts.length === 1 ? [member] : ids.map((id) => JSON.parse(parts.join(JSON.stringify(id).slice(1, -1))));
  });
}

/** What means something else within a query for cards, such as `id:{id}`. */
const OF_QUERIES = /["\s*\\]/;

/** The separator can be in no id. Not every server takes a longer URL. */
export function roomForIds(address: BulkAddress): Pick<BatchLimits, 'room' | 'lengthOf'> {
  const { path, each, separator } = address.list;
  const around = encoded(each.replace(ID, '')).length + encoded(separator).length;
  const isPost = path.startsWith(POST);
  return {
    room: LONGEST_URL - bulkRequest(address, []).url.href.length,
    lengthOf(id) {
      const isNameable = !id.includes(separator) && (each === ID || !OF_QUERIES.test(id));
      if (!isNameable) return Infinity;
      return isPost ? 0 : encoded(id).length + around;
    },
  };
}

/** Encodes as `URL` does, which also encodes apostrophes, all but commas; `encodeURIComponent` alone does not. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll("'", '%27').replaceAll('%2C', ',');
}

/** Answers to a request for too many, in one way or another, or of which a firewall blocks a part. */
const TOO_MANY = new Set([400, 403, 413, 414, 422, 431]);

/**
 * The cards of an answer by the ids that were asked for, in whatever order, however often and among whatever others
 * they are listed. Each is checked by itself: one that does not fit is left out, like one that is not listed.
 * An id that a card carries counts more than the key that it is listed under.
 *
 * @returns `undefined` when the answer is no listing of cards
 */
export function listedCards(body: unknown, ids: readonly string[], reader: AnswerReader): Listed | undefined {
  const { list } = reader.description;
  const wanted = new Set(ids.map((id) => id.toLowerCase()));
  const listed = list?.at ? list.at.valueIn(body) : listOf(body, wanted);
  if (!Array.isArray(listed)) return undefined;
  const entries = listed.slice(0, MOST_LISTED).filter((value) => value !== null); // which is a card that there is not
  const cards = entries.flatMap((value) => {
    const card = reader.read(value);
    return card instanceof UnexpectedAnswer ? [] : { card, value };
  });
  // One card that does not fit may be broken; if none of several does, this is something else.
  if (cards.length === 0 && entries.length > 1) return undefined;

  const byId = Map.groupBy(cards, ({ card }) => card.id);
  const asked = new Set(ids);
  const others = cards.filter(({ card }) => !asked.has(card.id));
  const missing = new Set(list?.missing?.textsIn({ value: body }));
  const found = ids.flatMap((id) => {
    const named = byId.get(id) ?? others.filter(({ card, value }) => reader.isOf(id, card, value));
    const isClear = named.every(({ card }) => card.id === named[0]?.card.id);
    const card = (isClear && together(named.map(({ card }) => card))) || (missing.has(id) && 'noSuchCard');
    return card ? [[id, card] as const] : [];
  });
  return { cards: new Map(found), hasOthers: cards.some(({ card }) => !wanted.has(card.id.toLowerCase())) };
}

/** Where a description does not say where cards are listed: a bare array, one in one of these, or an object by id. */
const LIST_FIELDS = ['data', 'cards', 'items', 'results'];

/** @param wanted ids in lower case */
function listOf(body: unknown, wanted: ReadonlySet<string>): unknown[] | undefined {
  if (Array.isArray(body)) return body;
  if (!isObject(body)) return undefined;
  const fields = Object.entries(body);
  const lists = LIST_FIELDS.map((name) => memberNamed(name)(body)).filter(Array.isArray);
  if (lists.length > 0) return lists.length === 1 ? lists[0] : undefined;
  const keyed = fields.filter(([key]) => wanted.has(key.toLowerCase()));
  if (keyed.length === 0 && fields.length > 0) return undefined;
  // A card that is listed under its id need not repeat it.
  return keyed.map(([id, value]) => (isObject(value) ? { id, ...value } : value));
}
