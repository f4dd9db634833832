import { describe, expect, it } from 'vitest';
import { type Counted, costNow, loweredBy } from '../../src/lookup/bulk-cost.ts';
import {
  afterBulk,
  type BulkLearned,
  type BulkOutcome,
  mostInOne,
  NO_BULK_LEARNED,
} from '../../src/lookup/bulk-learning.ts';

const MINUTE_MS = 60_000;
const CONFIGURED = 20;
const detail = 'status 0';

/**
 * `20` were asked for and listed, `20e` brought nothing, `20!` refused as too many, `20-` failed, `20x` no list, `20k` key,
 * `20b` blocked, `20r` 429; `1` was found, `1f` one of the first list that brought nothing, `1n` does not exist.
 */
function outcomeOf(step: string): BulkOutcome {
  if (step.endsWith('r')) return { kind: 'rateLimited' };
  const kinds = { '!': 'tooMany', '-': 'failed', x: 'unusable', k: 'keyRefused', b: 'blocked' } as const;
  const kind = kinds[step.at(-1) as keyof typeof kinds];
  return kind ? { kind, detail } : { kind: 'answered', found: /[en]$/.test(step) ? 0 : 1 };
}

function idsOf(known: BulkLearned, step: string): readonly string[] {
  const [first = []] = known.emptyLists;
  if (step === '1f') return first.slice(-1);
  return Array.from({ length: Number.parseInt(step, 10) }, (_, at) => `card ${at} after ${known.emptyLists.length}`);
}

function learn(known: BulkLearned, step: string, lowered?: number, leftAfter = known, nowMs = 0): BulkLearned {
  const outcome = outcomeOf(step);
  return afterBulk(known, { outcome, ids: idsOf(known, step), leftAfter, lowered, nowMs });
}

function learnedFrom(steps: string, lowered?: number): BulkLearned {
  return steps.split(' ').reduce((known, step) => learn(known, step, lowered), NO_BULK_LEARNED);
}

const most = (steps: string, nowMs = 1) => mostInOne(learnedFrom(steps), CONFIGURED, nowMs);

describe('after', () => {
  it.each([
    ['1', 20, 'what one card shows'],
    ['20', 20, 'a list'],
    ['20!', 10, 'too many'],
    ['20! 10', 10, 'too many, and half of them'],
    ['20! 10! 5', 5, 'too many twice'],
    ['20! 10! 20!', 5, 'too many twice, and one that left before'],
    ['3!', 1, 'too many of three'],
    ['20 20!', 20, 'a card that a list is refused for'],
    ['20 20! 10! 10 5! 5', 20, 'halves of that list'],
    ['20 20! 20!', 10, 'as many refused again'],
    ['20-', 20, 'one failure'],
    ['20- 20-', 1, 'two failures in a row'],
    ['20- 20 20-', 20, 'two failures with a list between'],
    ['20- 20- 1-', 20, 'a failure of one card, too'],
    ['20- 20- 1', 1, 'an answer for one card, but not for several'],
    ['20k', 1, 'a refused key'],
    ['20k 1k', 20, 'a key that is refused for one card, too'],
    ['20k 1', 1, 'a key that is refused for lists alone'],
    ['20x', 1, 'no list'],
    ['20x 1', 1, 'no list, but an answer for one card'],
    ['20x 1-', 20, 'no list, and a failure of one card'],
    ['20 20x', 1, 'no list after one that worked'],
    ['20 20x 1', 20, 'no list after one that worked, and one card'],
    ['20 20x 1 20x 1', 1, 'no list twice'],
    ['20 20x 1 20 20x 1', 20, 'no list twice, with one between'],
    ['20e 20e', 20, 'nothing twice'],
    ['20e 1f', 20, 'nothing, though one of the cards was found'],
    ['20e 1f 20e 1f', 1, 'the same twice'],
    ['20e 20e 1f 1f', 1, 'the same of two lists that left together'],
    ['20e 1f 1f 1f 1 1', 20, 'the same of one list alone'],
    ['20e 1n 20e 1n', 20, 'nothing of cards that do not exist'],
    ['20e 1f 20 20e 1f', 20, 'the same with a list between'],
    ['20 20e 1f 20e 1f', 20, 'the same twice after one that worked'],
    ['20 20e 1f 20e 1f 20e 1f', 1, 'the same once more'],
    ['20b', 1, 'a firewall before any list'],
    ['20 20b 10b 5b 2b', 20, 'a firewall that one of twenty ids alarms'],
    ['20 20b 10b 10b 5b 5b 5b', 1, 'a firewall that lets no list pass any more'],
  ])('%s, %i cards are requested at once (%s)', (steps, expected) => {
    expect(most(steps)).toBe(expected);
  });

  it.each([
    ['20!', 15, 20],
    ['20! 10!', 15, 10],
    ['20! 10!', 30, 20],
    ['2!', 14, 1],
    ['2!', 15, 2],
    ['20x 1', 59, 1],
    ['20x 1', 60, 20],
    ['20k 1', 59, 1],
    ['20k 1', 60, 20],
    ['20e 20e 1f 1f', 59, 1],
    ['20e 20e 1f 1f', 60, 20],
    ['20 20x 1 20x 1', 1, 20],
    ['20 20x 1 20x 1 20x 1', 1, 1],
    ['20 20x 1 20x 1 20x 1', 2, 20],
    ['20 20k 1 20k 1 20k 1', 2, 20],
  ])('%s and %i minutes, %i are', (steps, minutes, expected) => {
    expect(most(steps, minutes * MINUTE_MS)).toBe(expected);
  });
});

it.each(['20-', '20b'])('lists that failed together are one failure: %s', (step) => {
  const listed = learnedFrom('20');
  const failed = [1, 2, 3, 4, 5, 6].reduce((known) => learn(known, step, undefined, listed), listed);
  expect(mostInOne(failed, CONFIGURED, 1)).toBe(20);
});

it.each(['20x', '20k', '20e'])('lists that left together are given up together: %s', (step) => {
  const listed = learnedFrom('20');
  const found = step === '20e' ? '1f' : '1';
  const steps = [step, step, found, found, step, step, found];
  const learned = steps.reduce((known, each) => learn(known, each, undefined, listed), listed);
  expect(learned.timesGivenUp).toBe(1);
});

it('what worked and works no more is tried after one card, a minute, then twice as long each time, up to an hour', () => {
  let [known, nowMs] = [learnedFrom('20'), 0];
  const waitedMinutes = Array.from({ length: 9 }, () => {
    known = ['20x', '1'].reduce((before, step) => learn(before, step, undefined, before, nowMs), known);
    const waitMs = known.singly.untilMs - nowMs;
    nowMs += waitMs;
    return waitMs / MINUTE_MS;
  });
  expect(waitedMinutes).toEqual([0, 1, 2, 4, 8, 16, 32, 60, 60]);
});

describe('a list counts as', () => {
  it.each([
    ['3', 3, 'one'],
    ['3 3', 3, 'each'],
    ['3 3', 1, 'one'],
    ['3 3', 2, 'one'],
    ['3 3', 4, 'one'],
    ['3 3', 0, 'one'],
    ['3 3', -900, 'one'],
    ['3 3', undefined, 'one'],
    ['1 1', 1, 'one'],
    ['3! 3!', 3, 'one'],
  ])('after %s, which lowered what remains by %s, "%s"', (steps, lowered, cost) => {
    expect(learnedFrom(steps, lowered).cost).toBe(cost);
  });

  it.each<[string, number | undefined, number, string]>([
    ['20r', undefined, 14, 'each'],
    ['20r', undefined, 15, 'one'],
    ['20r 3', undefined, 14, 'each'],
    ['20r 3', 1, 14, 'one'],
    ['20r 3 3', 3, 60, 'each'],
    ['3 20r', 1, 14, 'one'],
    ['1r', undefined, 14, 'one'],
  ])('after %s, which lowered what remains by %s, and %i minutes, "%s"', (steps, lowered, minutes, cost) => {
    expect(costNow(learnedFrom(steps, lowered), minutes * MINUTE_MS)).toBe(cost);
  });

  /**
   * What this process (`b`: leaves, `B`: is answered) and another one (`o`, `O`) do; each request costs one. The two have
   * counters in common, and the other's permits are seen when it has them.
   */
  it.each([
    ['bB bB', 'one', 'alone'],
    ['oO bB oO bB', 'one', 'one after the other'],
    ['boBO boBO', 'one', 'answered in this order'],
    ['boOB boOB', 'one', 'the other within'],
    ['obOB obOB', 'one', 'the other before, and answered first'],
    ['obBO obBO', 'one', 'the other around'],
    ['bBo OboOB', 'one', 'the other twice'],
  ])('whatever another process does meanwhile: %s is "%s" (%s)', (course, cost) => {
    let [remaining, elsewhere, otherUnderWay] = [900, 0, 0];
    let known: BulkLearned = NO_BULK_LEARNED;
    let before: Counted | undefined;
    const counted = () => (otherUnderWay > 0 ? undefined : { remaining, permitsElsewhere: elsewhere });
    const steps: Record<string, () => void> = {
      o: () => {
        elsewhere++;
        otherUnderWay++;
      },
      O: () => {
        remaining--;
        otherUnderWay--;
      },
      b: () => {
        before = counted();
      },
      B: () => {
        remaining--;
        known = afterBulk(known, {
          outcome: outcomeOf('2'),
          ids: ['a', 'b'],
          leftAfter: known,
          lowered: loweredBy(before, counted()),
          nowMs: 0,
        });
      },
    };
    for (const step of course.replaceAll(' ', '')) steps[step]?.();
    expect([known.cost, known.countedOtherwise]).toEqual([cost, 0]);
  });

  it('one again, when it has twice lowered what remains by one', () => {
    const each = learnedFrom('3 3', 3);
    const once = learn(each, '3', 1);
    expect([once.cost, learn(once, '3', 1).cost]).toEqual(['each', 'one']);
  });
});
