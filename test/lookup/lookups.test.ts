import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Lookups } from '../../src/lookup/lookups.ts';
import { isFetchedFor, lastPermitAtMs, type Outcomes } from '../../src/lookup/outcomes.ts';
import type { CardRecord } from '../../src/model/card.ts';
import { KeyRefused, Stopping } from '../../src/model/errors.ts';
import { isWorthShowing } from '../../src/replies/course.ts';
import { by, fakeTime, LONGEST_WAIT_MS, NOON_MS } from '../support/lookup-queue.ts';
import { asGiven, type GivenCard, lookedUp, lookupsOf, type Tell } from './lookups-of.ts';

const ANSWER: CardRecord = { card: undefined, fetchedAtMs: 0 };
const answersAfter = (ms: number) => ({
  start: () => new Promise<CardRecord>((resolve) => setTimeout(resolve, ms, ANSWER)),
});

describe('what is to come', () => {
  const [fresh, stale, missing] = [{ copy: ANSWER }, { copy: ANSWER, ...answersAfter(0) }, answersAfter(0)];

  it.each([
    ['nothing of what is fresh', [fresh, fresh], 'nothing'],
    ['a renewal of what is stale', [fresh, stale], 'renewals'],
    ['a card where one is missing', [fresh, stale, missing], 'cards'],
  ])('is %s', async (_, given, toCome) => {
    const lookups = await lookupsOf(...given);
    expect(lookups.toCome).toBe(toCome);
    expect(lookups.awaited).toBe(given.filter((each) => each !== fresh).length);
  });
});

describe('of what is kept', () => {
  const opened = async (given: GivenCard) => {
    const options = asGiven([given]);
    const wanted = { ...by('alice'), receivedAtMs: NOON_MS, deadlineMs: NOON_MS + 870_000 };
    const admit = vi.fn(options.lookupQueue.admit);
    const saved = vi.fn();
    await Lookups.open([{ cardId: '0', showPrices: true }], wanted, {
      ...options,
      lookupQueue: { ...options.lookupQueue, admit },
      ledger: { saved },
      longestWaitMs: LONGEST_WAIT_MS,
    });
    return {
      admitted: admit.mock.calls.map(([{ lane, deadlineMs }]) => [lane, deadlineMs - NOON_MS]),
      saved: saved.mock.calls.length,
    };
  };

  it.each<[string, GivenCard, [lane: string, deadlineMs: number][], number]>([
    ['a fresh card costs nothing, which counts as saved', { copy: ANSWER }, [], 1],
    [
      'a stale card is renewed behind members',
      { copy: ANSWER, ...answersAfter(0) },
      [['renewals', LONGEST_WAIT_MS]],
      0,
    ],
    ['a missing card is looked up until its reply ends', answersAfter(0), [['members', 870_000]], 0],
    [
      'a missing card that has just failed takes no place in the queue',
      { resting: new KeyRefused({ status: 403 }) },
      [],
      0,
    ],
  ])('%s', async (_, given, admitted, saved) => expect(await opened(given)).toEqual({ admitted, saved }));
});

it.each([
  ['no, when none left', undefined, NOON_MS, false],
  ['no, when it came before that left', NOON_MS, NOON_MS - 1, false],
  ['yes, when it came at once', NOON_MS, NOON_MS, true],
])('whether an answer came by a request of its reply: %s', (_, requestedAtMs, fetchedAtMs, isFetched) => {
  expect(isFetchedFor(requestedAtMs, { card: undefined, fetchedAtMs })).toBe(isFetched);
});

describe('several lookups', () => {
  it('are shown as they come, and the end only once', async () => {
    const answers = Array.from({ length: 3 }, () => Promise.withResolvers<CardRecord>());
    const show = vi.fn(async (_: Outcomes) => undefined);
    const lookups = await lookupsOf({ copy: ANSWER }, ...answers.map(({ promise }) => ({ start: () => promise })));
    const ended = lookedUp(lookups, show);
    await vi.waitFor(() => expect(show).toHaveBeenCalledTimes(1));
    for (const { resolve } of answers) resolve(ANSWER); // one request brought all
    expect((await ended).cards).toHaveLength(4);
    expect(show).toHaveBeenCalledTimes(1);
  });

  it('that end together before anything was shown are shown once, by the caller', async () => {
    const show = vi.fn(async (_: Outcomes) => undefined);
    const lookups = await lookupsOf(...Array.from({ length: 3 }, () => ({ start: async () => ANSWER })));
    expect((await lookedUp(lookups, show)).cards).toHaveLength(3);
    expect(show).not.toHaveBeenCalled();
  });

  it('that come one after the other are shown every 1.5 s, and not once for each', async () => {
    fakeTime();
    const shownAtMs: number[] = [];
    const show = async () => void shownAtMs.push(Date.now() - NOON_MS);
    const lookups = await lookupsOf(...Array.from({ length: 20 }, (_, at) => answersAfter(200 * (at + 1))));
    const ended = lookedUp(lookups, show);
    await vi.advanceTimersByTimeAsync(4_000);
    expect((await ended).cards).toHaveLength(20);
    expect(shownAtMs).toEqual([200, 1_700, 3_200]); // and the end, by the caller
  });

  it('that a stop ends are shown as still to come, because another process brings them, until the end', async () => {
    fakeTime();
    const shown: Outcomes['cards'][] = [];
    const show = async ({ cards }: Outcomes) => void shown.push(cards);
    const stops = { start: () => Promise.reject(new Stopping()) };
    const lookups = await lookupsOf(answersAfter(10), stops, { copy: ANSWER, ...stops }, answersAfter(60_000));
    const ended = lookedUp(lookups, show);
    await vi.advanceTimersByTimeAsync(60_000);

    const [answered, stopped] = [{ answer: ANSWER }, { error: expect.any(Stopping) }];
    const renewing = { answer: ANSWER, isRenewing: true };
    expect(shown.at(-1)).toEqual([answered, undefined, renewing, undefined]);
    expect((await ended).cards).toEqual([answered, stopped, { ...answered, ...stopped }, answered]);
  });
});

it('lookups that are given up end at once, with what has come', async () => {
  const lookups = await lookupsOf({ copy: ANSWER }, { start: () => new Promise<never>(() => {}) });
  const all = lookups.lookUpAll();
  lookups.cancel();
  expect((await all).cards).toEqual([{ answer: ANSWER }, undefined]);
});

it('what is refused is known at once, with a copy if there is one', async () => {
  const error = new KeyRefused({ status: 403 });
  const lookups = await lookupsOf({ resting: error }, { refusal: error }, { copy: ANSWER, refusal: error });
  expect(lookups.soFar().cards).toEqual([{ error }, { error }, { answer: ANSWER, error }]);
  expect(lookups.toCome).toBe('nothing');
});

it.each<[string, GivenCard]>([
  ['while it is looked up', { start: () => Promise.reject(new Stopping()) }],
  ['before it is', { refusal: new Stopping() }],
])('cards of which a stop ends one %s are stopped, and not ended', async (_, given) => {
  const lookups = await lookupsOf({ copy: ANSWER }, answersAfter(0), given);
  await lookups.lookUpAll();
  expect(lookups.standing()).toEqual({ cards: 2, end: 'stopped' });
});

it('what cannot be shown is shown again 1.5 s later, and ever more rarely', async () => {
  fakeTime();
  const shown: object[] = [];
  const show = async ({ cards, permitAtMs }: Outcomes) => {
    const sinceMs = Date.now() - NOON_MS;
    shown.push({ sinceMs, cards: cards.filter(Boolean).length, permitAtMs });
    return sinceMs < 8_000 ? 'failed' : undefined;
  };
  const permitAtMs = NOON_MS + 60_000;
  const waits = {
    start({ onSchedule }: Tell) {
      onSchedule(permitAtMs);
      return answersAfter(60_000).start();
    },
  };
  const ended = lookedUp(await lookupsOf(waits, answersAfter(2_000)), show);
  await vi.advanceTimersByTimeAsync(60_000);
  await ended;
  expect(shown).toEqual([
    { sinceMs: 0, cards: 0, permitAtMs },
    { sinceMs: 1_500, cards: 0, permitAtMs },
    { sinceMs: 4_500, cards: 1, permitAtMs },
    { sinceMs: 10_500, cards: 1, permitAtMs },
  ]);
});

describe('the time of the permit is shown', () => {
  it.each<[string, number | undefined, number, boolean]>([
    ['not when it is now', undefined, 0, false],
    ['not when it is past', undefined, -5_000, false],
    ['not when it is within 3 s', undefined, 3_000, false],
    ['when it is later', undefined, 3_001, true],
    ['not again while it stays', 20_000, 20_000, false],
    ['not again when it moves by 15 s', 20_000, 35_000, false],
    ['again when it moves further', 20_000, 35_001, true],
    ['not again when it moves 15 s closer', 20_000, 5_000, false],
    ['again when it moves further than that', 20_000, 4_999, true],
    ['not again when it moves to now: the answer follows', 20_000, 0, false],
    ['not again when it moves to within 3 s', 20_000, 3_000, false],
    ['again when the shown time is past and the permit is still to come', -20_000, 3_001, true],
  ])('%s', (_, shownAfterMs, permitAfterMs, worth) => {
    const shownAtMs = shownAfterMs === undefined ? undefined : NOON_MS + shownAfterMs;
    expect(isWorthShowing(shownAtMs, lastPermitAtMs([NOON_MS + permitAfterMs], NOON_MS))).toBe(worth);
  });

  it('as that of the last of several', () => {
    expect(lastPermitAtMs([NOON_MS, NOON_MS + 9_000, NOON_MS + 5_000], NOON_MS)).toBe(NOON_MS + 9_000);
    expect(lastPermitAtMs([], NOON_MS)).toBeUndefined();
  });

  /** A lookup whose edits take 10 s, and what happens to it. */
  async function slowEdits() {
    fakeTime();
    const shown: (number | undefined)[] = [];
    const answer = Promise.withResolvers<CardRecord>();
    let tell: Tell | undefined;
    const lookups = await lookupsOf({
      start(given) {
        tell = given;
        return answer.promise;
      },
    });
    void lookedUp(lookups, async ({ permitAtMs = Number.NaN }) => {
      shown.push(permitAtMs - NOON_MS);
      await new Promise((resolve) => setTimeout(resolve, 10_000));
    });
    onTestFinished(() => answer.resolve(ANSWER));
    return {
      shown,
      expectAfter: (ms: number) => tell?.onSchedule(NOON_MS + ms),
      requested: () => tell?.onRequest(),
    };
  }

  it('as it is expected once the edit before has ended', async () => {
    const { shown, expectAfter } = await slowEdits();
    expectAfter(30_000);
    await vi.advanceTimersByTimeAsync(0);
    for (const ms of [60_000, 90_000]) expectAfter(ms);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(shown).toEqual([30_000, 90_000]);
  });

  it('not when it is past by then', async () => {
    const { shown, expectAfter } = await slowEdits();
    expectAfter(30_000);
    await vi.advanceTimersByTimeAsync(0);
    expectAfter(9_000);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(shown).toEqual([30_000]);
  });

  it('not when the request has left by then; that its answer is slow is shown once, after 5 s', async () => {
    const { shown, expectAfter, requested } = await slowEdits();
    expectAfter(30_000);
    await vi.advanceTimersByTimeAsync(0);
    expectAfter(60_000);
    requested();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(shown).toEqual([30_000, Number.NaN]);
  });

  it.each([
    ['for this reply or another', 'here'],
    ['in another process', 'elsewhere'],
  ] as const)('nor of a request that had left before, %s, whose slow answer is shown, too', async (_, underWay) => {
    fakeTime();
    const shownAtMs: number[] = [];
    const lookups = await lookupsOf({ ...answersAfter(60_000), underWay });
    void lookedUp(lookups, async () => void shownAtMs.push(Date.now() - NOON_MS));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(shownAtMs).toEqual([5_000]);
  });
});

it('nothing is shown before a request for the card has left, however long that takes', async () => {
  fakeTime();
  const shown: unknown[] = [];
  const lookups = await lookupsOf(answersAfter(60_000));
  void lookedUp(lookups, async (soFar) => void shown.push(soFar));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(shown).toEqual([]);
});
