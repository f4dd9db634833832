import { expect, it } from 'vitest';
import { afterKeyRefusal, type KeyTrust } from '../../src/service/key-trust.ts';

const HOUR_MS = 3_600_000;

/** Letters are ids that were refused, `+` is an answer, a number lets that many hours pass. */
function refusals(history: readonly (string | number)[]): boolean[] {
  let trust: KeyTrust = {};
  let nowMs = 1_000;
  return history.flatMap((event) => {
    if (typeof event === 'number') nowMs += event * HOUR_MS;
    else if (event === '+') trust = { workedAtMs: nowMs };
    else {
      trust = afterKeyRefusal(trust, event, nowMs);
      return [trust.workedAtMs !== undefined];
    }
    return [];
  });
}

it.each<[string, (string | number)[], boolean[]]>([
  ['that never worked is not believed', ['a'], [false]],
  ['that worked within the hour is believed', ['+', 0.99, 'a'], [true]],
  ['that worked longer ago is not', ['+', 1, 'a'], [false]],
  ['is believed however often one id is refused', ['+', 'a', 'a', 'a'], [true, true, true]],
  ['is not believed once a second id was refused', ['+', 'a', 'b'], [true, false]],
  ['that is not believed stays so until it works', ['+', 'a', 'b', 'b', 'a'], [true, false, false, false]],
  ['that works again is believed again', ['+', 'a', 'b', '+', 'b'], [true, false, true]],
  ['that worked between two refusals was refused once', ['+', 'a', '+', 'b'], [true, true]],
])('a refused key %s', (_, history, believed) => {
  expect(refusals(history)).toEqual(believed);
});
