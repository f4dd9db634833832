import { listedIds } from './bulk-listing.ts';
import type { CardServiceSwitches } from './card-service-controls.ts';
import { type ServiceCard, withPricesMoved } from './sample-cards.ts';
import {
  downAnswer,
  errorAnswer,
  FIREWALL_ANSWER,
  type ReceivedRequest,
  rateLimitAnswer,
  type ServiceAnswer,
} from './service-answers.ts';
import type { ServiceQuota } from './service-quota.ts';
import { routeAnswer } from './service-routes.ts';

/** The state that decides an answer. */
export interface ServiceRules {
  switches: CardServiceSwitches;
  cards: ReadonlyMap<string, ServiceCard>;
  quota: ServiceQuota;
}

/** An answer that a limiter may delay. */
export interface RuledAnswer extends ServiceAnswer {
  delayMs?: number;
}

/** The answer by the switches and the limits. Only requests that pass both count against the day. */
export function ruledAnswer(
  request: ReceivedRequest,
  authorized: boolean,
  { switches, cards, quota }: ServiceRules,
  nowMs: number,
): RuledAnswer {
  const { down, downRetryAfterSeconds, stormUntilMs, firewall, oddFigures, bulkShape, bulkCost } = switches;
  if (firewall && request.path.includes('%3C')) return FIREWALL_ANSWER;
  if (down) return downAnswer(downRetryAfterSeconds);
  if (nowMs < stormUntilMs) return rateLimitAnswer(stormUntilMs - nowMs, oddFigures);
  const keyNeeded = request.authorization !== undefined || request.path.startsWith('/v1/usage');
  if (keyNeeded && !authorized) return errorAnswer(401, 'Unauthorized', 'The API key is missing or not valid.');

  const isEach = bulkShape !== 'none' && bulkCost === 'each';
  const ruling = quota.admit(isEach ? listedIds(request)?.length : 1);
  if ('retryAfterMs' in ruling) return rateLimitAnswer(ruling.retryAfterMs, oddFigures);
  const priced = withPricesMoved(cards, switches.pricePercent);
  return { ...routeAnswer(request, { cards: priced, switches, figures: quota.figures() }), ...ruling };
}
