import { join } from 'node:path';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { createLog } from '../../src/log.ts';
import { LEDGER_SCHEMA } from '../../src/storage/sqlite/counters.ts';
import { openDatabase } from '../../src/storage/sqlite/database.ts';
import { utcDay, utcHour } from '../../src/time/utc-day.ts';

/** In each hour of a lively day, in UTC. */
const REQUESTS = [9, 5, 3, 2, 2, 4, 8, 14, 21, 26, 30, 28, 33, 31, 36, 39, 44, 52, 61, 66, 58, 40, 25, 14];
/** Answers from memory. */
const SAVED = [
  41, 22, 12, 9, 7, 11, 26, 45, 80, 104, 131, 150, 171, 160, 190, 214, 240, 291, 330, 352, 310, 222, 130, 70,
];
/** How the requests are shared among the members, so that each stays below what a member may cause. */
const SHARES = [0.13, 0.21, 0.17, 0.04, 0.12, 0.1, 0.09, 0.08, 0.06];

/** What `requestsEarlier` says was sent, as the ledger of a bot that is not running yet has it. */
export function bookEarlierToday({ discord, config }: Pick<Sandbox, 'discord' | 'config'>): void {
  const log = createLog({ level: 'silent', secrets: [] });
  const database = openDatabase(join(config.dataDir, 'state.sqlite'), { log, schema: LEDGER_SCHEMA, lossMeans: '' });
  const nowMs = Date.now();
  const day = utcDay(nowMs);
  const noteHour = database.prepare('INSERT INTO hour_starts VALUES (?, ?, ?, ?)');
  const sums = { requests: 0, saved: 0 };
  for (let hour = 0; hour < utcHour(nowMs); hour++) {
    noteHour.run(day, hour, sums.requests, sums.saved);
    sums.requests += REQUESTS[hour] ?? 0;
    sums.saved += SAVED[hour] ?? 0;
  }
  const book = database.prepare('INSERT INTO counts VALUES (?, ?, ?, ?, 0, ?)');
  const guild = discord.guilds[0]?.id ?? '';
  const booked = { requests: 0, saved: 0 };
  for (const [index, share] of SHARES.entries()) {
    const member = discord.members[index]?.id ?? '';
    const [requests, saved] = [Math.round(sums.requests * share), Math.round(sums.saved * share)];
    book.run(member, day, guild, requests, saved);
    booked.requests += requests;
    booked.saved += saved;
  }
  for (const server of [guild, '']) book.run('', day, server, booked.requests, booked.saved);
  database.close();
}

/** Requests of the day before this hour. */
export function requestsEarlier(nowMs: number): number {
  return REQUESTS.slice(0, utcHour(nowMs)).reduce((sum, requests) => sum + requests, 0);
}
