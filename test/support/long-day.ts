import { nextUtcMidnightMs } from '../../src/time/utc-day.ts';

/** Tests of a spent day mean one that does not end while they run, nor so soon that it can be waited for. */
export const LONG_DAY = { nextResetMs: (nowMs: number) => nextUtcMidnightMs(nowMs + 3_600_000) };
