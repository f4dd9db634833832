import { expect, it } from 'vitest';
import { afterKeyRefusal, type KeyTrust } from '../../src/service/key-trust.ts';
import { table } from '../table.ts';

const HOUR_MS = 3_600_000;

/** Whether each refusal is believed: letters are ids that were refused, `+` is an answer, a number lets as many hours pass. */
function refusals(history: string): string {
  let trust: KeyTrust = {};
  let nowMs = 1_000;
  return history.replaceAll(/\S+/g, (event) => {
    if (Number(event)) nowMs += Number(event) * HOUR_MS;
    else trust = event === '+' ? { workedAtMs: nowMs } : afterKeyRefusal(trust, event, nowMs);
    return /[a-z]/.test(event) ? `${trust.workedAtMs !== undefined}` : event;
  });
}

it.each(table`
  that never worked is not believed | a | false
  that worked within the hour is believed | + 0.99 a | + 0.99 true
  that worked longer ago is not | + 1 a | + 1 false
  is believed however often one id is refused | + a a a | + true true true
  is not believed once a second id was refused | + a b | + true false
  that is not believed stays so until it works | + a b b a | + true false false false
  that works again is believed again | + a b + b | + true false + true
  that worked between two refusals was refused once | + a + b | + true + true
`)('a refused key %s: %s', (_, history = '', believed) => {
  expect(refusals(history)).toBe(believed);
});
