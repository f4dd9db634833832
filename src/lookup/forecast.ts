import { Busy, type CardServiceError, type ShareSpent } from '../errors.ts';
import type { Budget, Charged } from '../quota/budget.ts';
import type { Pacer } from '../quota/pacer.ts';
import type { Question } from './flight.ts';
import type { Flights } from './flights.ts';
import { closedError } from './refusals.ts';

/** When a question would get its turn, or why nobody should wait for that. */
export type Forecast = { turnAtMs: number } | { refusal: CardServiceError };

/** What a forecast depends on, of a question. */
export type Forecasted = Pick<Question, 'cardId' | 'lane' | 'asker'>;

export interface ForecastParts {
  flights: Flights;
  pacer: Pacer;
  budget: Budget;
  /** A question whose turn is further away is refused at once. */
  longestWaitMs: number;
}

/**
 * What would become of a question that came now; it has its turn now if it can join a request under way. A promise given
 * to others counts: who waits for something already is refused, too, when a turn behind everything would be too far away.
 *
 * @param spent what is booked on the asker at this moment
 */
export function forecast(question: Forecasted, spent: Charged, parts: ForecastParts): Forecast {
  const { flights, pacer, longestWaitMs } = parts;
  const present = flights.get(question.cardId);
  if (present?.asking) return { turnAtMs: Date.now() };

  const { closed, reservedUntilMs, paused, turnAtMs } = pacer.outlook();
  const nowMs = Date.now(); // not before the outlook's: what is to be had now is no wait
  const refusal = closed ? closedError(closed) : overBudget(question, spent, parts);
  if (refusal) return { refusal };
  if (question.lane === 'background') {
    const reserved = reservedUntilMs !== undefined && !present;
    return reserved ? { refusal: closedError({ why: 'reserve', untilMs: reservedUntilMs }) } : { turnAtMs: nowMs };
  }
  const restsUntilMs = flights.restsUntilMs(question.cardId);
  if (restsUntilMs - nowMs > longestWaitMs) return { refusal: closedError({ why: 'down', untilMs: restsUntilMs }) };
  const { position, lastPosition } = flights.positionOf(question);
  const atMs = turnAtMs(position);
  const lastMs = turnAtMs(lastPosition);
  if (lastMs - nowMs <= longestWaitMs) return { turnAtMs: atMs };
  return { refusal: new Busy(Math.max(atMs, lastMs - longestWaitMs), paused) };
}

/** Why the asker cannot pay for the question: what waits is as good as spent; who joins what is in line pays nothing. */
function overBudget(
  question: Forecasted,
  spent: Charged,
  { flights, budget }: Pick<ForecastParts, 'flights' | 'budget'>,
): ShareSpent | undefined {
  return pays(question, flights) ? budget.refusal(spent, flights.queuedBy(question.asker)) : undefined;
}

/** Who joins a question that is in line already causes no request; but who lifts a refresh pays for it. */
function pays({ cardId, lane }: Forecasted, flights: Flights): boolean {
  const present = flights.get(cardId);
  return !present || (!present.asking && present.lane === 'background' && lane === 'members');
}
