import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ListOutcome, lookUpList } from '../../src/lookup/list-lookup.ts';
import type { CardRecord } from '../../src/model/card.ts';

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
});
