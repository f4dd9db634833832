import { nextUtcMidnightMs } from '../time/utc-day.ts';
import type { Pace } from './token-bucket.ts';

/** The plan's burst as it proved to be: half of what was assumed when an unforeseen 429 came. */
export interface LearnedBurst {
  /** Tokens that a full bucket is held to. */
  capacity: number;
  /** The next day's window starts with the plan's own burst again. */
  untilMs: number;
}

/** Half of what was assumed until now, one at least. */
export function learnBurst(
  planned: Pace,
  known: LearnedBurst | undefined,
  resetsAtMs: number | undefined,
  nowMs: number,
): LearnedBurst {
  const { capacity } = learntPace(planned, known, nowMs);
  const untilMs = resetsAtMs !== undefined && resetsAtMs > nowMs ? resetsAtMs : nextUtcMidnightMs(nowMs);
  return { capacity: Math.max(1, Math.floor(capacity / 2)), untilMs };
}

export function learntPace(planned: Pace, known: LearnedBurst | undefined, nowMs: number): Pace {
  if (known === undefined || known.untilMs <= nowMs) return planned;
  return { ...planned, capacity: Math.min(planned.capacity, known.capacity) };
}
