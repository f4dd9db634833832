export const PLANS = ['free', 'pro', 'business', 'enterprise'] as const;
export type Plan = (typeof PLANS)[number];

/** What a plan allows. */
export interface PlanLimits {
  requestsPerDay: number;
  requestsPerMinute: number;
  /** Requests that may come at once after a quiet time. */
  burst: number;
}

/** The service's table of limits; Enterprise is "custom", so it has no row. */
export const PLAN_LIMITS: Record<Exclude<Plan, 'enterprise'>, PlanLimits> = {
  free: { requestsPerDay: 1_000, requestsPerMinute: 10, burst: 20 },
  pro: { requestsPerDay: 50_000, requestsPerMinute: 100, burst: 200 },
  business: { requestsPerDay: 200_000, requestsPerMinute: 500, burst: 1_000 },
};
