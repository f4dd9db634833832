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
