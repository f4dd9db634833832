import { describe, expect, it } from 'vitest';
import { KeyRefused, RateLimited, ServiceDown, Stopping } from '../../src/model/errors.ts';
import {
  failedOutcome,
  type ListingLearned,
  type ListingOutcome,
  learnFromBatch,
  mostInOne,
  NO_LISTING_LEARNED,
  pauseAfter,
} from '../../src/service/listing-learning.ts';
import { table } from '../table.ts';

const NOW_MS = Date.UTC(2026, 10, 20);
const MINUTE_MS = 60_000;
const CONFIGURED = 20;
const detail = 'status 0';
const CARD = { id: 'a', name: 'A', game: 'G', set: { id: 's', name: 'S' } };

/**
 * `20` were asked for and listed, `20e` brought nothing, `20!` refused as too many, `20-` failed, `20x` no list, `20k` key,
 * `20b` blocked, `20r` 429, `20o` nothing that tells of lists; `1` was found, `1f` one of the first list that brought nothing, `1n` does not exist,
 * `1d` one of that list does not.
 */
function outcomeOf(step: string): ListingOutcome {
  if (step.endsWith('r')) return { kind: 'rateLimited' };
  if (step.endsWith('o')) return { kind: 'other' };
  const kinds = { '!': 'tooMany', '-': 'failed', x: 'unusable', k: 'keyRefused', b: 'blocked' } as const;
  const kind = kinds[step.at(-1) as keyof typeof kinds];
  return kind ? { kind, detail } : { kind: 'listed', cards: new Map(/[end]$/.test(step) ? [] : [[CARD.id, CARD]]) };
}

function idsOf(known: ListingLearned, step: string): readonly string[] {
  const [first = []] = known.emptyLists;
  if (step === '1f' || step === '1d') return first.slice(-1);
  return Array.from({ length: Number.parseInt(step, 10) }, (_, at) => `card ${at} after ${known.emptyLists.length}`);
}

function learn(known: ListingLearned, step: string, leftAfter = known, nowMs = NOW_MS): ListingLearned {
  const outcome = outcomeOf(step);
  return learnFromBatch(known, { outcome, ids: idsOf(known, step), leftAfter, nowMs });
}

function learnedFrom(steps: string): ListingLearned {
  return steps.split(' ').reduce((known, step) => learn(known, step), NO_LISTING_LEARNED);
}

const most = (steps: string, afterMs = 1) => mostInOne(learnedFrom(steps), CONFIGURED, NOW_MS + afterMs);

describe('after', () => {
  it.each(table`
    1 | 20 | what one card shows
    20 | 20 | a list
    20! | 10 | too many
    20! 10 | 10 | too many, and half of them
    20! 10! 5 | 5 | too many twice
    20! 10! 20! | 5 | too many twice, and one that left before
    3! | 1 | too many of three
    20 20! | 20 | a card that a list is refused for
    20 20! 10! 10 5! 5 | 20 | halves of that list
    20 20! 19! | 20 | a card that a shorter list is refused for, too
    20 20! 20! | 10 | as many refused again
    20- | 20 | one failure
    20- 20- | 1 | two failures in a row
    20- 20 20- | 20 | two failures with a list between
    20- 20e 20- | 20 | two failures with an empty list between
    20- 1- 20- | 1 | two failures of lists, and one of a card between
    20- 20- 1- | 20 | a failure of one card, too
    20- 20- 1- 20- | 20 | the same, and one more failure
    20- 20- 1 | 20 | two failures, and an answer for one card
    20- 20- 1 20- | 1 | the same, and a third failure
    20- 20- 1 20- 1 | 1 | answers for single cards, but not for several
    20k | 1 | a refused key
    20k 1k | 20 | a key that is refused for one card, too
    20k 1 | 1 | a key that is refused for lists alone
    20x | 1 | no list
    20x 1 | 1 | no list, but an answer for one card
    20x 1r | 1 | no list, and a 429 to one card
    20x 1o | 1 | no list, and nothing that tells of the service
    20! 20o | 10 | too many, and nothing that tells more of lists
    20x 1- | 20 | no list, and a failure of one card
    20 20x | 1 | no list after one that worked
    20 20x 1 | 20 | no list after one that worked, and one card
    20 20x 1 20x 1 | 1 | no list twice
    20 20x 1 20 20x 1 | 20 | no list twice, with one between
    20e 20e | 20 | nothing twice
    20e 1f | 20 | nothing, though one of the cards was found
    20e 20e 1f | 20 | nothing twice, though a card of one of them was found
    20e 1f 20e 1f | 1 | the same twice
    20e 20e 1f 1f | 1 | the same of two lists that left together
    20e 1f 1f 1f 1 1 | 20 | the same of one list alone
    20e 1n 20e 1n | 20 | nothing of cards that do not exist
    20e 20e 1d 1d | 20 | nothing of two lists, rightly
    20e 1f 20 20e 1f | 20 | the same with a list between
    20! 10! 5! 2! 2! 1f 1f | 1 | refused however short, though two of the cards were found
    20! 10! 5! 3! 3! 1f 1f | 1 | the same of three, which cannot be halved into lists
    4! 4! 1f 1f | 2 | two of four, which can
    20 20e 1f 20e 1f | 20 | the same twice after one that worked
    20 20e 1f 20e 1f 20e 1f | 1 | the same once more
    20b | 1 | a firewall before any list
    20 20b 10b 5b 2b | 20 | a firewall that one of twenty ids alarms
    20 20b 10b 10b 5b 5b 5b | 1 | a firewall that lets no list pass any more
  `)('%s, %i cards are requested at once (%s)', (steps, expected) => {
    expect(most(steps)).toBe(Number(expected));
  });

  it.each(table`
    20! | 15 | 20
    20! 10! | 15 | 10
    20! 10! | 30 | 20
    2! | 14 | 1
    2! | 15 | 2
    20! 20x 1 | 60 | 10
    20! 20x 1 | 75 | 20
    20x 1 | 59 | 1
    20x 1 | 60 | 20
    20k 1 | 59 | 1
    20k 1 | 60 | 20
    20e 20e 1f 1f | 59 | 1
    20e 20e 1f 1f | 60 | 20
    20 20x 1 20x 1 | 1 | 20
    20 20x 1 20x 1 20x 1 | 1 | 1
    20 20x 1 20x 1 20x 1 | 2 | 20
    20 20k 1 20k 1 20k 1 | 2 | 20
  `)('%s and %i minutes, %i are', (steps, minutes, expected) => {
    expect(most(steps, Number(minutes) * MINUTE_MS)).toBe(Number(expected));
  });
});

it.each(['20-', '20b'])('lists that failed together are one failure: %s', (step) => {
  const listed = learnedFrom('20');
  const failed = [1, 2, 3, 4, 5, 6].reduce((known) => learn(known, step, listed), listed);
  expect(mostInOne(failed, CONFIGURED, NOW_MS + 1)).toBe(20);
});

it.each(['20x', '20k', '20e'])('lists that left together are given up together: %s', (step) => {
  const listed = learnedFrom('20');
  const found = step === '20e' ? '1f' : '1';
  const steps = [step, step, step, found, found, found, step, step, found];
  const learned = steps.reduce((known, each) => learn(known, each, listed), listed);
  expect(learned.timesGivenUp).toBe(1);
});

it('what worked and works no more is tried after one card, a minute, then twice as long each time, up to an hour', () => {
  let [known, nowMs] = [learnedFrom('20'), NOW_MS];
  const waitedMinutes = Array.from({ length: 9 }, () => {
    known = ['20x', '1'].reduce((before, step) => learn(before, step, before, nowMs), known);
    const waitMs = known.singly.untilMs - nowMs;
    nowMs += waitMs;
    return waitMs / MINUTE_MS;
  });
  expect(waitedMinutes).toEqual([0, 1, 2, 4, 8, 16, 32, 60, 60]);
});

it.each([
  [60, 0],
  [61, 60],
])('lists that last brought a card %i minutes ago are given up for %i', (minutes, waitMinutes) => {
  const nowMs = NOW_MS + minutes * MINUTE_MS;
  const known = ['20x', '1'].reduce((before, step) => learn(before, step, before, nowMs), learnedFrom('20'));
  expect((known.singly.untilMs - nowMs) / MINUTE_MS).toBe(waitMinutes);
});

it.each([
  [new ServiceDown({ reason: detail }), { kind: 'failed', detail: `card service down: ${detail}` }],
  [new RateLimited({ seconds: 7 }), { kind: 'rateLimited' }],
  [new KeyRefused({ status: 401 }), { kind: 'keyRefused', detail: expect.stringContaining('401') }],
  [new Stopping(), { kind: 'other' }],
])('a request that ends with %s teaches %o', (error, outcome) => {
  expect(failedOutcome(error)).toEqual(outcome);
});

describe('after a 429 to a list', () => {
  it.each(table`
    20r | 14 | 1
    20r | 15 | 20
    20r 20r | 15 | 20
    1r | 0 | 20
    20r 1 | 14 | 1
    20 20r | 14 | 1
    20! 20r | 15 | 20
  `)('%s and %i minutes, %i cards are requested at once', (steps, minutes, expected) => {
    expect(most(steps, Number(minutes) * MINUTE_MS)).toBe(Number(expected));
  });

  it('cards go one by one for a quarter of an hour, then twice as long with each further one, up to a day', () => {
    let [pause, nowMs] = [NO_LISTING_LEARNED.afterRefusal, 0];
    const waitedMinutes = Array.from({ length: 9 }, () => {
      pause = pauseAfter(pause, nowMs);
      nowMs = pause.untilMs;
      return pause.waitMs / MINUTE_MS;
    });
    expect(waitedMinutes).toEqual([15, 30, 60, 120, 240, 480, 960, 1_440, 1_440]);
  });

  it.each([
    ['during the wait, to a list that had left before, changes nothing', 14, { untilMs: 15, waitMs: 15 }],
    ['within a day doubles the wait', 15 + 1_440, { untilMs: 15 + 1_440 + 30, waitMs: 30 }],
    ['after a day is the first again', 15 + 1_441, { untilMs: 15 + 1_441 + 15, waitMs: 15 }],
  ])('another one %s', (_, minutes, expected) => {
    const after = pauseAfter({ untilMs: 15 * MINUTE_MS, waitMs: 15 * MINUTE_MS }, minutes * MINUTE_MS);
    expect(after).toEqual({ untilMs: expected.untilMs * MINUTE_MS, waitMs: expected.waitMs * MINUTE_MS });
  });
});
