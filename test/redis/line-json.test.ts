import { expect, it } from 'vitest';
import { EMPTY_LINE, readLine } from '../../src/redis/line-json.ts';

const payer = { memberId: 'ann', guildId: undefined };
const place = { lane: 'members', rank: { member: 1, guild: 2 }, place: 3 };

it.each([
  ['as it was told', { payer, askers: [payer, { memberId: 'bob', guildId: 'g' }] }, 2],
  ['of an earlier version, in which only who pays is known to wait', { payer }, 1],
])('reads a line %s', (_, known, askers) => {
  const line = readLine(JSON.stringify({ ...EMPTY_LINE, waiting: [{ ...place, ...known }] }));
  expect(line?.waiting).toEqual([{ ...place, payer, askers: expect.any(Array) }]);
  expect(line?.waiting[0]?.askers).toHaveLength(askers);
});

it('reads nothing from a line that does not fit', () => {
  expect(readLine('{"waiting":1}')).toBeUndefined();
});
