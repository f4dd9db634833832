import type { Gap } from './bots.ts';
import type { Outage, Partition } from './chaos-redis.ts';

/** What disrupted a command. */
export interface Disruptions {
  /** Restarts of the process of its shard. */
  ends: readonly Gap[];
  /** Restarts of all processes: a reply that was taken over can be lost again. */
  allEnds: readonly Gap[];
  outages: readonly Outage[];
  /** Of any process: a reply that was taken over can be completed by any. */
  partitions: readonly Partition[];
}

/** A process notices within 2 s that Redis is available again. */
export const NOTICE_MS = 2_000;
/** By then its deferred replies are in Redis again: it writes them with the next heartbeat, a second later. */
const REWRITE_MS = 4_000;
/** A dead process is detected after 5 s, by checks every few seconds. */
const TAKEOVER_MS = 15_000;
/** For the answer to the edit, and the removal of the deferred reply from Redis. */
const REMOVE_MS = 300;
/** For an edit whose answer is lost: the next try is rate limited for up to 2 s, and a stop waits 1.2 s for it. */
const REPEAT_MS = 2_000;

/** Whether a reply that was deferred between `typedAtMs` and `deferredAtMs` may have been lost with its process and Redis. */
export function lostWithRedis(
  typedAtMs: number,
  deferredAtMs: number,
  { ends, allEnds, outages }: Disruptions,
): boolean {
  if (!ends.some(({ endedAtMs }) => endedAtMs >= typedAtMs)) return false; // its process has it in memory
  const endsMs = allEnds.map(({ endedAtMs }) => endedAtMs).filter((atMs) => atMs >= typedAtMs);
  return joined(outages).some(({ fromMs, toMs, emptied }) => {
    const unwritten = toMs + NOTICE_MS > typedAtMs && (emptied || fromMs < deferredAtMs);
    return endsMs.some((endMs) => {
      if (unwritten && fromMs < endMs && endMs < toMs + REWRITE_MS) return true;
      return emptied && endMs <= fromMs && fromMs < endMs + TAKEOVER_MS;
    });
  });
}

/** Whether a process may have ended before it could record in Redis that a reply was completed. */
export function endedUnrecorded(completedAtMs: number, { allEnds, outages }: Disruptions): boolean {
  const endsMs = allEnds.map(({ endedAtMs }) => endedAtMs).filter((atMs) => atMs >= completedAtMs);
  const unavailable = joined(outages).filter(
    (outage) => outage.fromMs < completedAtMs + REMOVE_MS && outage.toMs > completedAtMs,
  );
  return endsMs.some(
    (endMs) => endMs < completedAtMs + REMOVE_MS || unavailable.some(({ toMs }) => endMs < toMs + REWRITE_MS),
  );
}

/** Whether a process may have ended while it repeated the edit that completed a reply, because its answer was lost. */
export function endedInRepeat(completedAtMs: number, { allEnds }: Disruptions): boolean {
  return allEnds.some(({ endedAtMs }) => endedAtMs >= completedAtMs && endedAtMs < completedAtMs + REPEAT_MS);
}

/** Whether the process that completed a reply may have been cut off, so that it could not record that in Redis. */
export function cutOffUnrecorded(completedAtMs: number, { partitions }: Disruptions): boolean {
  return partitions.some(({ fromMs, toMs }) => {
    return fromMs < completedAtMs + REMOVE_MS && completedAtMs < toMs + REWRITE_MS;
  });
}

/** Merges outages between which the processes could not write everything again. */
function joined(outages: readonly Outage[]): Outage[] {
  const whole: Outage[] = [];
  for (const outage of [...outages].sort((a, b) => a.fromMs - b.fromMs)) {
    const last = whole.at(-1);
    if (last === undefined || outage.fromMs > last.toMs + REWRITE_MS) whole.push({ ...outage });
    else Object.assign(last, { toMs: outage.toMs, emptied: last.emptied || outage.emptied });
  }
  return whole;
}
