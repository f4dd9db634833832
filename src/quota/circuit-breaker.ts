import type { QuotaState } from '../model/quota.ts';
import { backOffMs, withJitter } from '../time/back-off.ts';
import { currentQuota } from './quota.ts';
import { pauseMs } from './rate-limit-pause.ts';

/**
 * Whether requests may leave at all. `minute` is a pause that the service stated, however long, and that waiting questions
 * sit out while it is no longer than anyone should wait; `day`, `down` and `key` close for long enough that all who wait
 * are answered at once. Every closing ends in exactly one probe.
 */
export interface Breaker {
  why: 'open' | 'minute' | 'day' | 'down' | 'key';
  /** When it came to be so. */
  sinceMs: number;
  /** When the probe may leave. */
  untilMs: number;
  /** The probe is under way. */
  probing: boolean;
  /** Failures in a row of the present kind. */
  failures: number;
}

export const CLOSED_BREAKER: Breaker = { why: 'open', sinceMs: 0, untilMs: 0, probing: false, failures: 0 };

/** How one request ended, as far as the gate cares. */
export type RequestOutcome =
  | { kind: 'answered' }
  | { kind: 'rate limited'; statedMs: number | undefined }
  | { kind: 'down'; statedMs?: number | undefined }
  | { kind: 'key refused' }
  /** The caller gave up: no news of the service. */
  | { kind: 'abandoned' };

/** What the decision depends on besides the request itself. */
export interface Circumstances {
  /** As the headers of this request left it; its reset may be past. */
  quota: QuotaState | undefined;
  /** What anybody waits for at most; a pause may be longer. */
  longestWaitMs: number;
  nowMs: number;
  /** From 0 up to 1. */
  random: number;
}

/** One failure may be chance, three in a row are an outage. */
const FAILURES_TO_BREAK = 3;
const OUTAGE = { firstMs: 5_000, longestMs: 60_000 };
const KEY_PAUSE_MS = 60_000;
/** With nothing remaining and a reset in the past: one probe a minute, backing off to half an hour. */
const SPENT_PROBE = { firstMs: 60_000, longestMs: 30 * 60_000 };

/**
 * The gate after one request. With the gate closed, only the probe is news: anything else left before it closed, and
 * neither opens it nor counts as one more failure; a 429 or a stated outage among those can still lengthen the wait.
 */
export function afterRequest(breaker: Breaker, outcome: RequestOutcome, probe: boolean, now: Circumstances): Breaker {
  const straggler = breaker.why !== 'open' && !probe;
  if (outcome.kind === 'rate limited') return afterRateLimit(breaker, outcome, straggler, now);
  const nothingRemains = currentQuota(now.quota, now.nowMs)?.remaining === 0;
  const failed = outcome.kind === 'down' || outcome.kind === 'key refused';
  if (breaker.why === 'day' && nothingRemains && probe && failed) return stillSpent(breaker, now);
  if (statesOutage(outcome)) return afterStatedOutage(breaker, outcome.statedMs, straggler, now);
  if (straggler) return breaker;

  switch (outcome.kind) {
    case 'answered':
      return nothingRemains ? spent(breaker, 0, failuresInARow(breaker, 'day'), now) : CLOSED_BREAKER;
    case 'down':
      return afterDown(breaker, now);
    case 'key refused':
      return closed('key', now.nowMs, now.nowMs + KEY_PAUSE_MS, failuresInARow(breaker, 'key'));
    case 'abandoned':
      return { ...breaker, probing: false };
  }
}

function afterRateLimit(
  breaker: Breaker,
  { statedMs }: Extract<RequestOutcome, { kind: 'rate limited' }>,
  straggler: boolean,
  now: Circumstances,
): Breaker {
  const failures = straggler ? breaker.failures : failuresInARow(breaker, 'minute', 'day');
  const waitMs = withJitter(pauseMs(statedMs, failures), now.random);
  if (isDaySpent(breaker, statedMs, straggler, now)) return spent(breaker, waitMs, failures, now);
  if (straggler) return { ...breaker, untilMs: Math.max(breaker.untilMs, now.nowMs + waitMs) };
  return closed('minute', now.nowMs, now.nowMs + waitMs, failures);
}

/**
 * Nothing remains, and not just for a wait that can be sat out: a plan's last request and the limit of its minute may
 * come together, and a service need not say which of the two it means.
 */
function isDaySpent(
  breaker: Breaker,
  statedMs: number | undefined,
  straggler: boolean,
  { quota, longestWaitMs }: Circumstances,
): boolean {
  if (quota?.remaining !== 0) return false;
  const refusedAgain = breaker.why === 'day' || (breaker.why === 'minute' && !straggler);
  return refusedAgain || statedMs === undefined || statedMs > longestWaitMs;
}

function spent(breaker: Breaker, waitMs: number, failures: number, { quota, nowMs }: Circumstances): Breaker {
  const resetsAtMs = quota?.resetsAtMs ?? 0;
  const probeMs = backOffMs(failures, SPENT_PROBE);
  const leastMs = resetsAtMs > nowMs ? waitMs : Math.max(waitMs, probeMs);
  const knownMs = breaker.why === 'day' ? breaker.untilMs : 0;
  return closed('day', nowMs, Math.max(knownMs, resetsAtMs, nowMs + leastMs), failures);
}

/** A probe before the reset that came to nothing says no more of the day than was known. */
function stillSpent(breaker: Breaker, { nowMs }: Circumstances): Breaker {
  return { ...breaker, probing: false, untilMs: Math.max(breaker.untilMs, nowMs + SPENT_PROBE.firstMs) };
}

function afterDown(breaker: Breaker, { nowMs, random }: Circumstances): Breaker {
  // What closed the gate is over; the probe's failure is the first of its kind.
  const failures = breaker.why === 'open' || breaker.why === 'down' ? breaker.failures + 1 : 1;
  if (failures < FAILURES_TO_BREAK) return { ...CLOSED_BREAKER, failures };

  const breakMs = backOffMs(failures - FAILURES_TO_BREAK + 1, OUTAGE);
  return closed('down', nowMs, nowMs + withJitter(breakMs, random), failures);
}

/** One answer is enough when the service itself says that it is gone for long; what is shorter concerns one card. */
export function statesOutage(outcome: RequestOutcome): outcome is { kind: 'down'; statedMs: number } {
  return outcome.kind === 'down' && (outcome.statedMs ?? 0) > OUTAGE.longestMs;
}

function afterStatedOutage(
  breaker: Breaker,
  statedMs: number,
  straggler: boolean,
  { nowMs, random }: Circumstances,
): Breaker {
  const untilMs = nowMs + withJitter(statedMs, random);
  if (straggler) return { ...breaker, untilMs: Math.max(breaker.untilMs, untilMs) };
  return closed('down', nowMs, untilMs, Math.max(FAILURES_TO_BREAK, failuresInARow(breaker, 'open', 'down')));
}

function failuresInARow(breaker: Breaker, ...kinds: Breaker['why'][]): number {
  return kinds.includes(breaker.why) ? breaker.failures + 1 : 1;
}

function closed(why: Breaker['why'], nowMs: number, untilMs: number, failures: number): Breaker {
  return { why, sinceMs: nowMs, untilMs, probing: false, failures };
}
