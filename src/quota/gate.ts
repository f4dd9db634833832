import type { QuotaState } from '../quota-state.ts';
import { pauseMs, withJitter } from './backoff.ts';
import { currentQuota } from './quota.ts';

/**
 * Whether requests may leave at all. `minute` is a pause that the service stated, however long, and that waiting questions
 * sit out while it is no longer than anyone should wait; `day`, `down` and `key` close for long enough that all who wait
 * are answered at once. Every closing ends in exactly one probe.
 */
export interface Gate {
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

export const OPEN_GATE: Gate = { why: 'open', sinceMs: 0, untilMs: 0, probing: false, failures: 0 };

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
const FIRST_BREAK_MS = 5_000;
const LONGEST_BREAK_MS = 60_000;
const KEY_PAUSE_MS = 60_000;
/** With nothing remaining and a reset in the past: one probe a minute, backing off to half an hour. */
const SPENT_PROBE_MS = 60_000;
const LONGEST_SPENT_PROBE_MS = 30 * 60_000;

/**
 * The gate after one request. With the gate closed, only the probe is news: anything else left before it closed, and
 * neither opens it nor counts as one more failure; a 429 or a stated outage among those can still lengthen the wait.
 */
export function afterRequest(gate: Gate, outcome: RequestOutcome, probe: boolean, now: Circumstances): Gate {
  const straggler = gate.why !== 'open' && !probe;
  if (outcome.kind === 'rate limited') return afterRateLimit(gate, outcome, straggler, now);
  const nothingRemains = currentQuota(now.quota, now.nowMs)?.remaining === 0;
  const failed = outcome.kind === 'down' || outcome.kind === 'key refused';
  if (gate.why === 'day' && nothingRemains && probe && failed) return stillSpent(gate, now);
  if (statesOutage(outcome)) return afterStatedOutage(gate, outcome.statedMs, straggler, now);
  if (straggler) return gate;

  switch (outcome.kind) {
    case 'answered':
      return nothingRemains ? spent(gate, 0, failuresInARow(gate, 'day'), now) : OPEN_GATE;
    case 'down':
      return afterDown(gate, now);
    case 'key refused':
      return closed('key', now.nowMs, now.nowMs + KEY_PAUSE_MS, failuresInARow(gate, 'key'));
    case 'abandoned':
      return { ...gate, probing: false };
  }
}

function afterRateLimit(
  gate: Gate,
  { statedMs }: Extract<RequestOutcome, { kind: 'rate limited' }>,
  straggler: boolean,
  now: Circumstances,
): Gate {
  const failures = straggler ? gate.failures : failuresInARow(gate, 'minute', 'day');
  const waitMs = withJitter(pauseMs(statedMs, failures), now.random);
  if (isDaySpent(gate, statedMs, straggler, now)) return spent(gate, waitMs, failures, now);
  if (straggler) return { ...gate, untilMs: Math.max(gate.untilMs, now.nowMs + waitMs) };
  return closed('minute', now.nowMs, now.nowMs + waitMs, failures);
}

/**
 * Nothing remains, and not just for a wait that can be sat out: a plan's last request and the limit of its minute may
 * come together, and a service need not say which of the two it means.
 */
function isDaySpent(
  gate: Gate,
  statedMs: number | undefined,
  straggler: boolean,
  { quota, longestWaitMs }: Circumstances,
): boolean {
  if (quota?.remaining !== 0) return false;
  const refusedAgain = gate.why === 'day' || (gate.why === 'minute' && !straggler);
  return refusedAgain || statedMs === undefined || statedMs > longestWaitMs;
}

function spent(gate: Gate, waitMs: number, failures: number, { quota, nowMs }: Circumstances): Gate {
  const resetsAtMs = quota?.resetsAtMs ?? 0;
  const probeMs = Math.min(SPENT_PROBE_MS * 2 ** (Math.max(1, failures) - 1), LONGEST_SPENT_PROBE_MS);
  const leastMs = resetsAtMs > nowMs ? waitMs : Math.max(waitMs, probeMs);
  const knownMs = gate.why === 'day' ? gate.untilMs : 0;
  return closed('day', nowMs, Math.max(knownMs, resetsAtMs, nowMs + leastMs), failures);
}

/** A probe before the reset that came to nothing says no more of the day than was known. */
function stillSpent(gate: Gate, { nowMs }: Circumstances): Gate {
  return { ...gate, probing: false, untilMs: Math.max(gate.untilMs, nowMs + SPENT_PROBE_MS) };
}

function afterDown(gate: Gate, { nowMs, random }: Circumstances): Gate {
  // What closed the gate is over; the probe's failure is the first of its kind.
  const failures = gate.why === 'open' || gate.why === 'down' ? gate.failures + 1 : 1;
  if (failures < FAILURES_TO_BREAK) return { ...OPEN_GATE, failures };

  const breakMs = Math.min(FIRST_BREAK_MS * 2 ** (failures - FAILURES_TO_BREAK), LONGEST_BREAK_MS);
  return closed('down', nowMs, nowMs + withJitter(breakMs, random), failures);
}

/** One answer is enough when the service itself says that it is gone for long; what is shorter concerns one card. */
export function statesOutage(outcome: RequestOutcome): outcome is { kind: 'down'; statedMs: number } {
  return outcome.kind === 'down' && (outcome.statedMs ?? 0) > LONGEST_BREAK_MS;
}

function afterStatedOutage(gate: Gate, statedMs: number, straggler: boolean, { nowMs, random }: Circumstances): Gate {
  const untilMs = nowMs + withJitter(statedMs, random);
  if (straggler) return { ...gate, untilMs: Math.max(gate.untilMs, untilMs) };
  return closed('down', nowMs, untilMs, Math.max(FAILURES_TO_BREAK, failuresInARow(gate, 'open', 'down')));
}

function failuresInARow(gate: Gate, ...kinds: Gate['why'][]): number {
  return kinds.includes(gate.why) ? gate.failures + 1 : 1;
}

function closed(why: Gate['why'], nowMs: number, untilMs: number, failures: number): Gate {
  return { why, sinceMs: nowMs, untilMs, probing: false, failures };
}
