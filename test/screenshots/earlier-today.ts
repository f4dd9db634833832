import { join } from 'node:path';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { createLog } from '../../src/log.ts';
import { openFile } from '../../src/storage/sqlite/file.ts';
import { ROWS_SCHEMA, SqliteRows } from '../../src/storage/sqlite/rows.ts';
import { utcDay, utcHour } from '../../src/time.ts';

/** In each hour of a lively day until the evening, in UTC. */
const REQUESTS = [9, 5, 3, 2, 2, 4, 8, 14, 21, 26, 30, 28, 33, 31, 36, 39, 44, 52];
/** Answers from memory. */
const SAVED = [41, 22, 12, 9, 7, 11, 26, 45, 80, 104, 131, 150, 171, 160, 190, 214, 240, 291];
/** How the requests are shared among the members, so that each stays below what a member may cause. */
const SHARES = [0.13, 0.21, 0.17, 0.04, 0.12, 0.1, 0.09, 0.08, 0.06];

/** What `requestsEarlier` says was sent, as the ledger of a bot that is not running yet has it. */
export function bookEarlierToday({ discord, config }: Pick<Sandbox, 'discord' | 'config'>): void {
  const log = createLog({ level: 'silent', secrets: [] });
  const { database } = openFile(join(config.dataDir, 'state.sqlite'), { log, schema: ROWS_SCHEMA, lossMeans: '' });
  const rows = new SqliteRows(database, log);
  const nowMs = Date.now();
  const [day, hours] = [`ledger:${utcDay(nowMs)}`, utcHour(nowMs)];
  const sharesOf = (counts: readonly number[]) =>
    SHARES.map((share) => Math.round(sumOf(counts.slice(0, hours)) * share));
  const [requests, saved] = [sharesOf(REQUESTS), sharesOf(SAVED)];
  // The last hour has what rounding left.
  const byHour = (counts: readonly number[], sum: number, kind: string) =>
    Array.from({ length: hours }, (_, hour) => {
      const add = hour < hours - 1 ? (counts[hour] ?? 0) : sum - sumOf(counts.slice(0, hour));
      return { part: day, key: `${hour} ${kind}`, add };
    });
  const guild = `${day}:${discord.guilds[0]?.id}`;
  const changes = [
    ...byHour(REQUESTS, sumOf(requests), 'requests'),
    ...byHour(SAVED, sumOf(saved), 'saved'),
    { part: guild, key: 'requests', add: sumOf(requests) },
    { part: guild, key: 'saved', add: sumOf(saved) },
    ...requests.flatMap((add, index) => {
      const member = discord.members[index]?.id;
      const own = { part: `${day}:of:${member}`, key: `${utcDay(nowMs)} ${discord.guilds[0]?.id} requests`, add };
      return [own, { part: guild, key: `of ${member}`, add }];
    }),
  ];
  void rows.write(changes, { keepMs: 86_400_000 });
  rows.close();
  database.close();
}

/** Requests of the day before this hour. */
export function requestsEarlier(nowMs: number): number {
  return sumOf(REQUESTS.slice(0, utcHour(nowMs)));
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
