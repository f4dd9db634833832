import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type CardOutcome, type ListOutcome, listEnd, lookUpList } from '../../src/lookup/list-lookup.ts';
import type { CardRecord } from '../../src/model/card.ts';
import type { Claims } from '../../src/model/claims.ts';
import { type CardServiceError, KeyRefused, Stopping } from '../../src/model/errors.ts';
import { createCardService } from '../../src/sandbox/card-service.ts';
import { by, fakeTime, lookup, lookupQueueOver } from '../support/lookup-queue.ts';

const ANSWER: CardRecord = { card: undefined, fetchedAtMs: 0 };
const isWorthShowing = () => false;

describe('several lookups', () => {
  it('are shown as they come, and the end only once', async () => {
    const answers = Array.from({ length: 3 }, () => Promise.withResolvers<CardRecord>());
    const show = vi.fn(async (_: ListOutcome) => {});
    const lookups = answers.map(({ promise }) => ({ start: () => promise }));
    const ended = lookUpList([{ known: ANSWER }, ...lookups], { show, isWorthShowing });
    await vi.waitFor(() => expect(show).toHaveBeenCalledTimes(1));
    for (const { resolve } of answers) resolve(ANSWER); // one request brought all
    expect((await ended).cards).toHaveLength(4);
    expect(show).toHaveBeenCalledTimes(1);
  });

  it('that end together before anything was shown are shown once, by the caller', async () => {
    const show = vi.fn(async (_: ListOutcome) => {});
    const lookups = Array.from({ length: 3 }, () => ({ start: async () => ANSWER }));
    expect((await lookUpList(lookups, { show, isWorthShowing })).cards).toHaveLength(3);
    expect(show).not.toHaveBeenCalled();
  });

  it('that come one after the other are shown every 1.5 s, and not once for each', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const shownAtMs: number[] = [];
    const beganAtMs = Date.now();
    const show = async () => void shownAtMs.push(Date.now() - beganAtMs);
    const lookups = Array.from({ length: 20 }, (_, at) => ({
      start: () => new Promise<CardRecord>((resolve) => setTimeout(resolve, 200 * (at + 1), ANSWER)),
    }));
    const ended = lookUpList(lookups, { show, isWorthShowing });
    await vi.advanceTimersByTimeAsync(4_000);
    expect((await ended).cards).toHaveLength(20);
    expect(shownAtMs).toEqual([200, 1_700, 3_200]); // and the end, by the caller
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that a stop ends are shown as still to come, because another process brings them, until the end', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const shown: ListOutcome['cards'][] = [];
    const show = async ({ cards }: ListOutcome) => void shown.push(cards);
    const stops = { start: () => Promise.reject(new Stopping()) };
    const answersAfter = (ms: number) => ({
      start: () => new Promise<CardRecord>((resolve) => setTimeout(resolve, ms, ANSWER)),
    });
    const ended = lookUpList([answersAfter(10), stops, { known: ANSWER, ...stops }, answersAfter(60_000)], {
      show,
      isWorthShowing,
    });
    await vi.advanceTimersByTimeAsync(60_000);

    const [answered, stopped] = [{ answer: ANSWER }, { error: expect.any(Stopping) }];
    const renewing = { answer: ANSWER, isRenewing: true };
    expect(shown.at(-1)).toEqual([answered, undefined, renewing, undefined]);
    expect((await ended).cards).toEqual([answered, stopped, { ...answered, ...stopped }, answered]);
  });
});

const PACE = { requestsPerMinute: 600, burst: 20 };
const IDS = ['base1-1', 'base1-2', 'base1-3', 'base1-4'];

describe('what a list cost', () => {
  const bulk = { bulkPath: '/cards?ids={ids}', most: 20 };

  /** Lists of the same four cards by so many members, at once; `elsewhere`: another process has those cards under way. */
  function lists(members: number, setting: { bulk?: typeof bulk; elsewhere?: readonly string[] } = {}) {
    fakeTime();
    const service = createCardService({ ...PACE, requestsPerDay: 1_000, latencyMs: 50 });
    const elsewhere = new Set(setting.elsewhere);
    const claims: Claims = {
      isShared: true,
      claim: async (name) => (elsewhere.has(name.slice('card:'.length)) ? { heldForMs: 1 } : 'mine'),
      release: async () => {},
    };
    const world = lookupQueueOver(service, { plan: 'free', ...PACE }, { ...setting, claims });
    const begin = () =>
      Array.from({ length: members }, (_, member) =>
        lookUpList(
          IDS.map((id) => ({
            start: (listeners) => world.queue.enqueue({ ...lookup(id, by(`member ${member}`)), ...listeners }),
          })),
        ),
      );
    return { ...world, ...{ service, elsewhere, begin } };
  }

  const cost = async (ended: Promise<ListOutcome>[]) => {
    await vi.advanceTimersByTimeAsync(20_000);
    return (await Promise.all(ended)).map((list) => [list.fromMemory, list.requested, list.requests]);
  };

  it.each([
    ['one for each card', undefined, 4],
    ['the first card, and the others together', bulk, 2],
  ])('is every request once, also for the member who joins those under way: %s', async (_, listing, requests) => {
    const { service, begin } = lists(2, listing && { bulk: listing });
    const first = begin();
    await vi.advanceTimersByTimeAsync(10);
    expect(await cost([...first, ...begin()])).toEqual(Array(4).fill([0, 4, requests]));
    expect(service.requests).toHaveLength(requests);
  });

  it.each([
    ['leaves out a 429, which the service does not count', { status: 429, headers: { 'retry-after': '1' } }, 4],
    ['has a failure that it counts', { status: 500 }, 5],
  ])('%s', async (_, fault, requests) => {
    const { service, begin } = lists(1);
    service.script(fault);
    expect(await cost(begin())).toEqual([[0, 4, requests]]);
  });

  it('has the requests of another process, too', async () => {
    const { elsewhere, begin, storedCards } = lists(1, { elsewhere: ['base1-1', 'base1-2', 'base1-3'] });
    const ended = begin();
    await vi.advanceTimersByTimeAsync(100);
    for (const [at, id] of [...elsewhere].entries()) {
      const card = { id, name: id, game: 'T', set: { id: 's', name: 'S' } };
      storedCards.set(id, { card, fetchedAtMs: Date.now() - (at < 2 ? 50 : 20) }); // two of them in one list
    }
    elsewhere.clear();
    expect(await cost(ended)).toEqual([[0, 4, 3]]);
  });
});

it('is logged as answered when a card came, and otherwise by its first error', () => {
  const none: CardOutcome = { answer: ANSWER };
  const card: CardOutcome = {
    answer: { ...ANSWER, card: { id: 'a', name: 'A', game: 'T', set: { id: 's', name: 'S' } } },
  };
  const failed = (error: CardServiceError): CardOutcome => ({ error });
  const refused = failed(new KeyRefused({ status: 401 }));
  expect(listEnd({ cards: [none, refused, card] })).toEqual({ outcome: 'answered', shown: 1, asked: 3 });
  expect(listEnd({ cards: [none, refused, none] })).toEqual({ outcome: 'KeyRefused', shown: 0, asked: 3 });
  expect(listEnd({ cards: [none, none] })).toEqual({ outcome: 'answered', shown: 0, asked: 2 });
});
