import type { Card } from '../model/card.ts';
import { UnexpectedAnswer } from '../model/errors.ts';
import { type Answered, CardAnswer, errorBody, type OnUnread, read, throwUnlessAnswered } from './answers.ts';

/** Where the service lists several cards at once. */
export interface ListingAddress {
  baseUrl: string;
  /**
   * `CARD_SERVICE_BULK_PATH`: a path with `{ids}` in place of the ids, which are encoded one by one and joined by commas; or
   * `POST` and a path, to which they are sent as the JSON body `{"ids": […]}`.
   */
  bulkPath: string;
}

/** Servers accept at least 8,000 octets in a request line (RFC 9112 §3). */
const LONGEST_URL = 8_000;
const POST = 'POST ';

/** The request for these cards, with their prices: they cost nothing more. Without `json` it is a GET. */
export function listRequest({ baseUrl, bulkPath }: ListingAddress, ids: readonly string[]) {
  const isPost = bulkPath.startsWith(POST);
  const path = withPrices(isPost ? bulkPath.slice(POST.length).trimStart() : bulkPath.replace(/^GET +/, ''));
  const list = ids.map(encoded).join(',');
  return {
    url: new URL(baseUrl.replace(/\/+$/, '') + path.replace('{ids}', () => list)),
    json: isPost ? { ids } : undefined,
  };
}

/** How long the ids of one request may be together, and how long each is; longer than any if it cannot be named with others. */
export interface RoomForIds {
  room: number;
  lengthOf(id: string): number;
}

/** Commas separate ids, so that none can hold one. Not every server takes a longer URL. */
export function roomForIds(address: ListingAddress): RoomForIds {
  const lengthInUrl = address.bulkPath.startsWith(POST) ? () => 0 : (id: string) => encoded(id).length + 1;
  return {
    room: LONGEST_URL - listRequest(address, []).url.href.length,
    lengthOf: (id) => (id.includes(',') ? Number.POSITIVE_INFINITY : lengthInUrl(id)),
  };
}

/** Encodes an id as `URL` does, which also encodes apostrophes; `encodeURIComponent` alone does not. */
function encoded(id: string): string {
  return encodeURIComponent(id).replaceAll("'", '%27');
}

/** Added as text: `searchParams` would encode the commas, too. */
function withPrices(path: string): string {
  if (/[?&]includePrices=/.test(path)) return path;
  return `${path}${path.includes('?') ? '&' : '?'}includePrices=true`;
}

/** The service does not show the shape of its listing: a bare array, an array in one of these, or an object keyed by id. */
const LIST_FIELDS = ['data', 'cards', 'items', 'results'] as const;

/** How a list of several cards is answered. `detail` is for operators. */
export type ListAnswer =
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

/** Answers to a list that is too long, in one way or another, or of which a part is refused. */
const TOO_MANY: ReadonlySet<number> = new Set([400, 413, 414, 422, 431]);

/** What the answer to a list of these ids means. @throws RateLimited on 429, ServiceDown on 408 and 5xx (but for 501) */
export function listAnswer(response: Answered, ids: readonly string[], onUnread?: OnUnread): ListAnswer {
  const { status, body } = response;
  const detail = `status ${status}`;
  if (TOO_MANY.has(status) || (status === 404 && errorBody(response))) return { kind: 'tooMany', detail };
  if (status === 403 && !errorBody(response)) return { kind: 'blocked', detail };
  if (status === 401 || status === 403) return { kind: 'keyRefused', detail };
  if (status !== 501) throwUnlessAnswered(response);
  if (status < 200 || status > 299) return { kind: 'unusable', detail };
  const cards = listedCards(body, ids, onUnread);
  return cards ? { kind: 'listed', cards } : { kind: 'unusable', detail: 'a body that is no list of cards' };
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
  onUnread?: OnUnread,
): ReadonlyMap<string, Card> | undefined {
  const entries = entriesOf(body, ids);
  const cards = entries && cardsOf(entries, onUnread);
  // One card that does not fit may be broken; if none of several does, this is something else.
  if (!entries || !cards || (cards.length === 0 && entries.length > 1)) return undefined;

  const byId = firstOf(cards.map((card) => [card.id, card]));
  const wanted = new Set(ids);
  const others = cards.filter(({ id }) => !wanted.has(id));
  const inOtherCase = unambiguous(others.map((card) => [card.id.toLowerCase(), card]));
  return new Map(
    ids.flatMap((id) => {
      const card = byId.get(id) ?? inOtherCase.get(id.toLowerCase());
      return card ? [[id, card] as const] : [];
    }),
  );
}

/** Whether cards are listed that nobody asked for, as by a service that ignores the ids. */
export function listsOthers(body: unknown, ids: readonly string[]): boolean {
  const wanted = new Set(ids.map((id) => id.toLowerCase()));
  return cardsOf(entriesOf(body, ids) ?? []).some(({ id }) => !wanted.has(id.toLowerCase()));
}

/** Those that are cards. */
function cardsOf(entries: readonly unknown[], onUnread?: OnUnread): Card[] {
  return entries.flatMap((value) => {
    const found = read(CardAnswer, value, onUnread);
    return found instanceof UnexpectedAnswer ? [] : [found];
  });
}

/** What is listed, card or not; `null` stands for a card that there is not. */
function entriesOf(body: unknown, ids: readonly string[]): unknown[] | undefined {
  return listOf(body, ids)?.filter((value) => value !== null);
}

function listOf(body: unknown, ids: readonly string[]): unknown[] | undefined {
  if (Array.isArray(body)) return body;
  if (typeof body !== 'object' || body === null) return undefined;
  const fields = new Map(Object.entries(body));
  const lists = LIST_FIELDS.map((field) => fields.get(field)).filter((value) => Array.isArray(value));
  if (lists.length > 0) return lists.length === 1 ? lists[0] : undefined;

  const wanted = new Set(ids.map((id) => id.toLowerCase()));
  const keyed = [...fields].flatMap(([key, value]) => (wanted.has(key.toLowerCase()) ? [withId(value, key)] : []));
  return keyed.length > 0 || fields.size === 0 ? keyed : undefined;
}

/** A card that is listed under its id need not repeat it. */
function withId(value: unknown, id: string): unknown {
  return typeof value === 'object' && value !== null ? { id, ...value } : value;
}

function firstOf(cards: [string, Card][]): Map<string, Card> {
  return new Map(cards.toReversed());
}

/** Without the names of which there are two cards: it is unknown which of them is meant. */
function unambiguous(cards: [string, Card][]): Map<string, Card> {
  const first = firstOf(cards);
  for (const [name, { id }] of cards) if (first.get(name)?.id !== id) first.delete(name);
  return first;
}
