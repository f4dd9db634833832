import type { RequestOutcome } from '../model/errors.ts';
import {
  type Breaker,
  type BreakerReason,
  CLOSED_BREAKER,
  type OpenBreaker,
  spentWindow,
  WINDOWS,
  type WindowQuota,
} from '../model/quota.ts';
import { backOffMs, withJitter } from '../time/back-off.ts';
import { currentQuota, windowEndsMs } from './day-quota.ts';
import { LOOKUP_BACK_OFF } from './failures.ts';

/** What the decision depends on besides the request itself. */
export interface Circumstances {
  /** What is known after the headers of this request of the window that leaves least; the reset may be past. */
  quota: WindowQuota | undefined;
  /** `LONGEST_WAIT_SECONDS`; a pause may be longer. */
  longestWaitMs: number;
  /** When the request left. */
  leftAtMs: number;
  nowMs: number;
  /** From 0 up to 1. */
  random: number;
}

/** One failure may be chance; three in a row, of different cards and with time between them, are an outage. */
const FAILURES_TO_BREAK = 3;
const OUTAGE = { firstMs: 5_000, longestMs: 60_000 };
const REFUSED = { keyRefused: 'key', planRefused: 'plan' } as const;
const REFUSED_PAUSE_MS = 60_000;
/** Where nothing tells when requests are allowed again, asking every few minutes would cost hundreds of refusals a day. */
const LONGEST_BACK_OFF_MS = 60 * 60_000;
/** With nothing remaining and a reset in the past: one probe a minute, backing off. */
const SPENT_PROBE = { firstMs: 60_000, longestMs: LONGEST_BACK_OFF_MS };

/**
 * The breaker after one request. Unless it is closed, only the probe changes it: any other request left before it opened,
 * and neither closes it nor counts as a failure, though its 429 or stated outage can lengthen the wait.
 */
export function afterRequest(breaker: Breaker, outcome: RequestOutcome, probe: boolean, now: Circumstances): Breaker {
  const { kind, isCounted = kind === 'answered' } = outcome;
  const straggler = breaker.state !== 'closed' && !probe;
  if (kind === 'rateLimited') return afterRateLimit(breaker, outcome, straggler, now);
  const nothingRemains = currentQuota(now.quota, now.nowMs)?.remaining === 0;
  const failed = kind !== 'answered' && kind !== 'abandoned';
  if (breaker.state !== 'closed' && spentWindow(breaker.reason) && nothingRemains && probe && failed)
    return stillSpent(breaker, now);
  if (statesOutage(outcome)) return afterDown(breaker, outcome, straggler, now);
  if (straggler) return breaker;
  if (kind === 'keyRefused' || kind === 'planRefused') return afterRefusal(breaker, REFUSED[kind], now.nowMs);
  return nothingRemains && isCounted
    ? spent(breaker, 0, failuresInARow(breaker, ...WINDOWS), now)
    : afterUnrefused(breaker, outcome, now);
}

/** Something may remain, and nothing was refused. */
function afterUnrefused(breaker: Breaker, outcome: RequestOutcome, now: Circumstances): Breaker {
  const { kind } = outcome;
  if (kind === 'serviceDown') return afterDown(breaker, outcome, false, now);
  if (kind === 'answered') return CLOSED_BREAKER;
  return breaker.state === 'halfOpen' ? { ...breaker, state: 'open' } : breaker;
}

function afterRefusal(breaker: Breaker, reason: 'key' | 'plan', nowMs: number): Breaker {
  return opened(breaker, reason, nowMs, nowMs + REFUSED_PAUSE_MS, failuresInARow(breaker, reason));
}

function afterRateLimit(
  breaker: Breaker,
  { statedMs, spentWindow: named }: RequestOutcome,
  straggler: boolean,
  now: Circumstances,
): Breaker {
  const failures = straggler ? breaker.failures : failuresInARow(breaker, 'pause', ...WINDOWS);
  const waitMs = withJitter(pauseMs(statedMs, failures), now.random);
  if (named || isWindowSpent(breaker, statedMs, straggler, now)) return spent(breaker, waitMs, failures, now);
  if (straggler) return { ...breaker, untilMs: Math.max(breaker.untilMs, now.nowMs + waitMs) };
  return opened(breaker, 'pause', now.nowMs, now.nowMs + waitMs, failures);
}

/** A stated wait of nothing still means that this request was one too many. */
const SHORTEST_PAUSE_MS = 250;
const RATE_LIMIT_BACK_OFF = { firstMs: 1_000, longestMs: LONGEST_BACK_OFF_MS };

/**
 * How long no request leaves after the n-th 429 in a row: never less than the service stated; after repeated 429s, or
 * without a stated wait, at least the exponential back-off.
 */
function pauseMs(statedMs: number | undefined, failures: number): number {
  if (statedMs === undefined) return backOffMs(failures, RATE_LIMIT_BACK_OFF);
  return Math.max(statedMs, failures > 1 ? backOffMs(failures, RATE_LIMIT_BACK_OFF) : SHORTEST_PAUSE_MS);
}

/**
 * Nothing remains, and the stated wait cannot be sat out. A short one may be about the minute: a plan's last request and
 * the limit of its minute can come together, and the service need not say which of the two it means.
 */
function isWindowSpent(
  breaker: Breaker,
  statedMs: number | undefined,
  straggler: boolean,
  { quota, longestWaitMs }: Circumstances,
): boolean {
  if (quota?.remaining !== 0) return false;
  const refusedAgain = spentWindow(breaker.reason) !== undefined || (breaker.reason === 'pause' && !straggler);
  return refusedAgain || statedMs === undefined || statedMs > longestWaitMs;
}

function spent(breaker: Breaker, waitMs: number, failures: number, { quota, nowMs }: Circumstances): Breaker {
  const { per = 'day' } = quota ?? {};
  const resetsAtMs = quota ? windowEndsMs(quota) : 0;
  const probeMs = backOffMs(failures, SPENT_PROBE);
  const leastMs = resetsAtMs > nowMs ? waitMs : Math.max(waitMs, probeMs);
  const knownMs = breaker.reason === per ? breaker.untilMs : 0;
  return opened(breaker, per, nowMs, Math.max(knownMs, resetsAtMs, nowMs + leastMs), failures);
}

/** A probe that failed before the reset says nothing new about the window. */
function stillSpent(breaker: OpenBreaker, { nowMs }: Circumstances): Breaker {
  return { ...breaker, state: 'open', untilMs: Math.max(breaker.untilMs, nowMs + SPENT_PROBE.firstMs) };
}

/** One answer is enough when the service states a long outage; a shorter one concerns a single card. */
export function statesOutage({ kind, statedMs = 0 }: RequestOutcome): boolean {
  return kind === 'serviceDown' && statedMs > OUTAGE.longestMs;
}

function afterDown(
  breaker: Breaker,
  outcome: RequestOutcome,
  straggler: boolean,
  { leftAtMs, nowMs, random }: Circumstances,
): Breaker {
  // After another reason than an outage the probe's failure is the first of its kind.
  const inARow = failuresInARow(breaker, undefined, 'outage');
  const isStated = statesOutage(outcome);
  if (inARow < FAILURES_TO_BREAK && !isStated) {
    const untilMs = Math.max(nowMs, leftAtMs + backOffMs(inARow, LOOKUP_BACK_OFF));
    return { ...CLOSED_BREAKER, sinceMs: nowMs, untilMs, failures: inARow };
  }

  const failures = Math.max(FAILURES_TO_BREAK, inARow);
  const breakMs = isStated ? (outcome.statedMs ?? 0) : backOffMs(failures - FAILURES_TO_BREAK + 1, OUTAGE);
  // A first silence has lasted as long already: what waits is told the sooner.
  const fromMs = failures === FAILURES_TO_BREAK && !isStated ? leftAtMs : nowMs;
  const untilMs = Math.max(nowMs, fromMs + withJitter(breakMs, random));
  if (straggler) return { ...breaker, untilMs: Math.max(breaker.untilMs, untilMs) };
  return opened(breaker, 'outage', nowMs, untilMs, failures);
}

/**
 * Whether pending lookups wait until requests flow again: in a pause, after a failure, and when the breaker has first opened
 * for an outage, which may turn out to be a hiccup. Otherwise all are told.
 */
export function isSatOut({ reason, sinceMs, untilMs, failures }: Breaker): boolean {
  if (reason === 'outage') return failures === FAILURES_TO_BREAK && untilMs - sinceMs <= OUTAGE.longestMs;
  return reason === undefined || reason === 'pause';
}

function failuresInARow(breaker: Breaker, ...reasons: Breaker['reason'][]): number {
  return reasons.includes(breaker.reason) ? breaker.failures + 1 : 1;
}

function opened(before: Breaker, reason: BreakerReason, nowMs: number, untilMs: number, failures: number): Breaker {
  const beganMs = before.state !== 'closed' && before.reason === reason ? (before.beganMs ?? before.sinceMs) : nowMs;
  return { state: 'open', reason, sinceMs: nowMs, untilMs, failures, ...(beganMs !== nowMs && { beganMs }) };
}
