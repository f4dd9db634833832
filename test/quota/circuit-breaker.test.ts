import { describe, expect, it } from 'vitest';
import type { QuotaState } from '../../src/model/quota.ts';
import { afterRequest, type Breaker, CLOSED_BREAKER, type RequestOutcome } from '../../src/quota/circuit-breaker.ts';

const NOW_MS = 1_000_000;
const RESET_MS = NOW_MS + 3_600_000;
const LONGEST_WAIT_MS = 300_000;

const ANSWERED: RequestOutcome = { kind: 'answered' };
const DOWN: RequestOutcome = { kind: 'down' };
const KEY_REFUSED: RequestOutcome = { kind: 'key refused' };
const ABANDONED: RequestOutcome = { kind: 'abandoned' };

function limited(statedMs?: number): RequestOutcome {
  return { kind: 'rate limited', statedMs };
}

function open(failures: number): Breaker {
  return { ...CLOSED_BREAKER, failures };
}

function closed(why: Exclude<Breaker['why'], 'open'>, afterMs: number, failures = 1): Breaker {
  return { why, sinceMs: NOW_MS, untilMs: NOW_MS + afterMs, probing: false, failures };
}

/** The gate's time has come and its probe is under way. */
function probed(why: Exclude<Breaker['why'], 'open'>, failures = 1): Breaker {
  return { why, sinceMs: NOW_MS, untilMs: NOW_MS, probing: true, failures };
}

function quota(remaining: number | undefined, resetsAtMs?: number): QuotaState {
  return { limit: 1_000, remaining, resetsAtMs, receivedAtMs: NOW_MS };
}

function settled(breaker: Breaker, outcome: RequestOutcome, probe: boolean, known?: QuotaState, random = 0): Breaker {
  return afterRequest(breaker, outcome, probe, { quota: known, longestWaitMs: LONGEST_WAIT_MS, nowMs: NOW_MS, random });
}

describe('an outage after a pause', () => {
  it('is counted from its first failure, and broken off at the third', () => {
    const first = settled(probed('minute', 4), DOWN, true);
    const second = settled(first, DOWN, false);
    expect([first, second]).toEqual([open(1), open(2)]);
    expect(settled(second, DOWN, false)).toEqual(closed('down', 5_000, 3));
  });
});

describe('an open gate', () => {
  it.each<[string, Breaker, RequestOutcome, QuotaState | undefined, Breaker]>([
    ['stays open after an answer', CLOSED_BREAKER, ANSWERED, undefined, CLOSED_BREAKER],
    ['stays open after an answer with requests left', CLOSED_BREAKER, ANSWERED, quota(1, RESET_MS), CLOSED_BREAKER],
    ['forgets failures after an answer', open(2), ANSWERED, undefined, CLOSED_BREAKER],
    [
      'closes for the day with the last request',
      CLOSED_BREAKER,
      ANSWERED,
      quota(0, RESET_MS),
      closed('day', 3_600_000),
    ],
    [
      'closes for a minute when nothing remains and no reset is known',
      CLOSED_BREAKER,
      ANSWERED,
      quota(0),
      closed('day', 60_000),
    ],
    ['counts a first failure', CLOSED_BREAKER, DOWN, undefined, open(1)],
    ['counts a second failure', open(1), DOWN, undefined, open(2)],
    ['breaks at the third failure in a row', open(2), DOWN, undefined, closed('down', 5_000, 3)],
    ['pauses as long as a 429 states', CLOSED_BREAKER, limited(7_000), undefined, closed('minute', 7_000)],
    ['pauses for a second when a 429 states nothing', CLOSED_BREAKER, limited(), undefined, closed('minute', 1_000)],
    [
      'pauses as long as stated, however long, while something remains',
      CLOSED_BREAKER,
      limited(1_200_000),
      quota(999, RESET_MS),
      closed('minute', 1_200_000),
    ],
    [
      'pauses as long as stated, however long, while nothing is known',
      CLOSED_BREAKER,
      limited(1_200_000),
      undefined,
      closed('minute', 1_200_000),
    ],
    [
      'pauses when nothing remains, for no longer than anybody waits',
      CLOSED_BREAKER,
      limited(LONGEST_WAIT_MS),
      quota(0, RESET_MS),
      closed('minute', LONGEST_WAIT_MS),
    ],
    [
      'closes for the day until the reset when nothing remains and the wait is longer',
      CLOSED_BREAKER,
      limited(LONGEST_WAIT_MS + 1),
      quota(0, RESET_MS),
      closed('day', 3_600_000),
    ],
    [
      'closes for the day until the reset when nothing remains and nothing is stated',
      CLOSED_BREAKER,
      limited(),
      quota(0, RESET_MS),
      closed('day', 3_600_000),
    ],
    [
      'closes for the day as long as stated, when that is longer',
      CLOSED_BREAKER,
      limited(7_200_000),
      quota(0, RESET_MS),
      closed('day', 7_200_000),
    ],
    [
      'closes for the day as long as stated, when no reset is known',
      CLOSED_BREAKER,
      limited(7_200_000),
      quota(0),
      closed('day', 7_200_000),
    ],
    [
      'closes for a minute when the reset is past',
      CLOSED_BREAKER,
      limited(),
      quota(0, NOW_MS - 1),
      closed('day', 60_000),
    ],
    ['closes for a minute when a key is refused', CLOSED_BREAKER, KEY_REFUSED, undefined, closed('key', 60_000)],
    ['learns nothing from a request that was given up', open(2), ABANDONED, undefined, open(2)],
  ])('%s', (_, breaker, outcome, known, next) => {
    expect(settled(breaker, outcome, false, known)).toEqual(next);
  });
});

describe('a probe', () => {
  it.each<[string, Breaker, RequestOutcome, QuotaState | undefined, Breaker]>([
    ['that is answered ends the pause', probed('minute', 4), ANSWERED, undefined, CLOSED_BREAKER],
    ['that is answered ends the outage', probed('down', 4), ANSWERED, undefined, CLOSED_BREAKER],
    ['that is answered accepts the key again', probed('key'), ANSWERED, undefined, CLOSED_BREAKER],
    ['that is answered begins the new day', probed('day'), ANSWERED, quota(999, RESET_MS), CLOSED_BREAKER],
    [
      'that took the last request closes until the reset',
      probed('minute'),
      ANSWERED,
      quota(0, RESET_MS),
      closed('day', 3_600_000),
    ],
    [
      'that meets a second 429 waits twice as long',
      probed('minute', 1),
      limited(),
      undefined,
      closed('minute', 2_000, 2),
    ],
    [
      'that meets a fifth 429 waits longer than it states',
      probed('minute', 4),
      limited(1_000),
      undefined,
      closed('minute', 16_000, 5),
    ],
    [
      'that meets a 429 waits as long as stated, when that is longer',
      probed('minute', 1),
      limited(30_000),
      undefined,
      closed('minute', 30_000, 2),
    ],
    [
      'that finds nothing remaining a second time closes for the day',
      probed('minute', 1),
      limited(5_000),
      quota(0, RESET_MS),
      closed('day', 3_600_000, 2),
    ],
    [
      'that finds nothing remaining closes the day again, however short the wait',
      probed('day', 1),
      limited(5_000),
      quota(0, RESET_MS),
      closed('day', 3_600_000, 2),
    ],
    [
      'that is refused with requests left ends the day in a pause',
      probed('day', 1),
      limited(5_000),
      quota(5, RESET_MS),
      closed('minute', 5_000, 2),
    ],
    [
      'that meets a second day 429 without a reset waits two minutes',
      probed('day', 1),
      limited(),
      quota(0),
      closed('day', 120_000, 2),
    ],
    ['that meets a third one waits four', probed('day', 2), limited(), quota(0), closed('day', 240_000, 3)],
    [
      'that meets the twentieth waits half an hour',
      probed('day', 19),
      limited(),
      quota(0),
      closed('day', 1_800_000, 20),
    ],
    [
      'that finds the service down still waits twice as long',
      probed('down', 3),
      DOWN,
      undefined,
      closed('down', 10_000, 4),
    ],
    ['that finds it down for long waits a minute', probed('down', 30), DOWN, undefined, closed('down', 60_000, 31)],
    [
      'that finds the key refused still waits a minute',
      probed('key', 5),
      KEY_REFUSED,
      undefined,
      closed('key', 60_000, 6),
    ],
    [
      'that is given up leaves the probe to the next question',
      probed('minute', 2),
      ABANDONED,
      undefined,
      { ...probed('minute', 2), probing: false },
    ],
  ])('%s', (_, breaker, outcome, known, next) => {
    expect(settled(breaker, outcome, true, known)).toEqual(next);
  });
});

describe('the probe of a spent day, before its reset', () => {
  const early: Breaker = { ...closed('day', 3_600_000), probing: true };
  const NOTHING = quota(0, RESET_MS);

  it.each<[string, Breaker, RequestOutcome, QuotaState, Breaker]>([
    ['opens the day when something remains', early, ANSWERED, quota(49_000, RESET_MS), CLOSED_BREAKER],
    [
      'pauses when it is refused with something left',
      early,
      limited(5_000),
      quota(1, RESET_MS),
      closed('minute', 5_000, 2),
    ],
    ['leaves it closed when it is answered and nothing remains', early, ANSWERED, NOTHING, closed('day', 3_600_000, 2)],
    ['leaves it closed when it is refused', early, limited(5_000), NOTHING, closed('day', 3_600_000, 2)],
    [
      'leaves it closed for as long as was stated, when that is longer',
      { ...closed('day', 7_200_000), probing: true },
      ANSWERED,
      NOTHING,
      closed('day', 7_200_000, 2),
    ],
    ['leaves it closed when the service is down', early, DOWN, NOTHING, closed('day', 3_600_000)],
    [
      'leaves it closed when the service says so',
      early,
      { kind: 'down', statedMs: 99_000 },
      NOTHING,
      closed('day', 3_600_000),
    ],
    ['leaves it closed when the key is refused', early, KEY_REFUSED, NOTHING, closed('day', 3_600_000)],
    ['leaves it closed when it is given up', early, ABANDONED, NOTHING, closed('day', 3_600_000)],
    [
      'that was due and comes to nothing may be sent again in a minute',
      probed('day'),
      DOWN,
      NOTHING,
      closed('day', 60_000),
    ],
  ])('%s', (_, breaker, outcome, known, next) => {
    expect(settled(breaker, outcome, true, known)).toEqual(next);
  });
});

describe('a service that states for how long it is down', () => {
  const MINUTE_MS = 60_000;
  const downFor = (statedMs: number): RequestOutcome => ({ kind: 'down', statedMs });

  it.each<[string, Breaker, number, boolean, Breaker]>([
    ['closes at once for more than a minute', CLOSED_BREAKER, MINUTE_MS + 1, false, closed('down', MINUTE_MS + 1, 3)],
    ['closes again for as long', probed('down', 3), 10 * MINUTE_MS, true, closed('down', 10 * MINUTE_MS, 4)],
    ['ends a pause in an outage', probed('minute', 2), 10 * MINUTE_MS, true, closed('down', 10 * MINUTE_MS, 3)],
    ['lengthens an outage', closed('down', 5_000, 3), 10 * MINUTE_MS, false, closed('down', 10 * MINUTE_MS, 3)],
    ['shortens none', closed('down', 20 * MINUTE_MS, 3), 2 * MINUTE_MS, false, closed('down', 20 * MINUTE_MS, 3)],
    ['lengthens a pause', closed('minute', 5_000, 2), 2 * MINUTE_MS, false, closed('minute', 2 * MINUTE_MS, 2)],
    ['lengthens a spent day', closed('day', 5_000, 2), 2 * MINUTE_MS, false, closed('day', 2 * MINUTE_MS, 2)],
    ['is one failure up to a minute', CLOSED_BREAKER, MINUTE_MS, false, open(1)],
  ])('%s', (_, breaker, statedMs, probe, next) => {
    expect(settled(breaker, downFor(statedMs), probe)).toEqual(next);
  });
});

describe('a request that left before the gate closed', () => {
  const gates = [
    closed('minute', 7_000, 2),
    closed('day', 7_000, 2),
    closed('down', 7_000, 5),
    closed('key', 7_000, 2),
    probed('minute', 2),
    probed('down', 3),
    probed('day', 2),
  ];
  const outcomes = [ANSWERED, DOWN, KEY_REFUSED, ABANDONED];

  it.each(
    gates.flatMap((breaker) =>
      outcomes.map((outcome) => [breaker.why, breaker.probing, outcome.kind, breaker, outcome] as const),
    ),
  )('changes nothing on the gate %s (probing: %s) when %s', (_, __, ___, breaker, outcome) => {
    expect(settled(breaker, outcome, false, quota(5, RESET_MS))).toEqual(breaker);
  });

  it.each<[string, Breaker, RequestOutcome, QuotaState | undefined, Breaker]>([
    [
      'lengthens the pause when its 429 states a later time',
      closed('minute', 2_000, 2),
      limited(9_000),
      undefined,
      closed('minute', 9_000, 2),
    ],
    ['shortens no pause', closed('minute', 20_000, 2), limited(9_000), undefined, closed('minute', 20_000, 2)],
    ['is not one more failure', closed('minute', 1_000, 1), limited(), undefined, closed('minute', 1_000, 1)],
    [
      'leaves the probe of a pause alone',
      probed('minute', 1),
      limited(9_000),
      undefined,
      { ...probed('minute', 1), untilMs: NOW_MS + 9_000 },
    ],
    ['lengthens an outage', closed('down', 5_000, 3), limited(9_000), undefined, closed('down', 9_000, 3)],
    [
      'lengthens the pause when nothing remains but it states a time',
      closed('minute', 2_000, 2),
      limited(9_000),
      quota(0, RESET_MS),
      closed('minute', 9_000, 2),
    ],
    [
      'closes a pause for the day',
      closed('minute', 2_000, 2),
      limited(),
      quota(0, RESET_MS),
      closed('day', 3_600_000, 2),
    ],
    ['shortens no day', closed('day', 7_200_000), limited(5_000), quota(0, RESET_MS), closed('day', 7_200_000)],
  ])('%s', (_, breaker, outcome, known, next) => {
    expect(settled(breaker, outcome, false, known)).toEqual(next);
  });
});

describe('chance', () => {
  it.each<[string, Breaker, RequestOutcome, number]>([
    ['a fifth of a stated wait', CLOSED_BREAKER, limited(5_000), 6_000],
    ['2 s of a long one', CLOSED_BREAKER, limited(60_000), 62_000],
    ['a fifth of an outage', open(2), DOWN, 6_000],
  ])('only adds, at most %s', (_, breaker, outcome, waitMs) => {
    expect(settled(breaker, outcome, false, undefined, 1).untilMs).toBe(NOW_MS + waitMs);
  });
});
