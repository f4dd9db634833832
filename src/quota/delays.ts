import { type EndedRequest, type Learned, SLICE_MS, servedSince } from './learned.ts';

const FASTEST_MS = 10 * 60_000;
/** Latency wanders by seconds; a limiter that delays makes a request wait for about the time that a token takes. */
const LEAST_DELAY_MS = 4_000;
const DELAY_OF_INTERVAL = 0.75;
/** An answer lets the next request leave within this time. */
const WAKE_MS = SLICE_MS;

/** A prompt answer lets one more be under way; from a limiter that delays fewer get a prompt one. */
export function afterLatency(before: Learned, request: EndedRequest): Learned {
  const { outcome, underWay, planned, nowMs, leftAtMs } = request;
  // If all answers take that long by now, this one is the measure.
  const fastest = before.fastest && nowMs - before.fastest.atMs <= FASTEST_MS ? before.fastest : undefined;
  const known = { ...before, fastest };
  const { inFlight, isStarting, late } = known;
  if (isLate(known, request)) return afterLate(known, request);
  if (outcome.kind !== 'answered') return known;
  const tookMs = Math.max(0, nowMs - leftAtMs); // the clock may have been set back meanwhile
  const isInUse = underWay + 1 >= Math.floor(inFlight);
  const more = Math.min(planned.capacity + 1, inFlight + (isStarting ? 1 : 1 / inFlight));
  return {
    ...known,
    inFlight: isInUse ? more : inFlight,
    fastest: fastest && fastest.tookMs < tookMs ? fastest : { tookMs, atMs: nowMs },
    late: late && leftAtMs < late.knownAtMs ? late : undefined,
  };
}

/**
 * One late answer may be chance: fewer are under way until a prompt one, and that is all. A limiter that delays shows itself
 * by another late one in a row, or by a timeout: then fewer at once for longer, and no larger burst.
 */
function afterLate(known: Learned, { outcome, underWay, planned, nowMs, leftAtMs }: EndedRequest): Learned {
  const { inFlight, late, capacity = planned.capacity, heldUntilMs } = known;
  const isTimeout = outcome.kind !== 'answered';
  // Those that left before the first was known are late together, and say no more than that.
  if (!isTimeout && late && leftAtMs < late.knownAtMs) return known;
  const doubted = { ...known, late: { knownAtMs: nowMs, mostUnderWay: Math.max(1, underWay) } };
  if (!isTimeout && !late) return doubted;
  const least = Math.max(1, Math.floor(isTimeout ? inFlight / 2 : inFlight - 1));
  const heldMs = isTimeout ? Math.max(heldUntilMs, nowMs) + planned.intervalMs : heldUntilMs;
  const fewer = { inFlight: least, isStarting: false, capacity: Math.min(capacity, least), quietSinceMs: nowMs };
  return { ...doubted, ...fewer, heldUntilMs: heldMs };
}

/**
 * A timeout counts only if others were answered meanwhile, or just before it left: otherwise it is an outage. One request
 * alone is not delayed by a limiter.
 */
function isLate(known: Learned, { leftAtMs, nowMs, outcome, underWay, planned }: EndedRequest): boolean {
  const { fastest, servedAtMs, heldUntilMs } = known;
  const delayMs = nowMs - leftAtMs - (fastest?.tookMs ?? 0);
  const isAlone = underWay === 0 && servedSince(known, leftAtMs - 2 * planned.intervalMs) <= 1;
  const isOneOfMany = servedAtMs > leftAtMs - WAKE_MS || leftAtMs < heldUntilMs;
  const isMeant = outcome.kind === 'answered' ? fastest !== undefined && !isAlone : isOneOfMany;
  return (
    isMeant &&
    outcome.kind !== 'abandoned' &&
    delayMs > Math.max(LEAST_DELAY_MS, DELAY_OF_INTERVAL * planned.intervalMs)
  );
}
