import { z } from 'zod';
import type { QuotaState } from '../model/quota.ts';
import { Moment } from '../model/stored-json.ts';
import { isSameWindow, windowEndsMs } from './day-quota.ts';

/** What is seen of others who spend from the same key, on one day. */
export const OutsideSpending = z.object({
  /** When that day ends. */
  untilMs: Moment,
  /** What would remain if nobody else had sent anything. */
  expected: z.number(),
  /** At last less remained. Another process may have sent it, which tells so when its request has ended. */
  isSuspected: z.boolean(),
  /** How often it turned out that others had sent requests. */
  times: z.number(),
});
export type OutsideSpending = z.infer<typeof OutsideSpending>;

/** Once may be an operator who tries the key. */
const TIMES_OF_SHARED_KEY = 2;

export function isKeyShared(known: OutsideSpending | undefined, nowMs: number): boolean {
  return known !== undefined && nowMs < known.untilMs && known.times >= TIMES_OF_SHARED_KEY;
}

interface OurRequest {
  leftAtMs: number;
  cards?: number | undefined;
  underWay: number;
  isIsolated?: boolean;
}

/**
 * After one of our requests has ended. What remains is compared only while none of ours is under way, since it is unknown
 * which of these the service has counted.
 *
 * @param quota as last believed; `leftAtMs` tells whether that is from the answer to this request
 * @param cards of the request, each of which may have counted
 * @param isIsolated what the other processes spend is not known
 */
export function afterOurRequest(
  known: OutsideSpending | undefined,
  quota: QuotaState | undefined,
  { leftAtMs, cards = 1, underWay, isIsolated = false }: OurRequest,
): OutsideSpending | undefined {
  if (quota?.remaining === undefined) return undefined;
  const { remaining, receivedAtMs } = quota;
  const untilMs = windowEndsMs(quota);
  const ofDay = known && isSameWindow(known.untilMs, untilMs) ? known : undefined;
  const isComparable = underWay === 0 && receivedAtMs >= leftAtMs && !isIsolated;
  if (!ofDay) return isComparable ? { untilMs, expected: remaining, isSuspected: false, times: 0 } : undefined;
  const expected = ofDay.expected - cards;
  if (!isComparable) return { ...ofDay, expected };
  if (expected <= remaining) return { ...ofDay, expected: remaining, isSuspected: false };
  if (!ofDay.isSuspected) return { ...ofDay, expected, isSuspected: true };
  return { ...ofDay, expected: remaining, isSuspected: false, times: ofDay.times + 1 };
}

/**
 * After a process has returned that was isolated: what it spent was ours, so what looked like others' requests meanwhile
 * may have been its own.
 *
 * @param known as the processes share it, `before` as this one knew it when it was isolated
 * @param cards of its requests that have ended since
 */
export function afterIsolation(
  known: OutsideSpending | undefined,
  before: OutsideSpending | undefined,
  cards: number,
): OutsideSpending | undefined {
  if (!known) return undefined;
  const times = before && isSameWindow(before.untilMs, known.untilMs) ? before.times : 0;
  return { ...known, expected: known.expected - cards, times: Math.min(known.times, times) };
}
