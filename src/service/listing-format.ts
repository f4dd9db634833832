import { UnexpectedAnswer } from '../model/errors.ts';
import type { ServiceDescription } from '../model/service-description.ts';
import { endpoint, withPrices } from './address.ts';
import { type Answered, isAbsent, refusalIn, statusText, throwUnlessAnswered } from './answers.ts';
import { type AnsweredCard, type CardReader, MOST_LISTED } from './described-card.ts';

/** Where a service lists several cards, and how its description names them. */
export interface ListingAddress {
  baseUrl: string;
  list: NonNullable<ServiceDescription['list']>;
  isDefault: boolean;
}

/** Servers accept at least 8,000 octets in a request line (RFC 9112 §3). */
const LONGEST_URL = 8_000;
const POST = 'POST ';

/** The request for these cards, with their prices: they cost nothing more. Without `json` it is a GET. */
export function listRequest({ baseUrl, list, isDefault }: ListingAddress, ids: readonly string[]) {
  const isPost = list.path.startsWith(POST);
  const path = withPrices(list.path.replace(/^(GET|POST) +/, ''), { isDefault });
  const named = ids.map((id) => encoded(list.each.replace('{id}', () => id))).join(encoded(list.separator));
  return {
    url: endpoint(
      baseUrl,
      path.replace('{ids}', () => named),
    ),
    json: isPost ? (withIds(list.body ?? [ID], ids) as object) : undefined,
  };
}

const ID = '{id}';

/** A body in which the member of a list that contains `{id}` is repeated for each id. */
function withIds(body: unknown, ids: readonly string[]): unknown {
  if (Array.isArray(body))
    return body.flatMap((member) =>
      JSON.stringify(member).includes(ID) ? ids.map((id) => withId(member, id)) : [member],
    );
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(Object.entries(body).map(([name, member]) => [name, withIds(member, ids)]));
}

function withId(member: unknown, id: string): unknown {
  if (typeof member === 'string') return member.replace(ID, () => id);
  if (typeof member !== 'object' || member === null) return member;
  if (Array.isArray(member)) return member.map((each) => withId(each, id));
  return Object.fromEntries(Object.entries(member).map(([name, each]) => [name, withId(each, id)]));
}

/** How long the ids of one request may be together, and how long each is; longer than any if it cannot be named with others. */
export interface RoomForIds {
  room: number;
  lengthOf(id: string): number;
}

/** What means something else within a query for cards, such as `id:{id}`. */
const OF_QUERIES = /["\s*\\]/;

/** The separator can be in no id. Not every server takes a longer URL. */
export function roomForIds(address: ListingAddress): RoomForIds {
  const { path, each, separator } = address.list;
  const around = encoded(each.replace(ID, '')).length + encoded(separator).length;
  const lengthInUrl = path.startsWith(POST) ? () => 0 : (id: string) => encoded(id).length + around;
  const isNameable = (id: string) => !id.includes(separator) && (each === ID || !OF_QUERIES.test(id));
  return {
    room: LONGEST_URL - listRequest(address, []).url.href.length,
    lengthOf: (id) => (isNameable(id) ? lengthInUrl(id) : Number.POSITIVE_INFINITY),
  };
}

/** Encodes as `URL` does, which also encodes apostrophes, all but commas; `encodeURIComponent` alone does not. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll("'", '%27').replaceAll('%2C', ',');
}

/** The service does not show the shape of its listing: a bare array, an array in one of these, or an object keyed by id. */
const LIST_FIELDS = ['data', 'cards', 'items', 'results'] as const;

/** How a list of several cards is answered. `detail` is for operators. */
export type ListAnswer =
  /** An id that is not among them was left out, or its card does not fit: that says nothing of whether there is one. */
  | { kind: 'listed'; cards: ReadonlyMap<string, AnsweredCard | 'noSuchCard'> }
  /** Too many at once, or one of them cannot be listed: fewer may be. */
  | { kind: 'tooMany'; detail: string }
  /** This path does not accept the key; whether others do is not known. */
  | { kind: 'keyRefused'; detail: string }
  /** By a firewall in front of the service, which does not use its error bodies: because of one id, or of the path. */
  | { kind: 'blocked'; detail: string }
  /** There is no listing here, or none that is understood. */
  | { kind: 'unusable'; detail: string };

/** Answers to a list that is too long, in one way or another, or of which a part is refused. */
const TOO_MANY: ReadonlySet<number> = new Set([400, 413, 414, 422, 431]);

/** What the answer to a list of these ids means. @throws RateLimited on 429, ServiceDown on 408 and 5xx (but for 501) */
export function listAnswer(response: Answered, ids: readonly string[], reader: CardReader): ListAnswer {
  const { status, body } = response;
  const { description } = reader;
  const detail = statusText(response);
  const isAnswer = status >= 200 && status <= 299;
  const cards = isAnswer ? listedCards(body, ids, reader) : undefined;
  // An empty list may be what tells of one card that there is none.
  if (TOO_MANY.has(status) || (!cards && isAbsent(response, description))) return { kind: 'tooMany', detail };
  const refused = refusalIn(response, description);
  if (refused !== undefined) return { kind: 'keyRefused', detail };
  if (status === 403) return { kind: 'blocked', detail };
  if (status !== 501) throwUnlessAnswered(response, description);
  if (cards) return { kind: 'listed', cards };
  return { kind: 'unusable', detail: isAnswer ? 'a body that is no list of cards' : detail };
}

/**
 * The cards of an answer by the ids that were asked for, in whatever order, however often and among whatever others they
 * are listed. Each is checked by itself: one that does not fit is left out, like one that is not listed. An id that a card
 * carries counts more than the key that it is listed under.
 *
 * @returns `undefined` when the answer is no listing of cards
 */
export function listedCards(
  body: unknown,
  ids: readonly string[],
  reader: CardReader,
): ReadonlyMap<string, AnsweredCard | 'noSuchCard'> | undefined {
  const entries = entriesOf(body, ids, reader);
  const cards = entries && cardsOf(entries, reader);
  // One card that does not fit may be broken; if none of several does, this is something else.
  if (!entries || !cards || (cards.length === 0 && entries.length > 1)) return undefined;

  const missing = new Set(reader.description.list?.missing?.textsIn({ value: body }));
  const byId = firstOf(cards.map(({ card }) => [card.id, card]));
  const wanted = new Set(ids);
  const others = cards.filter(({ card }) => !wanted.has(card.id));
  const inOtherCase = unambiguous(others.map(({ card }) => [card.id.toLowerCase(), card]));
  const named = (id: string) =>
    reader.description.isDefault
      ? inOtherCase.get(id.toLowerCase())
      : others.find(({ card, value }) => reader.isOf(id, card, value))?.card;
  return new Map(
    ids.flatMap((id) => {
      const card = byId.get(id) ?? named(id) ?? (missing.has(id) ? 'noSuchCard' : undefined);
      return card ? [[id, card] as const] : [];
    }),
  );
}

/** Whether cards are listed that nobody asked for, as by a service that ignores the ids. */
export function listsOthers(body: unknown, ids: readonly string[], reader: CardReader): boolean {
  const wanted = new Set(ids.map((id) => id.toLowerCase()));
  return cardsOf(entriesOf(body, ids, reader) ?? [], reader).some(({ card }) => !wanted.has(card.id.toLowerCase()));
}

/** Those that are cards. */
function cardsOf(entries: readonly unknown[], reader: CardReader): { card: AnsweredCard; value: unknown }[] {
  return entries.flatMap((value) => {
    const card = reader.read(value);
    return card instanceof UnexpectedAnswer ? [] : [{ card, value }];
  });
}

/** What is listed, card or not; `null` stands for a card that there is not. */
function entriesOf(body: unknown, ids: readonly string[], { description }: CardReader): unknown[] | undefined {
  const listed = description.isDefault ? listOf(body, ids) : description.list?.at.valueIn(body);
  return Array.isArray(listed) ? listed.slice(0, MOST_LISTED).filter((value) => value !== null) : undefined;
}

function listOf(body: unknown, ids: readonly string[]): unknown[] | undefined {
  if (Array.isArray(body)) return body;
  if (typeof body !== 'object' || body === null) return undefined;
  const fields = new Map(Object.entries(body));
  const lists = LIST_FIELDS.map((field) => fields.get(field)).filter((value) => Array.isArray(value));
  if (lists.length > 0) return lists.length === 1 ? lists[0] : undefined;

  const wanted = new Set(ids.map((id) => id.toLowerCase()));
  const keyed = [...fields].flatMap(([key, value]) => (wanted.has(key.toLowerCase()) ? [keyedBy(value, key)] : []));
  return keyed.length > 0 || fields.size === 0 ? keyed : undefined;
}

/** A card that is listed under its id need not repeat it. */
function keyedBy(value: unknown, id: string): unknown {
  return typeof value === 'object' && value !== null ? { id, ...value } : value;
}

function firstOf(cards: [string, AnsweredCard][]): Map<string, AnsweredCard> {
  return new Map(cards.toReversed());
}

/** Without the names of which there are two cards: it is unknown which of them is meant. */
function unambiguous(cards: [string, AnsweredCard][]): Map<string, AnsweredCard> {
  const first = firstOf(cards);
  for (const [name, { id }] of cards) if (first.get(name)?.id !== id) first.delete(name);
  return first;
}
