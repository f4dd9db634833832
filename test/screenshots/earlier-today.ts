import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { utcDay, utcHour } from '../../src/time/utc-day.ts';

/** Requests and answers from memory in each hour of a lively day, in UTC. */
const HOURS: readonly (readonly [requests: number, saved: number])[] = [
  ...[
    [9, 41],
    [5, 22],
    [3, 12],
    [2, 9],
    [2, 7],
    [4, 11],
    [8, 26],
    [14, 45],
    [21, 80],
    [26, 104],
    [30, 131],
    [28, 150],
  ],
  ...[
    [33, 171],
    [31, 160],
    [36, 190],
    [39, 214],
    [44, 240],
    [52, 291],
    [61, 330],
    [66, 352],
    [58, 310],
    [40, 222],
  ],
  ...[
    [25, 130],
    [14, 70],
  ],
] as [number, number][];
/** How the requests are shared among the members. */
const SHARES = [0.46, 0.31, 0.23];

/** What `requestsEarlier` says was sent, as the ledger of a stopped bot has it. */
export function bookEarlierToday({ discord, config }: Pick<Sandbox, 'discord' | 'config'>): void {
  const nowMs = Date.now();
  const day = utcDay(nowMs);
  const guild = discord.guilds[0]?.id ?? '';
  const database = new DatabaseSync(join(config.dataDir, 'state.sqlite'));
  database.prepare('DELETE FROM bookings').run();
  database.prepare('DELETE FROM hours').run();
  const sums = { requests: 0, saved: 0 };
  for (const [hour, [requests, saved]] of earlier(nowMs).entries()) {
    database.prepare('INSERT INTO hours VALUES (?, ?, ?, ?)').run(day, hour, sums.requests, sums.saved);
    sums.requests += requests;
    sums.saved += saved;
  }
  const book = database.prepare('INSERT INTO bookings VALUES (?, ?, ?, ?, 0, ?)');
  for (const [index, share] of SHARES.entries()) {
    const member = discord.members[index]?.id ?? '';
    book.run(day, guild, member, Math.round(sums.requests * share), Math.round(sums.saved * share));
  }
  database.close();
}

/** Requests of the day before this hour. */
export function requestsEarlier(nowMs: number): number {
  return earlier(nowMs).reduce((sum, [requests]) => sum + requests, 0);
}

function earlier(nowMs: number) {
  return HOURS.slice(0, utcHour(nowMs));
}
