import { createHash } from 'node:crypto';
import { z } from 'zod';
import { PLANS } from '../model/plan.ts';
import type { LimiterState } from './limiter-state.ts';
import { keptOfDay } from './quota.ts';

const number = z.number();

/** What is missing is filled in as for a first start, so that a state of an older version keeps its pace. */
export const StoredLimiterState = z
  .object({
    fullAtMs: number,
    breaker: z.object({
      why: z.enum(['open', 'minute', 'day', 'down', 'key']),
      sinceMs: number.default(0),
      untilMs: number,
      probing: z.boolean(),
      failures: z.int().nonnegative(),
    }),
    closedUnder: z.string().optional(),
    lastFailure: z.int().nonnegative().optional(),
    quota: z
      .object({
        limit: number.nonnegative().optional(),
        remaining: number.nonnegative().optional(),
        resetsAtMs: number.optional(),
        receivedAtMs: number,
      })
      .transform(({ limit, remaining, resetsAtMs, receivedAtMs }) => ({ limit, remaining, resetsAtMs, receivedAtMs }))
      .optional(),
    plan: z.enum(PLANS).optional(),
    // An older version kept none: then the headers win, unless they say no limit.
    planAtLimit: number.optional(),
    learnedBurst: z.object({ capacity: number.min(1), untilMs: number }).optional(),
    warned: z.object({ share: number, windowEndsMs: number }).optional(),
    samples: z.array(z.object({ atMs: number, remaining: number })).optional(),
  })
  .transform(({ closedUnder, plan, planAtLimit, learnedBurst, warned, samples = [], ...state }): LimiterState => {
    const { lastFailure = 0 } = state;
    const quota = state.lastFailure === undefined ? keptOfDay(state.quota) : state.quota; // an older version numbered none
    return { ...state, closedUnder, lastFailure, quota, plan, planAtLimit, learnedBurst, warned, samples };
  });

/** What a quota belongs to, without giving it away: an address with a key. */
export function accountOf(baseUrl: string, apiKey: string | undefined): string {
  return createHash('sha256')
    .update(`${baseUrl} ${apiKey ?? ''}`)
    .digest('hex');
}
