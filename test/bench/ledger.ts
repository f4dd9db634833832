import { join } from 'node:path';
import { createLog } from '../../src/log.ts';
import { Ledger } from '../../src/quota/ledger.ts';
import { LEDGER_SCHEMA, SqliteCounters } from '../../src/storage/sqlite/counters.ts';
import { openDatabase } from '../../src/storage/sqlite/database.ts';
import { onFinished, scoped } from '../support/on-finished.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { quantile } from './quantile.ts';
import { type BenchTable, timed } from './table.ts';

const MEMBERS_OF_A_DAY = [1_000, 10_000, 100_000] as const;
const READS = 200;
/** Of a read with most members, which includes the noise of a slow machine. */
const MOST_MS = 0.2;

const READ: Readonly<Record<string, (ledger: Ledger, member: string) => Promise<unknown>>> = {
  'a member today': (ledger, member) => ledger.memberToday(member),
  'a server today': (ledger, memberId) => ledger.guildToday({ memberId, guildId: 'guild' }),
  'all today': (ledger) => ledger.today(),
  'most in a server': (ledger, memberId) => ledger.topMembers({ memberId, guildId: 'guild' }, 5),
  'kept about a member': (ledger, member) => ledger.counters.keptOf(member),
};

/** What is read of the ledger on the way of a command, which is synchronous: all in one server. */
export async function ledgerCosts(): Promise<BenchTable> {
  const columns = Object.keys(READ);
  const figures = [];
  for (const members of MEMBERS_OF_A_DAY) figures.push({ members, ms: await scoped(() => readsMs(members)) });
  const slowestMs = Math.max(...(figures.at(-1)?.ms ?? []));
  return {
    title: 'Counts in files, by the members of a day',
    columns: ['members of the day', ...columns],
    rows: figures.map(({ members, ms }) => [
      members.toLocaleString('en'),
      ...ms.map((each) => `${each.toFixed(3)} ms`),
    ]),
    verdicts: [
      timed(
        `a count at 100,000 members of a day within ${MOST_MS} ms (${slowestMs.toFixed(3)} ms)`,
        slowestMs <= MOST_MS,
      ),
    ],
    notes: [`Medians of ${READS} reads, each after something was booked. All members are in one server.`],
  };
}

async function readsMs(members: number): Promise<number[]> {
  const log = createLog({ level: 'silent', secrets: [] });
  const file = join(temporaryFolder('bench'), 'state.sqlite');
  const database = openDatabase(file, { log, schema: LEDGER_SCHEMA, lossMeans: '' });
  onFinished(() => database.close());
  const ledger = new Ledger(new SqliteCounters(database));
  const requesterOf = (index: number) => ({ memberId: String(10n ** 17n + BigInt(index)), guildId: 'guild' });
  for (let index = 0; index < members; index++) ledger.saved(requesterOf(index));
  await ledger.close();
  const medians: number[] = [];
  for (const read of Object.values(READ)) {
    const times: number[] = [];
    for (let at = 0; at < READS; at++) {
      const requester = requesterOf(Math.floor((at * members) / READS));
      ledger.spent(requester);
      await ledger.close();
      const startedMs = performance.now();
      await read(ledger, requester.memberId);
      times.push(performance.now() - startedMs);
    }
    medians.push(quantile(times, 0.5));
  }
  return medians;
}
