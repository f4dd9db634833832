import { describe, expect, it } from 'vitest';
import type { RequestOutcome } from '../../src/model/errors.ts';
import { type Breaker, type BreakerReason, CLOSED_BREAKER, type QuotaState } from '../../src/model/quota.ts';
import { afterRequest } from '../../src/quota/circuit-breaker.ts';

const NOW_MS = 1_000_000;
const RESET_MS = NOW_MS + 3_600_000;
const LONGEST_WAIT_MS = 300_000;

const ANSWERED: RequestOutcome = { kind: 'answered' };
const DOWN: RequestOutcome = { kind: 'serviceDown' };
const KEY_REFUSED: RequestOutcome = { kind: 'keyRefused' };
const ABANDONED: RequestOutcome = { kind: 'abandoned' };

function limited(statedMs?: number): RequestOutcome {
  return { kind: 'rateLimited', statedMs };
}

function closed(failures: number): Breaker {
  return { ...CLOSED_BREAKER, failures };
}

function opened(reason: BreakerReason, afterMs: number, failures = 1): Breaker {
  return { state: 'open', reason, sinceMs: NOW_MS, untilMs: NOW_MS + afterMs, failures };
}

/** The breaker's time has come and its probe is under way. */
function halfOpen(reason: BreakerReason, failures = 1): Breaker {
  return { state: 'halfOpen', reason, sinceMs: NOW_MS, untilMs: NOW_MS, failures };
}

function quota(remaining: number | undefined, resetsAtMs?: number): QuotaState {
  return { limit: 1_000, remaining, resetsAtMs, receivedAtMs: NOW_MS };
}

function breakerAfter(
  breaker: Breaker,
  outcome: RequestOutcome,
  probe: boolean,
  known?: QuotaState,
  random = 0,
): Breaker {
  return afterRequest(breaker, outcome, probe, { quota: known, longestWaitMs: LONGEST_WAIT_MS, nowMs: NOW_MS, random });
}

describe('an outage after a pause', () => {
  it('is counted from its first failure, and opens the breaker at the third', () => {
    const first = breakerAfter(halfOpen('pause', 4), DOWN, true);
    const second = breakerAfter(first, DOWN, false);
    expect([first, second]).toEqual([closed(1), closed(2)]);
    expect(breakerAfter(second, DOWN, false)).toEqual(opened('outage', 5_000, 3));
  });
});

describe('an outage', () => {
  it('begins when the breaker first opens, however many probes fail', () => {
    const sinceMs = NOW_MS - 60_000;
    const again = breakerAfter({ ...halfOpen('outage', 3), sinceMs }, DOWN, true);
    expect(again).toMatchObject({ sinceMs: NOW_MS, beganMs: sinceMs });
    expect(breakerAfter({ ...again, state: 'halfOpen' }, DOWN, true)).toMatchObject({ beganMs: sinceMs });
    expect(breakerAfter({ ...again, state: 'halfOpen' }, KEY_REFUSED, true)).not.toHaveProperty('beganMs');
  });
});

describe('a closed breaker', () => {
  it.each<[string, Breaker, RequestOutcome, QuotaState | undefined, Breaker]>([
    ['stays closed after an answer', CLOSED_BREAKER, ANSWERED, undefined, CLOSED_BREAKER],
    ['stays closed after an answer with requests left', CLOSED_BREAKER, ANSWERED, quota(1, RESET_MS), CLOSED_BREAKER],
    ['forgets failures after an answer', closed(2), ANSWERED, undefined, CLOSED_BREAKER],
    ['opens for the day with the last request', CLOSED_BREAKER, ANSWERED, quota(0, RESET_MS), opened('day', 3_600_000)],
    [
      'opens for a minute when nothing remains and no reset is known',
      CLOSED_BREAKER,
      ANSWERED,
      quota(0),
      opened('day', 60_000),
    ],
    ['counts a first failure', CLOSED_BREAKER, DOWN, undefined, closed(1)],
    ['counts a second failure', closed(1), DOWN, undefined, closed(2)],
    ['opens at the third failure in a row', closed(2), DOWN, undefined, opened('outage', 5_000, 3)],
    ['pauses as long as a 429 states', CLOSED_BREAKER, limited(7_000), undefined, opened('pause', 7_000)],
    ['pauses for a second when a 429 states nothing', CLOSED_BREAKER, limited(), undefined, opened('pause', 1_000)],
    ['pauses for a quarter of one when it states none', CLOSED_BREAKER, limited(0), undefined, opened('pause', 250)],
    [
      'pauses as long as stated, however long, while something remains',
      CLOSED_BREAKER,
      limited(1_200_000),
      quota(999, RESET_MS),
      opened('pause', 1_200_000),
    ],
    [
      'pauses as long as stated, however long, while nothing is known',
      CLOSED_BREAKER,
      limited(1_200_000),
      undefined,
      opened('pause', 1_200_000),
    ],
    [
      'pauses when nothing remains, for no longer than the longest wait',
      CLOSED_BREAKER,
      limited(LONGEST_WAIT_MS),
      quota(0, RESET_MS),
      opened('pause', LONGEST_WAIT_MS),
    ],
    [
      'opens for the day until the reset when nothing remains and the wait is longer',
      CLOSED_BREAKER,
      limited(LONGEST_WAIT_MS + 1),
      quota(0, RESET_MS),
      opened('day', 3_600_000),
    ],
    [
      'opens for the day until the reset when nothing remains and nothing is stated',
      CLOSED_BREAKER,
      limited(),
      quota(0, RESET_MS),
      opened('day', 3_600_000),
    ],
    [
      'opens for the day as long as stated, when that is longer',
      CLOSED_BREAKER,
      limited(7_200_000),
      quota(0, RESET_MS),
      opened('day', 7_200_000),
    ],
    [
      'opens for the day as long as stated, when no reset is known',
      CLOSED_BREAKER,
      limited(7_200_000),
      quota(0),
      opened('day', 7_200_000),
    ],
    [
      'opens for a minute when the reset is past',
      CLOSED_BREAKER,
      limited(),
      quota(0, NOW_MS - 1),
      opened('day', 60_000),
    ],
    ['opens for a minute when a key is refused', CLOSED_BREAKER, KEY_REFUSED, undefined, opened('key', 60_000)],
    ['ignores an abandoned request', closed(2), ABANDONED, undefined, closed(2)],
  ])('%s', (_, breaker, outcome, known, next) => {
    expect(breakerAfter(breaker, outcome, false, known)).toEqual(next);
  });
});

describe('a probe', () => {
  it.each<[string, Breaker, RequestOutcome, QuotaState | undefined, Breaker]>([
    ['that is answered ends the pause', halfOpen('pause', 4), ANSWERED, undefined, CLOSED_BREAKER],
    ['that is answered ends the outage', halfOpen('outage', 4), ANSWERED, undefined, CLOSED_BREAKER],
    ['that is answered accepts the key again', halfOpen('key'), ANSWERED, undefined, CLOSED_BREAKER],
    ['that is answered begins the new day', halfOpen('day'), ANSWERED, quota(999, RESET_MS), CLOSED_BREAKER],
    [
      'that took the last request opens it until the reset',
      halfOpen('pause'),
      ANSWERED,
      quota(0, RESET_MS),
      opened('day', 3_600_000),
    ],
    [
      'that meets a second 429 waits twice as long',
      halfOpen('pause', 1),
      limited(),
      undefined,
      opened('pause', 2_000, 2),
    ],
    [
      'that meets a fifth 429 waits longer than it states',
      halfOpen('pause', 4),
      limited(1_000),
      undefined,
      opened('pause', 16_000, 5),
    ],
    [
      'that meets a 429 waits as long as stated, when that is longer',
      halfOpen('pause', 1),
      limited(30_000),
      undefined,
      opened('pause', 30_000, 2),
    ],
    [
      'that finds nothing remaining a second time opens it for the day',
      halfOpen('pause', 1),
      limited(5_000),
      quota(0, RESET_MS),
      opened('day', 3_600_000, 2),
    ],
    [
      'that finds nothing remaining opens it for the day again, however short the wait',
      halfOpen('day', 1),
      limited(5_000),
      quota(0, RESET_MS),
      opened('day', 3_600_000, 2),
    ],
    [
      'that is refused with requests left ends the day in a pause',
      halfOpen('day', 1),
      limited(5_000),
      quota(5, RESET_MS),
      opened('pause', 5_000, 2),
    ],
    [
      'that meets a second day 429 without a reset waits two minutes',
      halfOpen('day', 1),
      limited(),
      quota(0),
      opened('day', 120_000, 2),
    ],
    ['that meets a third one waits four', halfOpen('day', 2), limited(), quota(0), opened('day', 240_000, 3)],
    [
      'that meets the twentieth waits half an hour',
      halfOpen('day', 19),
      limited(),
      quota(0),
      opened('day', 1_800_000, 20),
    ],
    [
      'that finds the service down still waits twice as long',
      halfOpen('outage', 3),
      DOWN,
      undefined,
      opened('outage', 10_000, 4),
    ],
    [
      'that finds it down for long waits a minute',
      halfOpen('outage', 30),
      DOWN,
      undefined,
      opened('outage', 60_000, 31),
    ],
    [
      'that finds the key refused still waits a minute',
      halfOpen('key', 5),
      KEY_REFUSED,
      undefined,
      opened('key', 60_000, 6),
    ],
    [
      'that is abandoned leaves the probe to the next request',
      halfOpen('pause', 2),
      ABANDONED,
      undefined,
      { ...halfOpen('pause', 2), state: 'open' },
    ],
  ])('%s', (_, breaker, outcome, known, next) => {
    expect(breakerAfter(breaker, outcome, true, known)).toEqual(next);
  });
});

describe('the probe of a spent day, before its reset', () => {
  const early: Breaker = { ...opened('day', 3_600_000), state: 'halfOpen' };
  const NOTHING = quota(0, RESET_MS);

  it.each<[string, Breaker, RequestOutcome, QuotaState, Breaker]>([
    ['closes it when something remains', early, ANSWERED, quota(49_000, RESET_MS), CLOSED_BREAKER],
    [
      'pauses when it is refused with something left',
      early,
      limited(5_000),
      quota(1, RESET_MS),
      opened('pause', 5_000, 2),
    ],
    ['leaves it open when it is answered and nothing remains', early, ANSWERED, NOTHING, opened('day', 3_600_000, 2)],
    ['leaves it open when it is refused', early, limited(5_000), NOTHING, opened('day', 3_600_000, 2)],
    [
      'leaves it open for as long as was stated, when that is longer',
      { ...opened('day', 7_200_000), state: 'halfOpen' },
      ANSWERED,
      NOTHING,
      opened('day', 7_200_000, 2),
    ],
    ['leaves it open when the service is down', early, DOWN, NOTHING, opened('day', 3_600_000)],
    [
      'leaves it open when the service says so',
      early,
      { kind: 'serviceDown', statedMs: 99_000 },
      NOTHING,
      opened('day', 3_600_000),
    ],
    ['leaves it open when the key is refused', early, KEY_REFUSED, NOTHING, opened('day', 3_600_000)],
    ['leaves it open when it is abandoned', early, ABANDONED, NOTHING, opened('day', 3_600_000)],
    ['that was due and fails may be sent again in a minute', halfOpen('day'), DOWN, NOTHING, opened('day', 60_000)],
  ])('%s', (_, breaker, outcome, known, next) => {
    expect(breakerAfter(breaker, outcome, true, known)).toEqual(next);
  });
});

describe('a stated outage', () => {
  const MINUTE_MS = 60_000;
  const downFor = (statedMs: number): RequestOutcome => ({ kind: 'serviceDown', statedMs });

  it.each<[string, Breaker, number, boolean, Breaker]>([
    [
      'opens it at once when it is over a minute',
      CLOSED_BREAKER,
      MINUTE_MS + 1,
      false,
      opened('outage', MINUTE_MS + 1, 3),
    ],
    ['opens it again for as long', halfOpen('outage', 3), 10 * MINUTE_MS, true, opened('outage', 10 * MINUTE_MS, 4)],
    ['ends a pause in an outage', halfOpen('pause', 2), 10 * MINUTE_MS, true, opened('outage', 10 * MINUTE_MS, 3)],
    ['lengthens an outage', opened('outage', 5_000, 3), 10 * MINUTE_MS, false, opened('outage', 10 * MINUTE_MS, 3)],
    ['shortens none', opened('outage', 20 * MINUTE_MS, 3), 2 * MINUTE_MS, false, opened('outage', 20 * MINUTE_MS, 3)],
    ['lengthens a pause', opened('pause', 5_000, 2), 2 * MINUTE_MS, false, opened('pause', 2 * MINUTE_MS, 2)],
    ['lengthens a spent day', opened('day', 5_000, 2), 2 * MINUTE_MS, false, opened('day', 2 * MINUTE_MS, 2)],
    ['is one failure up to a minute', CLOSED_BREAKER, MINUTE_MS, false, closed(1)],
  ])('%s', (_, breaker, statedMs, probe, next) => {
    expect(breakerAfter(breaker, downFor(statedMs), probe)).toEqual(next);
  });
});

describe('a request that left before the breaker opened', () => {
  const breakers = [
    opened('pause', 7_000, 2),
    opened('day', 7_000, 2),
    opened('outage', 7_000, 5),
    opened('key', 7_000, 2),
    halfOpen('pause', 2),
    halfOpen('outage', 3),
    halfOpen('day', 2),
  ];
  const outcomes = [ANSWERED, DOWN, KEY_REFUSED, ABANDONED];

  it.each(
    breakers.flatMap((breaker) =>
      outcomes.map((outcome) => [breaker.reason, breaker.state, outcome.kind, breaker, outcome] as const),
    ),
  )('changes nothing on a breaker for %s that is %s when %s', (_, __, ___, breaker, outcome) => {
    expect(breakerAfter(breaker, outcome, false, quota(5, RESET_MS))).toEqual(breaker);
  });

  it.each<[string, Breaker, RequestOutcome, QuotaState | undefined, Breaker]>([
    [
      'lengthens the pause when its 429 states a later time',
      opened('pause', 2_000, 2),
      limited(9_000),
      undefined,
      opened('pause', 9_000, 2),
    ],
    ['shortens no pause', opened('pause', 20_000, 2), limited(9_000), undefined, opened('pause', 20_000, 2)],
    ['is not one more failure', opened('pause', 1_000, 1), limited(), undefined, opened('pause', 1_000, 1)],
    [
      'does not end the probe of a pause',
      halfOpen('pause', 1),
      limited(9_000),
      undefined,
      { ...halfOpen('pause', 1), untilMs: NOW_MS + 9_000 },
    ],
    ['lengthens an outage', opened('outage', 5_000, 3), limited(9_000), undefined, opened('outage', 9_000, 3)],
    [
      'lengthens the pause when nothing remains but it states a time',
      opened('pause', 2_000, 2),
      limited(9_000),
      quota(0, RESET_MS),
      opened('pause', 9_000, 2),
    ],
    [
      'turns a pause into a spent day',
      opened('pause', 2_000, 2),
      limited(),
      quota(0, RESET_MS),
      opened('day', 3_600_000, 2),
    ],
    ['shortens no day', opened('day', 7_200_000), limited(5_000), quota(0, RESET_MS), opened('day', 7_200_000)],
  ])('%s', (_, breaker, outcome, known, next) => {
    expect(breakerAfter(breaker, outcome, false, known)).toEqual(next);
  });
});

describe('jitter', () => {
  it.each<[string, Breaker, RequestOutcome, number]>([
    ['a fifth of a stated wait', CLOSED_BREAKER, limited(5_000), 6_000],
    ['2 s of a long one', CLOSED_BREAKER, limited(60_000), 62_000],
    ['a fifth of an outage', closed(2), DOWN, 6_000],
  ])('only adds, at most %s', (_, breaker, outcome, waitMs) => {
    expect(breakerAfter(breaker, outcome, false, undefined, 1).untilMs).toBe(NOW_MS + waitMs);
  });
});
