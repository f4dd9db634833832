import type { QuotaState } from '../model/quota.ts';
import { nextUtcMidnightMs } from '../time/utc-day.ts';

/** What is kept of the day for cards that nobody knows yet: 5 %, and 20 at least. */
const RESERVED_SHARE = 0.05;
const LEAST_RESERVED = 20;

/** Until when nothing that is already known is renewed; `undefined` while enough remains, or nobody knows how much. */
export function reserveUntilMs(quota: QuotaState | undefined, nowMs: number): number | undefined {
  if (quota?.remaining === undefined) return undefined;
  const reserved = Math.max(LEAST_RESERVED, (quota.limit ?? 0) * RESERVED_SHARE);
  if (quota.remaining >= reserved) return undefined;
  return quota.resetsAtMs ?? nextUtcMidnightMs(nowMs);
}
