/** What the rate-limit headers of one response said; an absent or nonsensical header is `undefined`. */
export interface QuotaReading {
  limit: number | undefined;
  remaining: number | undefined;
  /** Time left until the reset by the service's own clock (its `Date` header); negative when the reset is past. */
  resetInMs: number | undefined;
  /** When the request left and when its answer arrived, on our clock. */
  sentAtMs: number;
  receivedAtMs: number;
}

/** What we believe of the day's requests; all times on our clock. */
export interface QuotaState {
  limit: number | undefined;
  remaining: number | undefined;
  resetsAtMs: number | undefined;
  /** When the last answer that was believed arrived. */
  receivedAtMs: number;
}

/** The share of the day's requests that is spent, 0 to 1; `undefined` while limit or remaining is unknown. */
export function spentShare(quota: QuotaState | undefined): number | undefined {
  if (quota?.limit === undefined || quota.remaining === undefined) return undefined;
  return Math.min(1, Math.max(0, 1 - quota.remaining / quota.limit));
}

/** Shares of the day at which the operator and the members are warned. */
export const WARNING_SHARES = [0.8, 0.95, 1] as const;

/** What somebody, or everybody, cost on one UTC day, and what they did not. */
export interface Bookings {
  /** Requests that were answered, or are under way. */
  requests: number;
  /** Requests that were refused with 429, or whose connection was never made. */
  refused: number;
  /** Answers that needed no request of their own: from the cache, or joined to somebody else's question. */
  saved: number;
}
