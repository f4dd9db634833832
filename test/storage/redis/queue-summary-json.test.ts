import { expect, it } from 'vitest';
import { EMPTY_QUEUE, readQueueSummary } from '../../../src/storage/redis/queue-summary-json.ts';

const payer = { memberId: 'ann', guildId: undefined };
const queuedAtMs = { lane: 'members', rank: { member: 1, guild: 2 }, queuedAtMs: 3 };

it.each([
  ['as it was told', { payer, requesters: [payer, { memberId: 'bob', guildId: 'g' }] }, 2],
  ['of an earlier version, in which only who pays is known to wait', { payer }, 1],
])('reads a line %s', (_, known, requesters) => {
  const line = readQueueSummary(JSON.stringify({ ...EMPTY_QUEUE, waiting: [{ ...queuedAtMs, ...known }] }));
  expect(line?.waiting).toEqual([{ ...queuedAtMs, payer, requesters: expect.any(Array) }]);
  expect(line?.waiting[0]?.requesters).toHaveLength(requesters);
});

it('reads nothing from a line that does not fit', () => {
  expect(readQueueSummary('{"waiting":1}')).toBeUndefined();
});
