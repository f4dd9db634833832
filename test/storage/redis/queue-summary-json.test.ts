import { expect, it } from 'vitest';
import { EMPTY_QUEUE, readQueueSummary } from '../../../src/storage/redis/queue-summary-json.ts';

const payer = { memberId: 'ann', guildId: undefined };
const place = { lane: 'members', rank: { member: 1, guild: 2 }, queuedAtMs: 3 };

it.each([
  ['with all requesters', { payer, requesters: [payer, { memberId: 'bob', guildId: 'g' }] }, 2],
  ['of an earlier version, in which the payer is the only requester', { payer }, 1],
])('reads a summary %s', (_, known, requesters) => {
  const summary = readQueueSummary(JSON.stringify({ ...EMPTY_QUEUE, waiting: [{ ...place, ...known }] }));
  expect(summary?.waiting).toEqual([{ ...place, payer, requesters: expect.any(Array) }]);
  expect(summary?.waiting[0]?.requesters).toHaveLength(requesters);
});

it('gives nothing for an invalid summary', () => {
  expect(readQueueSummary('{"waiting":1}')).toBeUndefined();
});
