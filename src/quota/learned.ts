import { z } from 'zod';
import { orUndefined } from '../model/card.ts';
import type { RequestOutcome } from '../model/errors.ts';
import type { Pace } from '../model/plan.ts';
import { Moment, momentIn } from '../model/stored-json.ts';

/** A request that has ended. */
export interface EndedRequest {
  leftAtMs: number;
  nowMs: number;
  outcome: RequestOutcome;
  /** Others that are still under way. */
  underWay: number;
  /** By the plan alone. */
  planned: Pace;
  /** Whether a 429 is about the pace: not when nothing remains of the day. */
  isOfPace: boolean;
  /** It left while all others waited. */
  isProbe: boolean;
}

/** Few entries for a plan of hundreds a minute, and little of the window lost by rounding. */
export const SLICE_MS = 250;
/** More than any service allows in a minute: a file in which more stands must not cost the memory for so many. */
const Count = z.int().nonnegative().max(100_000);
/** Requests that ended in one slice of time: its number since 1970, how many were served, how many refused with 429. */
const Ended = z.tuple([momentIn(SLICE_MS), Count, Count]);

/** What 429s have shown the service to allow; `undefined` = what the plan says. */
const Allowed = {
  /** Requests that the service takes in any 60 s, at once or not. While it is set, the bucket does not count. */
  window: orUndefined(Count.min(1)),
  /**
   * How its places become free again: all at once a minute later, or one by one because the service lets what it counted
   * fade away. `untried` until one of the two has been seen.
   */
  refill: z.enum(['untried', 'atOnce', 'evenly']).default('untried'),
  /** Tokens that a full bucket holds at most. */
  capacity: orUndefined(z.number().min(1)),
};

/**
 * What answers have taught of the service's limiter. The interface states figures ("10 a minute, burst 20") and no
 * algorithm: it may be a bucket, a window of one kind or another, or delay requests rather than refuse them.
 */
export const Learned = z.object({
  ...Allowed,
  /** Requests that may be under way at once; not whole while it grows slowly. */
  inFlight: z.number().min(1),
  /** It grows by one with each prompt answer (slow start); after a late one by one in each round (congestion avoidance). */
  isStarting: z.boolean(),
  /** The fastest answer lately. */
  fastest: orUndefined(z.object({ tookMs: z.number(), atMs: Moment })),
  /** After a late answer, until a prompt one to a request that left later: how many may be under way meanwhile. */
  late: orUndefined(z.object({ knownAtMs: Moment, mostUnderWay: z.number().min(1) })),
  /** Until when the service works through requests that were given up, as far as it delayed these. */
  heldUntilMs: Moment.default(0),
  servedAtMs: Moment,
  /** How often the interval has grown (`SLOWER_BY`), and since when no 429 has asked for that. */
  slower: orUndefined(z.object({ steps: z.int().positive().max(100), sinceMs: Moment })),
  /** Since when nothing was refused, and nothing held back by what was learned. */
  quietSinceMs: Moment,
  /** Steps back towards the plan since less was learned. */
  steps: z.int().nonnegative().default(0),
  /**
   * The last 429: how many were served in the minute before it, and what was known then. Open while others are under way
   * that had left before it was known.
   */
  refusal: orUndefined(
    z.object({ knownAtMs: Moment, served: z.number(), isSteady: z.boolean(), isOfBurst: z.boolean(), ...Allowed }),
  ),
  /** What ended within the last `ENDED_KEPT_MS`, oldest first. */
  ended: z.array(Ended),
  /** The plan's pace under which all this was learned. */
  pace: z.string(),
});
export type Learned = z.infer<typeof Learned>;
export type Allowed = Pick<Learned, keyof typeof Allowed>;
export type Refusal = NonNullable<Learned['refusal']>;

/** Before the first answer: two at once, because the second shows whether the service delays. */
export const NOTHING_LEARNED: Learned = {
  window: undefined,
  refill: 'untried',
  capacity: undefined,
  inFlight: 2,
  isStarting: true,
  fastest: undefined,
  late: undefined,
  heldUntilMs: 0,
  servedAtMs: 0,
  slower: undefined,
  quietSinceMs: 0,
  steps: 0,
  refusal: undefined,
  ended: [],
  pace: '',
};

/** What is known of the limiter under a plan: nothing of what was learned under another. */
export function learnedUnder(learned: Learned, planned: Pace): Learned {
  const pace = paceKey(planned);
  if (learned.pace === pace || planned.window === undefined) return learned;
  return learned.window === undefined ? { ...learned, window: planned.window, refill: 'atOnce' } : learned;
}

/** What was learned under another pace says nothing of this one. */
export function paceKey({ intervalMs, capacity }: Pace): string {
  return `${intervalMs} ${capacity}`;
}

/** The time that services count by. */
export const WINDOW_MS = 60_000;
/** Within this time a window that refills at once is used up twice, even if answers take some seconds. */
export const ENDED_KEPT_MS = 75_000;

/** When each request of the window may leave, in order; empty while no window is known, or one that refills evenly. */
export function windowSlotsMs(
  { window, refill, ended }: Pick<Learned, 'window' | 'refill' | 'ended'>,
  underWay: number,
  nowMs: number,
): number[] {
  if (window === undefined || refill === 'evenly') return [];
  // No place is taken for longer than that: slices are rounded up, and another process's clock may be ahead.
  const lastMs = nowMs + WINDOW_MS;
  const isFreeAgain = (slice: number) => Math.min((slice + 1) * SLICE_MS + WINDOW_MS, lastMs);
  // Counted from its end a request has certainly been counted by the service; some count refused ones, too.
  const counted = ended.flatMap(([slice, served, refused]) => Array(served + refused).fill(isFreeAgain(slice)));
  const taken = [...counted, ...Array(underWay).fill(lastMs)].filter((atMs) => atMs > nowMs);
  const lastTaken = taken.sort((a, b) => a - b).slice(-window);
  return [...Array(window - lastTaken.length).fill(nowMs), ...lastTaken];
}

/** A request that was answered longer ago belongs to an earlier refill. */
const REFILL_MS = 10_000;

/**
 * Requests that may be under way while it is not known how the window refills: one, and three more for each that was just
 * answered. If the window turns out to refill evenly, few requests are refused.
 */
export function mostOfRefill(learned: Learned, nowMs: number): number {
  if (learned.window === undefined || learned.refill !== 'untried') return Number.POSITIVE_INFINITY;
  return 1 + 3 * servedSince(learned, nowMs - REFILL_MS);
}

export function servedSince({ ended }: Learned, atMs: number): number {
  return ended.reduce((sum, [slice, served]) => sum + ((slice + 1) * SLICE_MS > atMs ? served : 0), 0);
}

/** The time between two requests where a window refills evenly; `undefined` elsewhere. */
export function spacingMs({ window, refill }: Pick<Learned, 'window' | 'refill'>): number | undefined {
  return window !== undefined && refill === 'evenly' ? WINDOW_MS / window : undefined;
}

/**
 * How long refused requests leave no room in a window that refills evenly, because many services count them: their share of
 * a minute, and the time of one request. 0 elsewhere.
 */
export function refusedWeighMs(learned: Learned, nowMs: number): number {
  const evenlyMs = spacingMs(learned);
  if (evenlyMs === undefined) return 0;
  // A recent answer shows that there was room again in spite of the refusals before it.
  const sinceMs = servedSince(learned, nowMs - REFILL_MS) > 0 ? nowMs - REFILL_MS : 0;
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  const refused = sum(learned.ended.map(([slice, , ofSlice]) => ((slice + 1) * SLICE_MS > sinceMs ? ofSlice : 0)));
  const counted = sum(learned.ended.map(([, served, ofSlice]) => served + ofSlice));
  return evenlyMs + (WINDOW_MS * refused) / Math.max(learned.window ?? 1, counted);
}

/** What one of several processes goes by that cannot coordinate. */
export function sharedOut(
  learned: Learned,
  processes: number,
): Pick<Learned, 'inFlight' | 'window' | 'refill' | 'ended'> {
  const share = (limit: number) => Math.max(1, Math.floor(limit / processes));
  const { inFlight, late, window, refill, ended } = learned;
  return {
    inFlight: share(Math.min(inFlight, late?.mostUnderWay ?? inFlight)),
    window: window && share(window),
    refill,
    ended,
  };
}
