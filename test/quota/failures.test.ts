import { expect, it } from 'vitest';
import { CLOSED_BREAKER } from '../../src/model/quota.ts';
import { countedAfter, doubtOf } from '../../src/quota/failures.ts';

const FAILED_AT_MS = Date.UTC(2026, 10, 20, 12);

it.each([
  ['fifteen seconds after its last failure', 5_000, 15_000],
  ['as long as the circuit breaker was open, if that is longer', 40_000, 40_000],
])('no card that has failed is the probe until %s', (_, openMs, restMs) => {
  const times = { sinceMs: FAILED_AT_MS, untilMs: FAILED_AT_MS + openMs, failures: 6 };
  const failedIdsAfter = (ms: number) => {
    const counted = [{ cardId: 'bad', atMs: FAILED_AT_MS }];
    return doubtOf({ state: 'open', reason: 'outage', ...times }, counted, FAILED_AT_MS + ms)?.failedIds;
  };
  expect(failedIdsAfter(restMs - 1)).toEqual(new Set(['bad']));
  expect(failedIdsAfter(restMs)).toEqual(new Set());
});

it('a card counts as failed until it is answered, by itself or in any place of a list', () => {
  const counted = ['bad', 'good'].map((cardId) => ({ cardId, atMs: FAILED_AT_MS }));
  const after = (...cardIds: string[]) => countedAfter(counted, { kind: 'answered', cardIds }, false, FAILED_AT_MS + 1);
  expect(after('other')).toEqual(counted);
  expect(after('good')).toEqual(counted.slice(0, 1));
  expect(after('other', 'good')).toEqual(counted.slice(0, 1));
});

it('it is in doubt from the first failure on which card shows whether the service is down', () => {
  const doubt = (failures: number) => {
    const breaker = { ...CLOSED_BREAKER, failures, sinceMs: FAILED_AT_MS, untilMs: FAILED_AT_MS + 1_000 };
    return doubtOf(breaker, [{ cardId: 'bad', atMs: FAILED_AT_MS }], FAILED_AT_MS + 1_000);
  };
  expect(doubt(0)).toBeUndefined();
  expect(doubt(1)).toMatchObject({ failedIds: new Set(['bad']), isOutage: false });
});
