import type { ServiceCard } from './sample-cards.ts';
import { errorAnswer, jsonAnswer, type ReceivedRequest, type ServiceAnswer } from './service-answers.ts';

const MOST_IDS = 5;
const FIRST_PAGE = 10;
/** A card that was not asked for. */
const STRANGER: ServiceCard = { id: 'stranger', name: 'Stranger', tcg: 'None', set: { id: 'none', name: 'None' } };

type Shape = (found: readonly ServiceCard[], ids: readonly string[], all: readonly ServiceCard[]) => unknown;
type Refusal = (wanted: number, found: number) => ServiceAnswer | undefined;

/** How the service lists several cards; the interface does not say. */
const SHAPES = {
  array: (found) => found,
  'by id': (found) => Object.fromEntries(found.map((card) => [card.id, card])),
  data: (data) => ({ data, total: data.length }),
  cards: (cards) => ({ cards, total: cards.length }),
  items: (items) => ({ items, total: items.length }),
  results: (results) => ({ results, total: results.length }),
  'other order, repeats, a stranger': (found) => [STRANGER, ...found.toReversed(), ...found],
  'ids in capitals': (found) => found.map((card) => ({ ...card, id: card.id.toUpperCase() })),
  'some left out': (found) => found.filter((_, index) => index % 3 !== 2),
  'one broken card': ([first, ...others]) => [...(first ? [{ ...first, name: 7, set: null }] : []), ...others],
  'by id, with the cards of others': (found) =>
    Object.fromEntries(found.map(({ id }, index) => [id, found[(index + 1) % found.length]])),
  'the first page': (_found, _ids, all) => all.slice(0, FIRST_PAGE),
  empty: () => [],
  'empty object': () => ({}),
  'empty, with an error': () => ({ data: [], error: 'Cards cannot be listed.' }),
  'an error for each id': (_, ids) => ids.map((id) => ({ id, error: 'This card cannot be listed.' })),
  'no list': () => ({ message: 'These are your cards.' }),
  /** There is no such path, so that this is never sent. */
  none: () => undefined,
} satisfies Record<string, Shape>;
export type BulkShape = keyof typeof SHAPES;
export const BULK_SHAPES = Object.keys(SHAPES) as BulkShape[];

const overMost = (status: number, tag: string) => (wanted: number) =>
  wanted > MOST_IDS ? errorAnswer(status, tag, `At most ${MOST_IDS} ids.`) : undefined;
const htmlPage = (status: number): ServiceAnswer => ({
  ...{ status, headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>Cards</title>' },
});

/** What it refuses to list, with its status. */
const REFUSALS = {
  nothing: () => undefined,
  'over 5 ids: 413': overMost(413, 'TooManyIds'),
  'over 5 ids: 400': overMost(400, 'InvalidRequest'),
  'a missing card: 404': (wanted, found) =>
    found < wanted ? errorAnswer(404, 'CardNotFound', 'One of these cards does not exist.') : undefined,
  'every id: 401': () => errorAnswer(401, 'Unauthorized', 'This key may not list cards.'),
  'every id: 405': () => errorAnswer(405, 'MethodNotAllowed', 'Cards are not listed.'),
  'every id: 500': () => errorAnswer(500, 'InternalError', 'Cards cannot be listed.'),
  'every id: a page, 404': () => htmlPage(404),
  'every id: a page, 200': () => htmlPage(200),
} satisfies Record<string, Refusal>;
export type BulkRefusal = keyof typeof REFUSALS;
export const BULK_REFUSALS = Object.keys(REFUSALS) as BulkRefusal[];

/** What it counts for a list: one request, or one for each card. */
export const BULK_COSTS = ['one', 'each'] as const;

/** The ids of `GET /cards?ids=a,b` or `POST /cards/batch` with `{"ids":["a","b"]}`; `undefined`: it is another request. */
export function listedIds({ method, path, body }: ReceivedRequest): string[] | undefined {
  const [address, query = ''] = path.split('?', 2);
  if (method === 'GET' && address === '/cards') {
    // Split before they are decoded: an encoded comma is a part of an id.
    const list = /(?:^|&)ids=([^&]*)/.exec(query)?.[1];
    return list === undefined ? undefined : unlessMalformed(() => list.split(',').map(decodeURIComponent));
  }
  if (method !== 'POST' || address !== '/cards/batch') return undefined;
  const ids = unlessMalformed(() => JSON.parse(body ?? '').ids);
  return Array.isArray(ids) ? ids.map(String) : undefined;
}

export function unlessMalformed<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** The answer to a listing that the limits allow, in the shape that is switched on. */
export function listingAnswer(
  ids: readonly string[],
  withPrices: boolean,
  { bulkShape, bulkRefusal }: { bulkShape: BulkShape; bulkRefusal: BulkRefusal },
  cards: ReadonlyMap<string, ServiceCard>,
): ServiceAnswer {
  const found = [...new Set(ids)].flatMap((id) => cards.get(id) ?? []);
  const listed = withPrices ? found : found.map(({ prices: _, ...facts }) => facts);
  const [shape, refusal]: [Shape, Refusal] = [SHAPES[bulkShape], REFUSALS[bulkRefusal]];
  return refusal(ids.length, found.length) ?? jsonAnswer(200, shape(listed, ids, [...cards.values()]));
}
