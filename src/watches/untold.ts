import type { Crossing, Watch } from './watch.ts';

/** A crossing, and the watch that it is of. */
export interface WatchCrossing {
  watch: Watch;
  crossing: Crossing;
}

/** From the first try, less than the few minutes for which Discord knows a nonce. Then a command tells the member. */
const TRIED_FOR_MS = 120_000;

/** The same from every process, and of no other crossing. */
export function nonceOf({ watch, crossing }: WatchCrossing): string {
  return `${watch.id}-${crossing.atMs.toString(36)}`; // at most 25 characters until 2059
}

/** Whether a message is tried no more, as its nonce may be forgotten. */
export function isTriedEnough({ triedAtMs }: Crossing, nowMs: number): boolean {
  return triedAtMs !== undefined && Math.abs(nowMs - triedAtMs) >= TRIED_FOR_MS;
}

/** What is to be told by message. */
export function forMessages(watches: readonly Watch[]): WatchCrossing[] {
  return untoldOf(watches).filter(({ crossing }) => crossing.tellBy === 'message');
}

/**
 * What a command tells, by watch: what no message told, or for as long as one is tried none has left for. What was
 * shown without success is last, so that others go first.
 */
export function forCommands(watches: readonly Watch[], nowMs: number): WatchCrossing[][] {
  const held = untoldOf(watches).filter(({ crossing: { tellBy, triedAtMs, atMs } }) => {
    return tellBy === 'command' || (triedAtMs === undefined && nowMs - atMs >= TRIED_FOR_MS);
  });
  const byWatch = [...Map.groupBy(held, ({ watch }) => watch.id).values()];
  return byWatch.sort((a, b) => Number(isTried(a)) - Number(isTried(b)));
}

function isTried(crossings: readonly WatchCrossing[]): boolean {
  return crossings.at(-1)?.crossing.triedAtMs !== undefined;
}

function untoldOf(watches: readonly Watch[]): WatchCrossing[] {
  return watches.flatMap((watch) => watch.untold.map((crossing) => ({ watch, crossing })));
}
