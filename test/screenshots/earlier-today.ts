import { join } from 'node:path';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { createLog } from '../../src/log.ts';
import { openFile } from '../../src/storage/sqlite/file.ts';
import { ROWS_SCHEMA, SqliteRows } from '../../src/storage/sqlite/rows.ts';
import { DAY_MS, utcDay } from '../../src/time.ts';

/** In each hour of a lively day until the evening, in UTC. */
const REQUESTS = [9, 5, 3, 2, 2, 4, 8, 14, 21, 26, 30, 28, 33, 31, 36, 39, 44, 51];
/** Answers from memory. */
const SAVED = [41, 22, 12, 9, 7, 11, 26, 45, 80, 104, 131, 150, 171, 160, 190, 214, 240, 290];
/** The requests of each member: as many, and each below what a member may cause. */
const OF_MEMBERS = [50, 81, 66, 15, 46, 39, 35, 31, 23];
/** What the service has counted: one request more, by somebody else. */
export const USED_EARLIER = 387;

/** What others have done today, as the ledger of a bot that is not running yet has it. */
export function bookEarlierToday({ discord, config }: Pick<Sandbox, 'discord' | 'config'>): void {
  const log = createLog({ level: 'silent', secrets: [] });
  const { database } = openFile(join(config.dataDir, 'state.sqlite'), { log, schema: ROWS_SCHEMA, lossMeans: '' });
  const rows = new SqliteRows(database, log);
  const day = utcDay(Date.now());
  const [part, guildId] = [`ledger:${day}`, discord.guilds[0]?.id];
  const ofGuild = `${part}:${guildId}`;
  const byHour = (counts: readonly number[], kind: string) => [
    ...counts.map((add, hour) => ({ part, key: `${hour} ${kind}`, add })),
    { part: ofGuild, key: kind, add: counts.reduce((sum, count) => sum + count) },
  ];
  const byMember = OF_MEMBERS.flatMap((add, at) => {
    const memberId = discord.members[at]?.id;
    return [
      { part: `${part}:of:${memberId}`, key: `${day} ${guildId} requests`, add },
      { part: ofGuild, key: `of ${memberId}`, add },
    ];
  });
  const changes = [...byHour(REQUESTS, 'requests'), ...byHour(SAVED, 'saved'), ...byMember];
  void rows.write(changes, { keepMs: DAY_MS });
  rows.close();
  database.close();
}
