import type { BulkShape } from './bulk-forms.ts';
import type { CardServiceSwitches } from './card-service-controls.ts';
import type { ServiceCard } from './sample-cards.ts';
import { errorAnswer, jsonAnswer, type ReceivedRequest, type ServiceAnswer } from './service-answers.ts';

const MOST_IDS = 5;
const FIRST_PAGE = 10;
/** A card that was not asked for. */
const STRANGER: ServiceCard = { id: 'stranger', name: 'Stranger', tcg: 'None', set: { id: 'none', name: 'None' } };

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

type BulkSwitches = Pick<CardServiceSwitches, 'bulkShape' | 'bulkRefusal'>;

/** The answer to a listing that the limits allow, in the shape that is switched on. */
export function listingAnswer(
  ids: readonly string[],
  withPrices: boolean,
  { bulkShape, bulkRefusal }: BulkSwitches,
  cards: ReadonlyMap<string, ServiceCard>,
): ServiceAnswer {
  const found = [...new Set(ids)].flatMap((id) => cards.get(id) ?? []);
  const refusal = refused(bulkRefusal, ids.length, found.length);
  if (refusal) return refusal;
  const listed = withPrices ? found : found.map(({ prices: _, ...facts }) => facts);
  const body =
    bulkShape === 'the first page' ? [...cards.values()].slice(0, FIRST_PAGE) : shaped(bulkShape, listed, ids);
  return jsonAnswer(200, body);
}

function refused(refusal: BulkSwitches['bulkRefusal'], wanted: number, found: number): ServiceAnswer | undefined {
  const isTooMany = wanted > MOST_IDS;
  switch (refusal) {
    case 'nothing':
      return undefined;
    case 'over 5 ids: 413':
      return isTooMany ? errorAnswer(413, 'TooManyIds', `At most ${MOST_IDS} ids.`) : undefined;
    case 'over 5 ids: 400':
      return isTooMany ? errorAnswer(400, 'InvalidRequest', `At most ${MOST_IDS} ids.`) : undefined;
    case 'a missing card: 404':
      return found < wanted ? errorAnswer(404, 'CardNotFound', 'One of these cards does not exist.') : undefined;
    case 'every id: 401':
      return errorAnswer(401, 'Unauthorized', 'This key may not list cards.');
    case 'every id: 405':
      return errorAnswer(405, 'MethodNotAllowed', 'Cards are not listed.');
    case 'every id: 500':
      return errorAnswer(500, 'InternalError', 'Cards cannot be listed.');
    case 'every id: a page, 404':
    case 'every id: a page, 200':
      return {
        status: refusal === 'every id: a page, 404' ? 404 : 200,
        headers: { 'content-type': 'text/html' },
        body: '<!doctype html><title>Cards</title>',
      };
  }
}

function shaped(shape: BulkShape, cards: readonly ServiceCard[], ids: readonly string[]): unknown {
  switch (shape) {
    case 'by id':
      return Object.fromEntries(cards.map((card) => [card.id, card]));
    case 'by id, with the cards of others':
      return Object.fromEntries(cards.map(({ id }, index) => [id, cards[(index + 1) % cards.length]]));
    case 'data':
    case 'cards':
    case 'items':
    case 'results':
      return { [shape]: cards, total: cards.length };
    case 'other order, repeats, a stranger':
      return [STRANGER, ...cards.toReversed(), ...cards];
    case 'ids in capitals':
      return cards.map((card) => ({ ...card, id: card.id.toUpperCase() }));
    case 'some left out':
      return cards.filter((_, index) => index % 3 !== 2);
    case 'one broken card':
      return cards.map((card, index) => (index === 0 ? { ...card, name: 7, set: null } : card));
    case 'empty':
      return [];
    case 'empty object':
      return {};
    case 'empty, with an error':
      return { data: [], error: 'Cards cannot be listed.' };
    case 'an error for each id':
      return ids.map((id) => ({ id, error: 'This card cannot be listed.' }));
    case 'no list':
      return { message: 'These are your cards.' };
    default:
      return cards;
  }
}
