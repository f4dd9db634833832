import { expect, it, onTestFinished, vi } from 'vitest';
import { knownPrintings } from '../../src/catalog/known-printings.ts';

const WHO = { memberId: '1', guildId: '2' };

it('what is not known yet is offered without a wait, and known the next time', async () => {
  const countPrintings = vi.fn(async () => 0);
  const hasPrintings = knownPrintings({ countPrintings });
  for (const time of ['first', 'again']) expect([time, hasPrintings('base1-4', WHO, false)]).toEqual([time, true]);
  await vi.waitFor(() => expect(countPrintings).toHaveBeenCalled());
  expect(hasPrintings('base1-4', WHO, false)).toBe(false);
  expect(countPrintings).toHaveBeenCalledTimes(1);
  expect(hasPrintings('base1-5', WHO, false)).toBe(true);
  await vi.waitFor(() => expect(hasPrintings('base1-5', WHO, false)).toBe(false));
});

it('what was found last is offered until it is found anew, after ten minutes', async () => {
  const countPrintings = vi.fn(async () => 0);
  const hasPrintings = knownPrintings({ countPrintings });
  await hasPrintings('base1-4', WHO, true);
  countPrintings.mockReturnValue(new Promise(() => {}));
  const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 600_001);
  onTestFinished(() => now.mockRestore());
  const offered = new Set<unknown>();
  await vi.waitFor(() => {
    offered.add(hasPrintings('base1-4', WHO, false));
    expect(countPrintings).toHaveBeenCalledTimes(2);
  });
  expect(offered).toEqual(new Set([false]));
});

it('with time the catalog is asked, and what it cannot tell is not offered', async () => {
  const counts = [3, undefined, 0];
  const hasPrintings = knownPrintings({ countPrintings: async () => counts.shift() });
  for (const expected of [true, false, false]) expect(await hasPrintings('base1-4', WHO, true)).toBe(expected);
});
