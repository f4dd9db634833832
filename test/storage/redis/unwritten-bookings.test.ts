import { describe, expect, it } from 'vitest';
import { guildScope, memberScope, UnwrittenBookings } from '../../../src/storage/redis/unwritten-bookings.ts';

const DAY = '2026-11-21';
const ALICE = { memberId: 'alice', guildId: 'guild' };

function booking(memberId: string, day = DAY) {
  return { requester: { memberId, guildId: 'guild' }, day };
}

describe('UnwrittenBookings', () => {
  it('count in the total, for the server and for the member', () => {
    const unwritten = new UnwrittenBookings();
    unwritten.add(booking('alice'), { requests: 1 });
    unwritten.add(booking('bob'), { saved: 1 });
    expect(unwritten.sum(DAY, 'all')).toEqual({ requests: 1, refused: 0, saved: 1 });
    expect(unwritten.sum(DAY, guildScope(ALICE))).toEqual({ requests: 1, refused: 0, saved: 1 });
    expect(unwritten.sum(DAY, memberScope('alice'))).toEqual({ requests: 1, refused: 0, saved: 0 });
    expect(unwritten.members(DAY, 'guild')).toEqual([{ memberId: 'alice', requests: 1 }]);
  });

  it('are in one batch per day', () => {
    const unwritten = new UnwrittenBookings();
    for (const day of ['2026-11-20', DAY, '2026-11-20']) unwritten.add(booking('alice', day), { requests: 1 });
    expect(unwritten.next()).toMatchObject({ number: 1, day: '2026-11-20' });
    expect(unwritten.sum('2026-11-20', 'all').requests).toBe(2);
    expect(unwritten.sum(DAY, 'all').requests).toBe(1);
  });

  it('change no batch that was sent, and return it again until it is written', () => {
    const unwritten = new UnwrittenBookings();
    unwritten.add(booking('alice'), { requests: 1 });
    const sent = unwritten.next();
    unwritten.add(booking('alice'), { requests: 1 });
    expect(sent?.sums.get('all')?.requests).toBe(1);
    expect(unwritten.next()).toBe(sent);
    if (sent) unwritten.written(sent);
    expect(unwritten.next()).toMatchObject({ number: 2 });
  });

  it('add to a total what came after the last batch in it', () => {
    const unwritten = new UnwrittenBookings();
    unwritten.add(booking('alice'), { requests: 1 });
    const first = unwritten.next();
    unwritten.add(booking('alice'), { requests: 1 });
    if (first) unwritten.written(first);
    const requests = (...number: number[]) => unwritten.sum(DAY, 'all', ...number).requests;
    expect([requests(0), requests(1), requests(2), requests()]).toEqual([2, 1, 0, 1]);
  });

  it('are empty once all are written', () => {
    const unwritten = new UnwrittenBookings();
    expect(unwritten.isEmpty).toBe(true);
    unwritten.add(booking('alice'), { requests: 1 });
    expect(unwritten.isEmpty).toBe(false);
    const batch = unwritten.next();
    if (batch) unwritten.written(batch);
    expect(unwritten.isEmpty).toBe(true);
    expect(unwritten.next()).toBeUndefined();
  });

  it('are bounded: beyond 50 batches only the total grows', () => {
    const unwritten = new UnwrittenBookings();
    for (let member = 0; member < 60_000; member++) unwritten.add(booking(`member ${member}`), { requests: 1 });
    let batches = 0;
    let scopes = 0;
    const inAll = unwritten.sum(DAY, 'all').requests;
    const inGuild = unwritten.sum(DAY, guildScope(ALICE)).requests;
    for (let batch = unwritten.next(); batch; batch = unwritten.next()) {
      batches++;
      scopes += batch.sums.size;
      unwritten.written(batch);
    }
    expect({ batches, scopes, inAll, inGuild }).toEqual({
      batches: 50,
      scopes: 50_000,
      inAll: 60_000,
      inGuild: 50 * 998,
    });
  });
});
