import { z } from 'zod';
import { orUndefined } from '../model/card.ts';
import type { PlanSetting } from '../model/plan.ts';
import { Breaker, CLOSED_BREAKER, OtherWindows, OwnCounts, QuotaState, spentWindow } from '../model/quota.ts';
import { Moment, movedBy } from '../model/stored-json.ts';
import { RemainingSample } from './day-quota.ts';
import { CountedFailures } from './failures.ts';
import { Learned, NOTHING_LEARNED } from './learned.ts';

/** Everything that a limiter knows and a restart must not forget. Stored as JSON. */
export const LimiterState = z.object({
  /** When the token bucket is full again. */
  fullAtMs: Moment,
  breaker: Breaker,
  /** What the operator had set when the breaker opened for a spent window, as `settingKey` writes it. */
  openedUnder: orUndefined(z.string()),
  counted: CountedFailures.default([]),
  /** The day's, as stated. */
  quota: orUndefined(QuotaState),
  windows: OtherWindows.optional(),
  own: OwnCounts.optional(),
  /** The plan that a usage report named last. */
  plan: orUndefined(z.string()),
  /** The daily limit in the headers when that report came; with another one the headers win. */
  planAtLimit: orUndefined(z.number()),
  learned: Learned.default(NOTHING_LEARNED),
  /** What remained over the last hour. */
  samples: z.array(RemainingSample),
});
export type LimiterState = z.infer<typeof LimiterState>;

/** The same state by a clock that is `byMs` ahead of the one it was noted by. */
export function shifted(state: LimiterState, byMs: number): LimiterState {
  return movedBy(LimiterState, state, byMs) as LimiterState;
}

/** Before the first start: a full bucket. */
export const INITIAL_LIMITER_STATE: LimiterState = LimiterState.parse({
  fullAtMs: 0,
  breaker: CLOSED_BREAKER,
  samples: [],
});

/** An open breaker with its probe under way, or without. */
export function withProbe(state: LimiterState, isUnderWay: boolean): LimiterState {
  const { breaker } = state;
  const probed = isUnderWay ? 'halfOpen' : 'open';
  if (breaker.state === 'closed' || breaker.state === probed) return state;
  return { ...state, breaker: { ...breaker, state: probed } };
}

/** Identifies what an operator has set: plan, rate, burst, what a day and a month have, and the plans that are described. */
export function settingKey(setting: PlanSetting): string {
  const { plan, plans, requestsPerDay, requestsPerMonth, requestsPerMinute, burst } = setting;
  const perDay = requestsPerDay === undefined ? [] : [`${requestsPerDay} a day`];
  const perMonth = requestsPerMonth === undefined ? [] : [requestsPerMonth];
  const described = plans === undefined ? [] : [JSON.stringify(plans)];
  return [plan, requestsPerMinute ?? '', burst ?? '', ...perMonth, ...perDay, ...described].join(' ');
}

/**
 * At a start: when the breaker opened for a spent window under another setting, the window may be larger now, so its probe is
 * due.
 */
export function underSetting(state: LimiterState, setting: PlanSetting): LimiterState {
  const { breaker, openedUnder } = state;
  if (!spentWindow(breaker.reason) || openedUnder === settingKey(setting)) return state;
  return { ...state, breaker: { ...breaker, untilMs: breaker.sinceMs } };
}
