import { nextUtcMidnightMs } from '../../src/time/utc-day.ts';

/** The day's reset is far away: it neither happens during a test nor is near enough to wait for. */
export const LONG_DAY = { nextResetMs: (nowMs: number) => nextUtcMidnightMs(nowMs + 3_600_000) };
