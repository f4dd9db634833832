import { z } from 'zod';
import type { Logger } from '../log.ts';
import { DAY_MS, nextUtcMidnightMs, type QuotaState, spentShare, WARNING_SHARES } from '../model/quota.ts';
import { SAME_WINDOW_MS } from './quota.ts';

/** What remained of the day at one moment. Includes what others spent with the same key. */
export const RemainingSample = z.object({ atMs: z.number(), remaining: z.number() });
export type RemainingSample = z.infer<typeof RemainingSample>;

const SAMPLE_EVERY_MS = 5 * 60_000;
const KEEP_MS = 60 * 60_000;

/** Samples of the last hour. A `remaining` that went up means a new window or a larger plan, and starts them anew. */
export function addSample(samples: RemainingSample[], quota: QuotaState, nowMs: number): RemainingSample[] {
  const { remaining } = quota;
  if (remaining === undefined) return samples;
  const last = samples.at(-1);
  if (last !== undefined && remaining > last.remaining) return [{ atMs: nowMs, remaining }];
  if (last !== undefined && nowMs - last.atMs < SAMPLE_EVERY_MS) return samples;
  return [...samples.filter(({ atMs }) => nowMs - atMs <= KEEP_MS), { atMs: nowMs, remaining }];
}

/**
 * When nothing will remain at the rate of the last hour or, before there are samples of five minutes, at that of the
 * window so far, once it is as old.
 *
 * @returns `undefined` when enough remains until the reset, or too little is known
 */
export function runsOutAtMs(
  samples: readonly RemainingSample[],
  quota: QuotaState | undefined,
  nowMs: number,
): number | undefined {
  const { limit, remaining, resetsAtMs } = quota ?? {};
  if (remaining === undefined || remaining <= 0 || resetsAtMs === undefined) return undefined;

  const recent = samples.find(({ atMs }) => nowMs - atMs <= KEEP_MS);
  const since =
    recent !== undefined && nowMs - recent.atMs >= SAMPLE_EVERY_MS
      ? recent
      : limit !== undefined && { atMs: resetsAtMs - DAY_MS, remaining: limit };
  if (!since || nowMs - since.atMs < SAMPLE_EVERY_MS) return undefined; // a burst is no rate

  const perMs = (since.remaining - remaining) / (nowMs - since.atMs);
  const atMs = perMs > 0 ? nowMs + remaining / perMs : Number.POSITIVE_INFINITY;
  return atMs < resetsAtMs ? atMs : undefined;
}

/** A warning that a share of the day is spent, and the end of the window that it is about. */
export const QuotaWarning = z.object({ share: z.number(), windowEndsMs: z.number() });
export type QuotaWarning = z.infer<typeof QuotaWarning>;

/** The last warning after these figures: `given` itself unless a new one is due. */
export function lastWarning(
  given: QuotaWarning | undefined,
  quota: QuotaState,
  nowMs: number,
): QuotaWarning | undefined {
  const spent = spentShare(quota);
  const share = WARNING_SHARES.findLast((threshold) => spent !== undefined && spent >= threshold);
  if (share === undefined) return given;
  const warning = { share, windowEndsMs: quota.resetsAtMs ?? nextUtcMidnightMs(nowMs) };
  return isNewWarning(warning, given) ? warning : given;
}

/** The one rule for what operators are warned of: a larger share than in the last warning, or another window. */
export function isNewWarning(warning: QuotaWarning, given: QuotaWarning | undefined): boolean {
  const isSameWindow = given && Math.abs(given.windowEndsMs - warning.windowEndsMs) <= SAME_WINDOW_MS;
  return !isSameWindow || warning.share > given.share;
}

/** What operators are warned of in the log. */
export class QuotaWarnings {
  readonly #log: Logger;
  #hasWarnedOfLimit = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** To be called with every change; logs one line for each new warning. */
  lowQuota(before: QuotaWarning | undefined, after: QuotaWarning | undefined, quota: QuotaState | undefined): void {
    if (!after || !isNewWarning(after, before)) return;
    const { limit, remaining } = quota ?? {};
    this.#log.warn({ share: after.share, limit, remaining }, "the day's requests run low");
  }

  /** Logs once how to configure a daily limit from which `CARD_SERVICE_PLAN=auto` cannot tell the plan. */
  unknownLimit(limit: number | undefined): void {
    if (limit === undefined || this.#hasWarnedOfLimit) return;
    this.#hasWarnedOfLimit = true;
    this.#log.warn(
      { limit },
      'the daily limit matches no known plan, so requests are sent at the rate of the Free plan: set CARD_SERVICE_PLAN, or CARD_SERVICE_REQUESTS_PER_MINUTE and CARD_SERVICE_BURST',
    );
  }
}
