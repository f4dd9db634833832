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

/** What would become of a question that came now; it has its turn now if it can join a request under way. */
export async function forecast(question: Forecasted, parts: ForecastParts): Promise<Forecast> {
  const { flights, pacer, budget, longestWaitMs } = parts;
  const spent = pays(question, flights) ? await budget.spentBy(question.asker) : undefined;
  const nowMs = Date.now();
  const present = flights.get(question.cardId);
  if (present?.asking) return { turnAtMs: nowMs };

  const { closed, reservedUntilMs, paused, turnAtMs } = pacer.outlook();
  const refusal = closed ? closedError(closed) : overBudget(question, spent, parts);
  if (refusal) return { refusal };
  if (question.lane === 'background') {
    const reserved = reservedUntilMs !== undefined && !present;
    return reserved ? { refusal: closedError({ why: 'reserve', untilMs: reservedUntilMs }) } : { turnAtMs: nowMs };
  }
  const atMs = turnAtMs(flights.positionOf(question));
  return atMs - nowMs > longestWaitMs ? { refusal: new Busy(atMs, paused) } : { turnAtMs: atMs };
}

/** Who joins a question that is in line already causes no request; but who lifts a refresh pays for it. */
export function pays({ cardId, lane }: Forecasted, flights: Flights): boolean {
  const present = flights.get(cardId);
  return !present || (!present.asking && present.lane === 'background' && lane === 'members');
}

/**
 * Why the asker cannot pay for the question as things are now: what came into line since `spent` was read is counted.
 *
 * @param spent `undefined` for who had not to pay when it was to be read
 */
export function overBudget(
  question: Forecasted,
  spent: Charged | undefined,
  { flights, budget }: Pick<ForecastParts, 'flights' | 'budget'>,
): ShareSpent | undefined {
  if (spent === undefined || !pays(question, flights)) return undefined;
  return budget.refusal(spent, flights.queuedBy(question.asker));
}
