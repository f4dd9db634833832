import { DAY_MS } from '../src/time/utc-day.ts';
import { listedIds, listingAnswer, unlessMalformed } from './bulk-listing.ts';
import type { CardServiceSwitches } from './card-service-controls.ts';
import type { ServiceCard } from './sample-cards.ts';
import { errorAnswer, jsonAnswer, type ReceivedRequest, type ServiceAnswer } from './service-answers.ts';
import type { QuotaFigures } from './service-quota.ts';

/** The state on which an answer depends. */
interface ServiceContext {
  cards: ReadonlyMap<string, ServiceCard>;
  switches: Pick<CardServiceSwitches, 'plan' | 'bulkShape' | 'bulkRefusal'>;
  figures: QuotaFigures;
}

/** The answer to a request that the limits allow. */
export function routeAnswer(request: ReceivedRequest, context: ServiceContext): ServiceAnswer {
  const [path = '', query = ''] = request.path.split('?', 2);
  const { switches, cards } = context;
  const ids = switches.bulkShape === 'none' ? undefined : listedIds(request);
  if (ids) return listingAnswer(ids, query.includes('includePrices=true'), switches, cards);
  if (request.method !== 'GET') {
    return errorAnswer(405, 'MethodNotAllowed', `${request.method} is not supported.`, { allow: 'GET' });
  }
  if (path === '/v1/usage') return usageAnswer(context);
  const segment = /^\/cards\/([^/]+)$/.exec(path)?.[1];
  if (segment !== undefined) return cardAnswer(segment, query, cards);
  return errorAnswer(404, 'NotFound', 'There is nothing at this path.');
}

function cardAnswer(segment: string, query: string, cards: ServiceContext['cards']): ServiceAnswer {
  const includePrices = new URLSearchParams(query).get('includePrices') ?? 'false';
  if (includePrices !== 'true' && includePrices !== 'false') {
    return errorAnswer(400, 'InvalidRequest', 'includePrices must be true or false.');
  }
  const id = unlessMalformed(() => decodeURIComponent(segment));
  if (id === undefined) return errorAnswer(400, 'InvalidRequest', 'The card id is not encoded properly.');
  const card = cards.get(id);
  if (!card) return errorAnswer(404, 'CardNotFound', `No card has the id '${id}'.`);
  if (includePrices === 'true') return jsonAnswer(200, card);
  const { prices: _, ...facts } = card;
  return jsonAnswer(200, facts);
}

/** The interface states limits per day only, so the period of the report is the day. */
function usageAnswer({ switches: { plan }, figures }: ServiceContext): ServiceAnswer {
  const { dayLimit: limit, dayRemaining: remaining, resetsAtMs } = figures;
  return jsonAnswer(200, {
    plan,
    period: {
      start: new Date(resetsAtMs - DAY_MS).toISOString(),
      end: new Date(resetsAtMs).toISOString(),
    },
    requests: { used: limit - remaining, limit, remaining },
  });
}
