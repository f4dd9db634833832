import { createHash } from 'node:crypto';
import { z } from 'zod';
import { PLANS } from '../model/plan.ts';
import type { LimiterState } from './limiter-state.ts';
import { keptOfDay } from './quota.ts';

const number = z.number();

/** Earlier names: a breaker that was `open` let requests through, and the setting it opened under was `closedUnder`. */
const Earlier = z.looseObject({
  breaker: z.looseObject({ why: z.enum(['open', 'minute', 'day', 'down', 'key']), probing: z.boolean() }),
});
const REASONS = { open: undefined, minute: 'pause', day: 'day', down: 'outage', key: 'key' } as const;

function renamed(stored: unknown): unknown {
  const { data: earlier } = Earlier.safeParse(stored);
  if (!earlier) return stored;
  const { why, probing } = earlier.breaker;
  const state = why === 'open' ? 'closed' : probing ? 'halfOpen' : 'open';
  return {
    ...earlier,
    breaker: { ...earlier.breaker, state, reason: REASONS[why] },
    openedUnder: earlier.closedUnder,
  };
}

/** What is missing is filled in as for a first start, so that a state of an older version keeps its pace. */
export const StoredLimiterState = z.preprocess(
  renamed,
  z
    .object({
      fullAtMs: number,
      breaker: z.object({
        state: z.enum(['closed', 'open', 'halfOpen']),
        reason: z.enum(['pause', 'day', 'outage', 'key']).optional(),
        sinceMs: number.default(0),
        untilMs: number,
        failures: z.int().nonnegative(),
      }),
      openedUnder: z.string().optional(),
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
    .transform(
      ({ breaker, openedUnder, plan, planAtLimit, learnedBurst, warned, samples = [], ...state }): LimiterState => {
        const { reason, ...rest } = breaker;
        const { lastFailure = 0 } = state;
        const quota = state.lastFailure === undefined ? keptOfDay(state.quota) : state.quota; // an older version numbered none
        return {
          ...state,
          breaker: { ...rest, reason },
          openedUnder,
          lastFailure,
          quota,
          plan,
          planAtLimit,
          learnedBurst,
          warned,
          samples,
        };
      },
    ),
);

/** What a quota belongs to, without giving it away: an address with a key. */
export function accountOf(baseUrl: string, apiKey: string | undefined): string {
  return createHash('sha256')
    .update(`${baseUrl} ${apiKey ?? ''}`)
    .digest('hex');
}
