import { expect, it, vi } from 'vitest';
import { knownPrintings } from '../../src/catalog/known-printings.ts';

const WHO = { memberId: '1', guildId: '2' };

it('what is not known yet is offered without a wait, and known the next time', async () => {
  const printings = vi.fn(async () => ({ cards: [], total: 0, page: 0 }) as never);
  const hasPrintings = knownPrintings({ printings });
  for (const time of ['first', 'again']) expect([time, hasPrintings('base1-4', WHO, false)]).toEqual([time, true]);
  await vi.waitFor(() => expect(printings).toHaveBeenCalled());
  expect(hasPrintings('base1-4', WHO, false)).toBe(false);
  expect(printings).toHaveBeenCalledTimes(1);
});

it('with time the catalog is asked, and what it cannot tell is not offered', async () => {
  const found = [{ total: 3 }, undefined, { total: 0 }];
  const hasPrintings = knownPrintings({ printings: async () => found.shift() as never });
  for (const expected of [true, false, false]) expect(await hasPrintings('base1-4', WHO, true)).toBe(expected);
});
