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

/** So many failures in a row, after the last of which nothing leaves for as long as a lookup backs off. */
function closed(failures: number): Breaker {
  return { ...CLOSED, sinceMs: NOW_MS, untilMs: NOW_MS + 1_000 * 2 ** (failures - 1), failures };
}

function opened(reason: BreakerReason, afterMs: number, failures = 1): OpenBreaker {
  return { state: 'open', reason, sinceMs: NOW_MS, untilMs: NOW_MS + afterMs, failures };
}

const openedFor = (reason: BreakerReason) => (afterMs: number, failures?: number) => opened(reason, afterMs, failures);
const pause = openedFor('pause');
const day = openedFor('day');
const outage = openedFor('outage');
const key = openedFor('key');
const plan = openedFor('plan');

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

function breakerAfter(
  breaker: Breaker,
  outcome: RequestOutcome,
  probe: boolean,
  known?: QuotaState,
  random = 0,
  tookMs = 0,
): Breaker {
  return afterRequest(breaker, outcome, probe, {
    quota: known,
    longestWaitMs: LONGEST_MS,
    leftAtMs: NOW_MS - tookMs,
    nowMs: NOW_MS,
    random,
  });
}

it('an outage after a pause is counted from its first failure, and opens the breaker at the third', () => {
  const first = breakerAfter(halfOpen('pause', 4), DOWN, true);
  const second = breakerAfter(first, DOWN, false);
  expect([first, second]).toEqual([closed(1), closed(2)]);
  expect(breakerAfter(second, DOWN, false)).toEqual(outage(5_000, 3));
});

it('a failure that was long in coming is no longer waited after: its episode was long enough', () => {
  const first = breakerAfter(CLOSED, DOWN, false, undefined, 0, 10_000);
  const third = breakerAfter({ ...first, failures: 2 }, DOWN, false, undefined, 0, 10_000);
  expect([first.untilMs, third.untilMs, third.reason]).toEqual([NOW_MS, NOW_MS, 'outage']);
});

it('an outage begins when the breaker first opens, however many probes fail', () => {
  const sinceMs = NOW_MS - 60_000;
  const again = { ...outage(10_000, 4), beganMs: sinceMs };
  expect(breakerAfter({ ...halfOpen('outage', 3), sinceMs }, DOWN, true)).toEqual(again);
  expect(breakerAfter({ ...again, state: 'halfOpen' }, DOWN, true)).toMatchObject({ beganMs: sinceMs });
  expect(breakerAfter({ ...again, state: 'halfOpen' }, KEY_REFUSED, true)).not.toHaveProperty('beganMs');
});

it.each<[string, Breaker, RequestOutcome, Breaker, QuotaState?]>([
  ['stays closed after an answer', CLOSED, ANSWERED, CLOSED],
  ['stays closed after an answer with requests left', CLOSED, ANSWERED, CLOSED, left(1)],
  ['forgets failures after an answer', closed(2), ANSWERED, CLOSED],
  ['opens for the day with the last request', CLOSED, ANSWERED, spent(), NONE_LEFT],
  ['opens for the day with the last request, which fails', CLOSED, { ...DOWN, isCounted: true }, spent(), NONE_LEFT],
  ['opens until 00:00 UTC when no reset is known', CLOSED, ANSWERED, day(UNTIL_MIDNIGHT_MS), NO_RESET],
  ['counts a first failure', CLOSED, DOWN, closed(1)],
  ['counts a second failure', closed(1), DOWN, closed(2)],
  ['opens at the third failure in a row', closed(2), DOWN, outage(5_000, 3)],
  ['pauses as long as a 429 states', CLOSED, limited(7_000), pause(7_000)],
  ['pauses for a second when a 429 states nothing', CLOSED, limited(), pause(1_000)],
  ['pauses for a quarter of one when it states none', CLOSED, limited(0), pause(250)],
  ['pauses for any stated time while something remains', CLOSED, limited(1_200_000), pause(1_200_000), left(999)],
  ['pauses for any stated time while nothing is known', CLOSED, limited(1_200_000), pause(1_200_000)],
  ['pauses when nothing remains, up to the longest wait', CLOSED, limited(LONGEST_MS), pause(LONGEST_MS), NONE_LEFT],
  ['opens until the reset when that wait is longer', CLOSED, limited(LONGEST_MS + 1), spent(), NONE_LEFT],
  ['opens until the reset when nothing is stated', CLOSED, limited(), spent(), NONE_LEFT],
  ['opens as long as stated when that is longer', CLOSED, limited(7_200_000), day(7_200_000), NONE_LEFT],
  ['opens as long as stated when the reset is past', CLOSED, limited(7_200_000), day(7_200_000), PAST],
  ['opens for a minute when it is, and nothing is stated', CLOSED, limited(), day(60_000), PAST],
  ['opens for a minute when a key is refused', CLOSED, KEY_REFUSED, key(60_000)],
  ['opens for a minute when the plan is too small', CLOSED, { kind: 'planRefused' }, plan(60_000)],
  ['ignores an abandoned request', closed(2), ABANDONED, closed(2)],
])('a closed breaker %s', (_, breaker, outcome, next, known) => {
  expect(breakerAfter(breaker, outcome, false, known)).toEqual(next);
});

it.each<[string, Breaker, RequestOutcome, Breaker, QuotaState?]>([
  ['that is answered ends the pause', halfOpen('pause', 4), ANSWERED, CLOSED],
  ['that is answered ends the outage', halfOpen('outage', 4), ANSWERED, CLOSED],
  ['that is answered accepts the key again', halfOpen('key'), ANSWERED, CLOSED],
  ['that is answered begins the new day', halfOpen('day'), ANSWERED, CLOSED, left(999)],
  ['that took the last request opens it until the reset', halfOpen('pause'), ANSWERED, spent(), NONE_LEFT],
  ['that meets a second 429 waits twice as long', halfOpen('pause', 1), limited(), pause(2_000, 2)],
  ['that meets a fifth 429 waits longer than it states', halfOpen('pause', 4), limited(1_000), pause(16_000, 5)],
  ['that meets a tenth 429 waits longer than five minutes', halfOpen('pause', 9), limited(), pause(512_000, 10)],
  ['that meets a twentieth 429 waits an hour', halfOpen('pause', 19), limited(), pause(3_600_000, 20)],
  ['that meets a 429 waits as stated, if that is longer', halfOpen('pause', 1), limited(30_000), pause(30_000, 2)],
  ['that finds nothing left opens it for the day', halfOpen('pause', 1), limited(5_000), spent(2), NONE_LEFT],
  ['that finds nothing left again keeps it open', halfOpen('day', 1), limited(5_000), spent(2), NONE_LEFT],
  ['that is refused with some left ends in a pause', halfOpen('day', 1), limited(5_000), pause(5_000, 2), left(5)],
  ['that meets a second day 429 waits two minutes', halfOpen('day', 1), limited(), day(120_000, 2), PAST],
  ['that meets a third one waits four', halfOpen('day', 2), limited(), day(240_000, 3), PAST],
  ['that meets the twentieth waits an hour', halfOpen('day', 19), limited(), day(3_600_000, 20), PAST],
  ['that finds the service down still waits twice as long', halfOpen('outage', 3), DOWN, outage(10_000, 4)],
  ['that finds it down for long waits a minute', halfOpen('outage', 30), DOWN, outage(60_000, 31)],
  ['that finds the key refused still waits a minute', halfOpen('key', 5), KEY_REFUSED, key(60_000, 6)],
  ['that is abandoned leaves it to the next', halfOpen('pause', 2), ABANDONED, pause(0, 2)],
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

describe('a stated outage', () => {
  const MINUTE_MS = 60_000;
  const downFor = (statedMs: number): RequestOutcome => ({ kind: 'serviceDown', statedMs });

  it.each<[string, Breaker, number, boolean, Breaker]>([
    ['opens it at once when it is over a minute', CLOSED, MINUTE_MS + 1, false, outage(MINUTE_MS + 1, 3)],
    ['opens it again for as long', halfOpen('outage', 3), 10 * MINUTE_MS, true, outage(10 * MINUTE_MS, 4)],
    ['ends a pause in an outage', halfOpen('pause', 2), 10 * MINUTE_MS, true, outage(10 * MINUTE_MS, 3)],
    ['lengthens an outage', outage(5_000, 3), 10 * MINUTE_MS, false, outage(10 * MINUTE_MS, 3)],
    ['shortens none', outage(20 * MINUTE_MS, 3), 2 * MINUTE_MS, false, outage(20 * MINUTE_MS, 3)],
    ['lengthens a pause', pause(5_000, 2), 2 * MINUTE_MS, false, pause(2 * MINUTE_MS, 2)],
    ['lengthens a spent day', day(5_000, 2), 2 * MINUTE_MS, false, day(2 * MINUTE_MS, 2)],
    ['is one failure up to a minute', CLOSED, MINUTE_MS, false, closed(1)],
  ])('%s', (_, breaker, statedMs, probe, next) => {
    expect(breakerAfter(breaker, downFor(statedMs), probe)).toEqual(next);
  });
});

describe('a request that left before the breaker opened', () => {
  const open = [pause(7_000, 2), day(7_000, 2), outage(7_000, 5), key(7_000, 2)];
  const breakers = [...open, halfOpen('pause', 2), halfOpen('outage', 3), halfOpen('day', 2)];
  const outcomes = [ANSWERED, DOWN, KEY_REFUSED, ABANDONED];

  it.each(
    breakers.flatMap((breaker) =>
      outcomes.map((outcome) => [breaker.reason, breaker.state, outcome.kind, breaker, outcome] as const),
    ),
  )('changes nothing on a breaker for %s that is %s when %s', (_, __, ___, breaker, outcome) => {
    expect(breakerAfter(breaker, outcome, false, left(5))).toEqual(breaker);
  });

  const probed = { ...halfOpen('pause', 1), untilMs: NOW_MS + 9_000 };

  it.each<[string, Breaker, RequestOutcome, Breaker, QuotaState?]>([
    ['lengthens the pause to the time of its 429', pause(2_000, 2), limited(9_000), pause(9_000, 2)],
    ['shortens no pause', pause(20_000, 2), limited(9_000), pause(20_000, 2)],
    ['is not one more failure', pause(1_000, 1), limited(), pause(1_000, 1)],
    ['does not end the probe of a pause', halfOpen('pause', 1), limited(9_000), probed],
    ['lengthens an outage', outage(5_000, 3), limited(9_000), outage(9_000, 3)],
    ['lengthens a pause though nothing remains', pause(2_000, 2), limited(9_000), pause(9_000, 2), NONE_LEFT],
    ['turns a pause into a spent day', pause(2_000, 2), limited(), spent(2), NONE_LEFT],
    ['shortens no day', day(7_200_000), limited(5_000), day(7_200_000), NONE_LEFT],
  ])('%s', (_, breaker, outcome, next, known) => {
    expect(breakerAfter(breaker, outcome, false, known)).toEqual(next);
  });
});

it("429s that state no wait cost 35 requests in a day, not one every five minutes, while the day's figures are unknown", () => {
  let [nowMs, requests] = [NOW_MS, 0];
  let breaker: Breaker = CLOSED;
  for (; nowMs < NOW_MS + 24 * 3_600_000; requests++, nowMs = breaker.untilMs) {
    const now = { quota: undefined, longestWaitMs: LONGEST_MS, leftAtMs: nowMs, nowMs, random: 0 };
    breaker = afterRequest(breaker, limited(), requests > 0, now);
  }
  expect(requests).toBe(35);
});

it.each<[string, Breaker, RequestOutcome, number]>([
  ['a fifth of a stated wait', CLOSED, limited(5_000), 6_000],
  ['2 s of a long one', CLOSED, limited(60_000), 62_000],
  ['a fifth of an outage', closed(2), DOWN, 6_000],
])('jitter only adds, at most %s', (_, breaker, outcome, waitMs) => {
  expect(breakerAfter(breaker, outcome, false, undefined, 1).untilMs).toBe(NOW_MS + waitMs);
});
