import type { QuotaState } from '../model/quota.ts';
import { DAY_MS } from '../time/utc-day.ts';

/** What remained of the day at one moment: others who spend the same key show in it, too. */
export interface RemainingSample {
  atMs: number;
  remaining: number;
}

const SAMPLE_EVERY_MS = 5 * 60_000;
const KEEP_MS = 60 * 60_000;

/** Samples of the last hour; a `remaining` that went up is a new window, or a larger plan, and starts them anew. */
export function addSample(
  samples: readonly RemainingSample[],
  quota: QuotaState,
  nowMs: number,
): readonly RemainingSample[] {
  const { remaining } = quota;
  if (remaining === undefined) return samples;
  const last = samples.at(-1);
  if (last !== undefined && remaining > last.remaining) return [{ atMs: nowMs, remaining }];
  if (last !== undefined && nowMs - last.atMs < SAMPLE_EVERY_MS) return samples;
  return [...samples.filter(({ atMs }) => nowMs - atMs <= KEEP_MS), { atMs: nowMs, remaining }];
}

/**
 * When nothing will remain at the present rate: that of the last hour or, before there are samples of five minutes,
 * that of the window so far, once it is as old.
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
