import { z } from 'zod';
import { orUndefined } from '../model/card.ts';
import type { RequestOutcome } from '../model/errors.ts';
import type { Pace } from '../model/quota.ts';
import { Moment, momentIn } from '../model/store/rows.ts';
import { backOffMs } from '../time.ts';

/** More than any service allows in a minute: a file in which more stands must not cost the memory for so many. */
const Count = z.int().nonnegative().max(100_000);

/**
 * What answers have taught of the service's limiter. The interface states figures ("10 a minute, burst 20") and no
 * algorithm: it may be a bucket, a window of one kind or another, or delay requests rather than refuse them.
 */
export const Learned = z.object({
  /**
   * Steps down a ladder from the plan: each leaves a third of the burst, at least one; from there on each makes the
   * rate slower, by 2 % first, to half of it.
   */
  rung: z.int().nonnegative().max(100),
  /** Requests that the service takes in any minute. While it is set, the bucket does not count. */
  window: orUndefined(Count.min(1)),
  /** Requests that may be under way at once: one more with each prompt answer, half as many after a late one. */
  most: z.number().min(1),
  /** The fastest answer lately. */
  fastest: orUndefined(z.object({ tookMs: z.number(), atMs: Moment })),
  /** When the last late answer came: others that had left before say no more than that. */
  lateAtMs: Moment,
  answeredAtMs: Moment,
  /**
   * The first 429 of which it is not known yet what it means: that depends on those that were under way. `isOfPace`: it
   * or another since has stated no longer wait than a pace asks for.
   */
  refused: orUndefined(z.object({ atMs: Moment, isOfPace: z.boolean() })),
  /** Since when nothing was refused, and nobody had to wait. */
  quietSinceMs: Moment,
  /** Steps back towards the plan since that was in force. */
  stepsBack: z.int().nonnegative(),
  /** How many left in each second of the last minute and were not refused, oldest first. */
  left: z.array(z.tuple([momentIn(1_000), Count])),
});
export type Learned = z.infer<typeof Learned>;

/** Before the first answer: two at once, because the second shows whether the service delays. */
export const FIRST_UNDER_WAY = 2;
export const NOTHING_LEARNED: Learned = {
  rung: 0,
  window: undefined,
  most: FIRST_UNDER_WAY,
  fastest: undefined,
  lateAtMs: 0,
  answeredAtMs: 0,
  refused: undefined,
  quietSinceMs: 0,
  stepsBack: 0,
  left: [],
};

/**
 * What is still known under another plan: nothing of the service's limiter, but what is under way, and what has left.
 */
export function forgotten({ most, left }: Learned): Learned {
  return { ...NOTHING_LEARNED, most, left };
}

const STEP_OF_BURST = 3;
/** Services count to the millisecond, and nginx rounds its rate: at first a little more than the interval is enough. */
const FIRST_SLOWER = 1.02;
const SLOWER = 1.1;
const SLOWEST = 2;

/** The plan's pace, less what answers have shown it to be less. */
export function learnedPace({ rung, window }: Learned, planned: Pace): Pace {
  if (rung === 0) return window === undefined ? planned : { ...planned, window };
  const capacity = Math.max(1, Math.floor(planned.capacity / STEP_OF_BURST ** rung));
  const slower = rung - rungWithoutBurst(planned);
  const factor = slower > 0 ? Math.min(SLOWEST, FIRST_SLOWER * SLOWER ** (slower - 1)) : 1;
  return { intervalMs: planned.intervalMs * factor, capacity, window };
}

function rungWithoutBurst({ capacity }: Pace): number {
  for (let rung = 0; ; rung++) if (capacity < 2 * STEP_OF_BURST ** rung) return rung;
}

/** A request counts for a minute, by a clock that services begin when it arrives. */
export const WINDOW_MS = 60_000;

/**
 * When one more may leave of so many in any minute, so that this many places stay free; `nowMs` or before means now.
 */
export function placeAtMs({ left }: Learned, window: number, keptFree: number): number {
  let atMs = 0;
  let free = window - left.reduce((sum, [, requests]) => sum + requests, 0);
  for (const [second, requests] of left) {
    if (free > keptFree) break;
    free += requests;
    atMs = (second + 1) * 1_000 + WINDOW_MS;
  }
  return atMs;
}

/** A request has left. @param hasWaited for a token or a place, as far as that shows: it has just become free */
export function withLeft(before: Learned, hasWaited: boolean, nowMs: number): Learned {
  const recent = before.left.filter(([second]) => (second + 1) * 1_000 + WINDOW_MS > nowMs);
  const left = countedIn(recent, nowMs, 1);
  return { ...before, left, quietSinceMs: hasWaited ? nowMs : before.quietSinceMs };
}

/** One that left in that second is counted, or no more. */
function countedIn(left: Learned['left'], atMs: number, by: 1 | -1): Learned['left'] {
  const second = Math.floor(atMs / 1_000);
  const [, known] = left.find(([each]) => each === second) ?? [second, 0];
  return [...left.filter(([each]) => each !== second), [second, Math.max(0, known + by)]];
}

/** A request that has ended. */
export interface Ended {
  outcome: RequestOutcome;
  leftAtMs: number;
  /** It left while all others waited. */
  isProbe: boolean;
  /** Others that are still under way. */
  underWay: number;
  /** From 0 up to 1: how much longer waits are. */
  random: number;
  nowMs: number;
  /** By the plan alone. */
  planned: Pace;
}

/** What is known after one more request has ended. A 429 that is about a spent window is not to be told. */
export function learn(known: Learned, ended: Ended): Learned {
  const { outcome, leftAtMs, underWay } = ended;
  const after = endedAs(known, ended);
  const { refused } = after;
  if (!refused) return outcome.kind === 'answered' ? steppedBack(after, ended) : after;
  // Refusals come at once and overtake the answers to requests that left before them.
  return underWay === 0 || leftAtMs > refused.atMs ? judged(after, refused, ended) : after;
}

function endedAs(known: Learned, ended: Ended): Learned {
  const { outcome, leftAtMs, isProbe, nowMs } = ended;
  if (outcome.kind === 'answered') return timed(known, ended);
  if (outcome.kind !== 'rateLimited') return isHeldBack(known, ended) ? { ...known, most: 1 } : known;
  const after = { ...known, left: countedIn(known.left, leftAtMs, -1), quietSinceMs: nowMs };
  // After a pause any service may refuse one more; within a window it shows how that refills.
  if (isProbe && known.window === undefined) return after;
  // Those that left before the first 429 was known are refused together, and say no more than the first.
  const atMs = known.refused?.atMs ?? nowMs;
  const isOfPace = known.refused?.isOfPace || (outcome.statedMs ?? 0) <= LONGEST_OF_PACE_MS;
  return { ...after, refused: { atMs, isOfPace } };
}

/** One that states a longer wait is about more than the pace. */
const LONGEST_OF_PACE_MS = 60_000;

/** What a 429 shows the service to allow. */
function judged(
  known: Learned,
  { atMs, isOfPace }: NonNullable<Learned['refused']>,
  { underWay, planned }: Ended,
): Learned {
  const after = { ...known, refused: undefined, window: undefined };
  const before = learnedPace(known, planned);
  if (before.window !== undefined) return { ...after, rung: rungWithoutBurst(planned) };
  const recent = known.left.filter(([second]) => (second + 1) * 1_000 > atMs - WINDOW_MS);
  const served = recent.reduce((sum, [, requests]) => sum + requests, -underWay);
  const perMinute = Math.round(WINDOW_MS / planned.intervalMs);
  if (before.capacity > 1 && Math.abs(served - perMinute) <= 1)
    return { ...after, window: Math.max(1, Math.min(served, perMinute)) };
  const isSlowest = before.intervalMs >= SLOWEST * planned.intervalMs;
  return isSlowest || !isOfPace ? after : { ...after, rung: known.rung + 1 };
}

/** If all answers take that long by now, this one is the measure. */
const FASTEST_MS = 10 * 60_000;
/** Latency wanders by seconds; a limiter that delays makes a request wait for about the time that a token takes. */
const LEAST_DELAY_MS = 4_000;
const DELAY_OF_INTERVAL = 0.75;

/** Whether one was late by so much. */
function isLate(byMs: number, { planned }: Ended): boolean {
  return byMs > Math.max(LEAST_DELAY_MS, DELAY_OF_INTERVAL * planned.intervalMs);
}

/**
 * Whether a silence means that the service delays requests until they are given up: others were answered meanwhile, or
 * within a token's time before this one left. Otherwise it is an outage.
 */
export function isHeldBack({ answeredAtMs }: Learned, ended: Ended): boolean {
  const { outcome, leftAtMs, nowMs, planned } = ended;
  if (outcome.kind !== 'serviceDown' || answeredAtMs <= leftAtMs - planned.intervalMs) return false;
  return isLate(nowMs - leftAtMs, ended);
}

function timed(known: Learned, ended: Ended): Learned {
  const { leftAtMs, underWay, nowMs, planned } = ended;
  const { most, fastest: before } = known;
  const tookMs = nowMs - leftAtMs;
  const isFaster = !before || nowMs - before.atMs > FASTEST_MS || tookMs <= before.tookMs;
  const fastest = isFaster ? { tookMs, atMs: nowMs } : before;
  const after = { ...known, fastest, answeredAtMs: nowMs };
  if (!isLate(tookMs - fastest.tookMs, ended))
    return underWay + 1 >= most ? { ...after, most: mostAfter(known, 1, planned) } : after;
  return leftAtMs < known.lateAtMs ? after : { ...after, most: Math.max(1, Math.floor(most / 2)), lateAtMs: nowMs };
}

/** How many may be under way after so many prompt answers. */
export function mostAfter({ most }: Learned, answers: number, { capacity }: Pace): number {
  return Math.max(most, Math.min(capacity + 1, most + answers));
}

/**
 * After so long a quiet time the service is given the chance to show that it allows more; after the next step, after
 * twice as long.
 */
const QUIET = { firstMs: 2 * 60_000, longestMs: 15 * 60_000 };
/** A window was seen to be one, so it is doubted only after the longest time. */
const STEPS_OF_WINDOW = 3;

/** One step back towards the plan after a quiet time. If that was too much, it costs one 429. */
function steppedBack(known: Learned, { nowMs }: Ended): Learned {
  const { rung, window, quietSinceMs } = known;
  if (rung === 0 && window === undefined) return known;
  const stepsBack = 1 + (window === undefined ? known.stepsBack : STEPS_OF_WINDOW);
  if (nowMs - quietSinceMs < backOffMs(stepsBack, QUIET)) return known;
  const next = window === undefined ? rung - 1 : rung;
  return { ...known, rung: next, window: undefined, quietSinceMs: nowMs, stepsBack: next === 0 ? 0 : stepsBack };
}
