import { describe, expect, it, vi } from 'vitest';
import { RestingCards, restAfter } from '../../src/lookup/resting-cards.ts';
import { KeyRefused, ServiceDown, UnexpectedAnswer } from '../../src/model/errors.ts';
import { fakeTime } from '../support/lookup-queue.ts';

const MINUTE_MS = 60_000;
const DOWN = new ServiceDown({ reason: 'it answered 503' });
const downFor = (retryAfterMs: number) => new ServiceDown({ reason: 'it answered 503', retryAfterMs });

describe('a card is left alone', () => {
  it.each<[string, Parameters<typeof restAfter>, leftMs: number, isSatOut: boolean]>([
    ['five minutes after an unexpected answer', [new UnexpectedAnswer({ detail: '' }), 1, false], 5 * MINUTE_MS, false],
    ['a minute after a refused key', [new KeyRefused({ status: 401 }), 1, false], MINUTE_MS, false],
    ['a second after a failure, which lookups sit out', [DOWN, 1, true], 1_000, true],
    ['twice as long after the next', [DOWN, 2, true], 2_000, true],
    ['five minutes after three, where other cards are answered', [DOWN, 3, true], 5 * MINUTE_MS, false],
    ['a little while after three, where none is', [DOWN, 3, false], 4_000, false],
    ['as long as the service says, which lookups sit out', [downFor(30_000), 3, false], 30_000, true],
    ['but no longer than a minute', [downFor(90_000), 1, false], MINUTE_MS, true],
  ])('%s', (_, given, leftMs, isSatOut) => {
    expect(restAfter(...given)).toEqual({ leftMs, isSatOut });
  });

  it('after the third attempt alone, and after a third list as after the second, with the time in its error', () => {
    fakeTime();
    const resting = new RestingCards();
    const failed = (cardId: string, together: number) =>
      [1, 2, 3].map(() => resting.failed(cardId, DOWN, together)).at(-1);
    const [alone, listed] = [failed('alone', 1), failed('listed', 9)];
    expect([alone?.isSatOut, listed?.isSatOut, listed?.leftMs]).toEqual([false, true, 2_000]);
    expect(listed?.error).toMatchObject({ reason: 'it answered 503', untilMs: Date.now() + 2_000 });
  });

  it('until its time is over, or it is answered', () => {
    fakeTime();
    const resting = new RestingCards();
    for (const id of ['a', 'b']) resting.failed(id, DOWN);
    resting.answered('a');
    expect(resting.of('a')).toBeUndefined();
    expect(resting.of('b')).toMatchObject({ leftMs: 1_000, isSatOut: true, failures: 1 });
    vi.advanceTimersByTime(1_000);
    expect([resting.of('b'), resting.hasFailed('a'), resting.hasFailed('b')]).toEqual([undefined, false, true]);
  });
});
