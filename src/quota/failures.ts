import { z } from 'zod';
import type { RequestOutcome } from '../model/errors.ts';
import type { Breaker } from '../model/quota.ts';
import { Moment } from '../model/stored-json.ts';

/** How long a card is left alone after a failure; and the service, after one that may be the beginning of an outage. */
export const LOOKUP_BACK_OFF = { firstMs: 1_000, longestMs: 60_000 };

/** The cards whose failures have counted towards an outage, oldest first, and when they failed last. */
export const CountedFailures = z.array(z.object({ cardId: z.string(), atMs: Moment }));
export type CountedFailures = z.infer<typeof CountedFailures>;

/** Enough for the cards of an outage of some minutes. */
const MOST_COUNTED = 20;
/**
 * So long after the last failure, and for as long as the circuit breaker was open for it, no card that has failed is a probe:
 * its failures count no more, so that in an outage each of a few cards would be tried as often as the card may be.
 */
const JUST_FAILED_MS = 15_000;

/**
 * Whether a failure is one more towards an outage. Those that come soon after one another are one hiccup, and a card may be
 * what fails, so it counts once until it is answered.
 */
export function countsAsFailure(
  breaker: Breaker,
  counted: CountedFailures,
  { cardIds: [cardId] = [] }: RequestOutcome,
  leftAtMs: number,
): boolean {
  const isOfLast = breaker.state === 'closed' && leftAtMs < breaker.untilMs;
  return !isOfLast && !counted.some((one) => one.cardId === cardId);
}

/** @param hasCounted whether it is a failure that changed the circuit breaker */
export function countedAfter(
  counted: CountedFailures,
  { kind, cardIds = [] }: RequestOutcome,
  hasCounted: boolean,
  nowMs: number,
): CountedFailures {
  const [cardId] = cardIds;
  const isKnown = counted.some((one) => cardIds.includes(one.cardId));
  const others = isKnown ? counted.filter((one) => !cardIds.includes(one.cardId)) : counted;
  if (kind === 'answered') return others;
  const hasFailed = hasCounted || (isKnown && kind === 'serviceDown');
  return hasFailed && cardId !== undefined ? [...others, { cardId, atMs: nowMs }].slice(-MOST_COUNTED) : counted;
}

/** While the service may be down: what the next request, by which that is found out, is for. */
export interface Doubt {
  /** Not for these cards, because they may be what fails. */
  failedIds: ReadonlySet<string>;
  /** When it may be for one of them again. */
  untilMs: number;
  /** For no other card at all: the circuit breaker is open for an outage. */
  isOutage: boolean;
}

export function doubtOf(
  { state, reason, failures, sinceMs, untilMs }: Breaker,
  counted: CountedFailures,
  nowMs: number,
): Doubt | undefined {
  if (failures === 0 || state === 'halfOpen') return undefined;
  const againMs = (counted.at(-1)?.atMs ?? 0) + Math.max(JUST_FAILED_MS, untilMs - sinceMs);
  const resting = nowMs < againMs ? counted : [];
  return { failedIds: new Set(resting.map(({ cardId }) => cardId)), untilMs: againMs, isOutage: reason === 'outage' };
}
