import { describe, expect, it } from 'vitest';
import type { RequestOutcome } from '../../src/model/errors.ts';
import {
  type Breaker,
  type BreakerReason,
  CLOSED_BREAKER as CLOSED,
  type OpenBreaker,
  type QuotaState,
} from '../../src/model/quota.ts';
import { afterRequest } from '../../src/quota/circuit-breaker.ts';

const NOW_MS = 1_000_000;
const RESET_MS = NOW_MS + 3_600_000;
const LONGEST_MS = 300_000;

const ANSWERED: RequestOutcome = { kind: 'answered' };
const DOWN: RequestOutcome = { kind: 'serviceDown' };
const KEY_REFUSED: RequestOutcome = { kind: 'keyRefused' };
const ABANDONED: RequestOutcome = { kind: 'abandoned' };

function limited(statedMs?: number): RequestOutcome {
  return { kind: 'rateLimited', statedMs };
}

function opened(reason: BreakerReason, afterMs: number, failures = 1): OpenBreaker {
  return { state: 'open', reason, sinceMs: NOW_MS, untilMs: NOW_MS + afterMs, failures };
}

function pause(afterMs: number, failures?: number): OpenBreaker {
  return opened('pause', afterMs, failures);
}

function day(afterMs: number, failures?: number): OpenBreaker {
  return opened('day', afterMs, failures);
}

/** The breaker's time has come and its probe is under way. */
function halfOpen(reason: BreakerReason, failures = 1): OpenBreaker {
  return { state: 'halfOpen', reason, sinceMs: NOW_MS, untilMs: NOW_MS, failures };
}

/** So many requests remain; the reset is in an hour unless given, or unknown. */
function left(remaining: number, resetsAtMs: number | undefined = RESET_MS): QuotaState {
  return { limit: 1_000, remaining, resetsAtMs, receivedAtMs: NOW_MS };
}

const NONE_LEFT = left(0);
/** Nothing remained until the reset. */
const PAST = left(0, NOW_MS - 1);
/** Nothing remains, and no reset is known. */
const NO_RESET: QuotaState = { ...NONE_LEFT, resetsAtMs: undefined };
const UNTIL_MIDNIGHT_MS = 86_400_000 - NOW_MS;

/** Open for the day, until the reset. */
function spent(failures = 1): OpenBreaker {
  return day(3_600_000, failures);
}

function breakerAfter(breaker: Breaker, outcome: RequestOutcome, probe: boolean, quota?: QuotaState): Breaker {
  const now = { quota, longestWaitMs: LONGEST_MS, leftAtMs: NOW_MS, nowMs: NOW_MS, random: 0 };
  return afterRequest(breaker, outcome, probe, now);
}

it.each<[string, Breaker, RequestOutcome, Breaker, QuotaState?]>([
  ['stays closed after an answer with requests left', CLOSED, ANSWERED, CLOSED, left(1)],
  ['opens for the day with the last request', CLOSED, ANSWERED, spent(), NONE_LEFT],
  ['opens for the day with the last request, which fails', CLOSED, { ...DOWN, isCounted: true }, spent(), NONE_LEFT],
  ['opens until 00:00 UTC when no reset is known', CLOSED, ANSWERED, day(UNTIL_MIDNIGHT_MS), NO_RESET],
  ['pauses for any stated time while something remains', CLOSED, limited(1_200_000), pause(1_200_000), left(999)],
  ['pauses when nothing remains, up to the longest wait', CLOSED, limited(LONGEST_MS), pause(LONGEST_MS), NONE_LEFT],
  ['opens until the reset when that wait is longer', CLOSED, limited(LONGEST_MS + 1), spent(), NONE_LEFT],
  ['opens until the reset when nothing is stated', CLOSED, limited(), spent(), NONE_LEFT],
  ['opens as long as stated when that is longer', CLOSED, limited(7_200_000), day(7_200_000), NONE_LEFT],
  ['opens as long as stated when the reset is past', CLOSED, limited(7_200_000), day(7_200_000), PAST],
  ['opens for a minute when it is, and nothing is stated', CLOSED, limited(), day(60_000), PAST],
])('a closed breaker %s', (_, breaker, outcome, next, known) => {
  expect(breakerAfter(breaker, outcome, false, known)).toEqual(next);
});

it.each<[string, Breaker, RequestOutcome, Breaker, QuotaState?]>([
  ['that is answered begins the new day', halfOpen('day'), ANSWERED, CLOSED, left(999)],
  ['that took the last request opens it until the reset', halfOpen('pause'), ANSWERED, spent(), NONE_LEFT],
  ['that finds nothing left opens it for the day', halfOpen('pause', 1), limited(5_000), spent(2), NONE_LEFT],
  ['that finds nothing left again keeps it open', halfOpen('day', 1), limited(5_000), spent(2), NONE_LEFT],
  ['that is refused with some left ends in a pause', halfOpen('day', 1), limited(5_000), pause(5_000, 2), left(5)],
  ['that meets a second day 429 waits two minutes', halfOpen('day', 1), limited(), day(120_000, 2), PAST],
  ['that meets a third one waits four', halfOpen('day', 2), limited(), day(240_000, 3), PAST],
  ['that meets the twentieth waits an hour', halfOpen('day', 19), limited(), day(3_600_000, 20), PAST],
])('a probe %s', (_, breaker, outcome, next, known) => {
  expect(breakerAfter(breaker, outcome, true, known)).toEqual(next);
});

describe('the probe of a spent day, before its reset', () => {
  const early: Breaker = { ...spent(), state: 'halfOpen' };
  const longer: Breaker = { ...day(7_200_000), state: 'halfOpen' };

  it.each<[string, Breaker, RequestOutcome, Breaker, QuotaState?]>([
    ['closes it when something remains', early, ANSWERED, CLOSED, left(49_000)],
    ['pauses when it is refused with something left', early, limited(5_000), pause(5_000, 2), left(1)],
    ['leaves it open when it is answered and nothing remains', early, ANSWERED, spent(2), NONE_LEFT],
    ['leaves it open when it is refused', early, limited(5_000), spent(2), NONE_LEFT],
    ['leaves it open as long as stated, if that is longer', longer, ANSWERED, day(7_200_000, 2), NONE_LEFT],
    ['leaves it open when the service is down', early, DOWN, spent(), NONE_LEFT],
    ['leaves it open when the service says so', early, { kind: 'serviceDown', statedMs: 99_000 }, spent(), NONE_LEFT],
    ['leaves it open when the key is refused', early, KEY_REFUSED, spent(), NONE_LEFT],
    ['leaves it open when it is abandoned', early, ABANDONED, spent(), NONE_LEFT],
    ['that was due and fails may be sent again in a minute', halfOpen('day'), DOWN, day(60_000), NONE_LEFT],
  ])('%s', (_, breaker, outcome, next, known) => {
    expect(breakerAfter(breaker, outcome, true, known)).toEqual(next);
  });
});

describe('a request that left before the breaker opened', () => {
  const breakers = [day(7_000, 2), halfOpen('day', 2)];
  const outcomes = [ANSWERED, DOWN, KEY_REFUSED, ABANDONED];

  it.each(
    breakers.flatMap((breaker) =>
      outcomes.map((outcome) => [breaker.reason, breaker.state, outcome.kind, breaker, outcome] as const),
    ),
  )('changes nothing on a breaker for %s that is %s when %s', (_, __, ___, breaker, outcome) => {
    expect(breakerAfter(breaker, outcome, false, left(5))).toEqual(breaker);
  });

  it.each<[string, Breaker, RequestOutcome, Breaker, QuotaState?]>([
    ['lengthens a pause though nothing remains', pause(2_000, 2), limited(9_000), pause(9_000, 2), NONE_LEFT],
    ['turns a pause into a spent day', pause(2_000, 2), limited(), spent(2), NONE_LEFT],
    ['lengthens a spent day', day(5_000, 2), { ...DOWN, statedMs: 120_000 }, day(120_000, 2)],
    ['shortens no day', day(7_200_000), limited(5_000), day(7_200_000), NONE_LEFT],
  ])('%s', (_, breaker, outcome, next, known) => {
    expect(breakerAfter(breaker, outcome, false, known)).toEqual(next);
  });
});
