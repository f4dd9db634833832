import { Busy, type CardServiceError, type ShareSpent } from '../errors.ts';
import type { Budget } from '../quota/budget.ts';
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

/** What would become of a question that came now; it has its turn now if it can join a request under way. */
export function forecast(question: Forecasted, { flights, pacer, budget, longestWaitMs }: ForecastParts): Forecast {
  const nowMs = Date.now();
  const present = flights.get(question.cardId);
  if (present?.asking) return { turnAtMs: nowMs };

  const { closed, reservedUntilMs, paused, turnAtMs } = pacer.outlook();
  const refusal = closed ? closedError(closed) : overBudget(question, flights, budget);
  if (refusal) return { refusal };
  if (question.lane === 'background') {
    const reserved = reservedUntilMs !== undefined && !present;
    return reserved ? { refusal: closedError({ why: 'reserve', untilMs: reservedUntilMs }) } : { turnAtMs: nowMs };
  }
  const atMs = turnAtMs(flights.positionOf(question));
  return atMs - nowMs > longestWaitMs ? { refusal: new Busy(atMs, paused) } : { turnAtMs: atMs };
}

/** Who joins a question that is in line already causes no request; but who lifts a refresh pays for it. */
export function overBudget(
  { cardId, lane, asker }: Forecasted,
  flights: Flights,
  budget: Budget,
): ShareSpent | undefined {
  const present = flights.get(cardId);
  const pays = !present || (!present.asking && present.lane === 'background' && lane === 'members');
  return pays ? budget.refusal(asker, flights.queuedBy(asker)) : undefined;
}
