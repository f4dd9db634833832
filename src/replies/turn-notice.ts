/** A shorter wait needs no words: "thinking…" says enough. */
const WORTH_SHOWING_MS = 3_000;
/** A countdown that is off by less is still right to the eye, and every edit is a request to Discord. */
const WORTH_CORRECTING_MS = 15_000;

/** Whether a waiting member should be told when the turn comes, given what they were told before. */
export function worthTelling(toldAtMs: number | undefined, turnAtMs: number, nowMs: number): boolean {
  if (toldAtMs === undefined) return turnAtMs - nowMs > WORTH_SHOWING_MS;
  return Math.abs(turnAtMs - toldAtMs) > WORTH_CORRECTING_MS;
}
