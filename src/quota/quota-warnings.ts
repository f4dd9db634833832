import { type QuotaState, spentShare, WARNING_SHARES } from '../model/quota.ts';
import { nextUtcMidnightMs } from '../time/utc-day.ts';
import { SAME_WINDOW_MS } from './quota.ts';

/** The last warning that was given, and the window that it was about. */
export interface Warned {
  share: number;
  windowEndsMs: number;
}

/** The warning that is due after what was just heard; the same object as before when there is no new one. */
export function warnedAfter(warned: Warned | undefined, quota: QuotaState, nowMs: number): Warned | undefined {
  const spent = spentShare(quota);
  const share = WARNING_SHARES.findLast((threshold) => spent !== undefined && spent >= threshold);
  if (share === undefined) return warned;

  const windowEndsMs = quota.resetsAtMs ?? nextUtcMidnightMs(nowMs);
  const sameWindow = warned !== undefined && Math.abs(warned.windowEndsMs - windowEndsMs) <= SAME_WINDOW_MS;
  return sameWindow && warned.share >= share ? warned : { share, windowEndsMs };
}

export function isSameWarning(a: Warned | undefined, b: Warned | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.share === b.share && Math.abs(a.windowEndsMs - b.windowEndsMs) <= SAME_WINDOW_MS;
}
