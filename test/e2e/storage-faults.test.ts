import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { utcDay } from '../../src/time.ts';
import { startBackends } from '../support/backends.ts';
import { startBotProcess } from '../support/bot-process.ts';
import { ERROR, WARN } from '../support/log-lines.ts';
import { logOf } from '../support/processes.ts';
import { cardRequests, hasCard, IDS, inWorld, storedCardIds, storedRows, type World } from '../support/world.ts';

const PAGE_BYTES = 4_096;

function warnings({ lines }: World): unknown[] {
  return lines.filter(({ level }) => Number(level) >= WARN).map(({ msg }) => msg);
}

inWorld('a card store that another connection has locked delays no answer beyond the 3 s of Discord', async (world) => {
  using other = new DatabaseSync(join(world.config.dataDir, 'cards.sqlite'));
  other.exec('BEGIN IMMEDIATE');

  const lookups = IDS.slice(0, 12).map((id) => world.card(id));
  const replies = await Promise.all(lookups.map((typed) => typed.until(hasCard)));
  const again = await world.card(IDS[0] ?? '').settled();
  other.exec('ROLLBACK');
  await world.card(IDS[12] ?? '').until(hasCard);

  expect(replies).toHaveLength(12);
  expect(again.embeds).toHaveLength(1);
  expect(cardRequests(world)).toHaveLength(13); // the second answer came from memory
  expect(storedCardIds(world.config.dataDir)).toEqual([IDS[12]]);
  expect(warnings(world)).toEqual(['card store failed: cards are kept in memory only']);
  expect(world.lines).toContainEqual(expect.objectContaining({ msg: 'card store works again', failures: 12 }));
});

inWorld(
  'damaged cards are put aside with an error, a bad row of the state is dropped with a warning, and a damaged state stops the start',
  async (world) => {
    const { dataDir } = world.config;
    const state = join(dataDir, 'state.sqlite');
    await world.card('base1-4').settled();
    await world.stopBot();
    truncateSync(join(dataDir, 'cards.sqlite'), 2 * PAGE_BYTES);
    await world.restartBot();
    expect((await world.card('base1-4').settled()).embeds).toHaveLength(1);
    await world.stopBot();
    expect(cardRequests(world)).toHaveLength(2);
    expect(storedCardIds(dataDir)).toContain('base1-4');
    const moved = readdirSync(dataDir).filter((name) => name.includes('.corrupt-') && !/-(?:wal|shm)$/.test(name));
    expect(moved.map((name) => name.split('.corrupt-')[0])).toEqual(['cards.sqlite']);
    expect(world.lines).toContainEqual(
      expect.objectContaining({ level: ERROR, movedTo: join(dataDir, moved[0] ?? '') }),
    );

    using rows = new DatabaseSync(state);
    rows.exec(`
    UPDATE rows SET value = '{"state":{"fullAtMs":"soon"}}' WHERE part = 'limiter';
    UPDATE rows SET value = 'many' WHERE key LIKE '%requests';
    UPDATE rows SET value = x'00ff' WHERE key LIKE '%saved';
    INSERT OR IGNORE INTO parts VALUES ('replies', 9e15), ('replies:texts', 9e15);
    INSERT INTO rows VALUES ('replies', '1', '-'), ('replies', '2', '-'), ('replies', '3', '-');
    INSERT INTO rows VALUES ('replies:texts', '1', '{"token":'), ('replies:texts', '3', x'00ff');
    INSERT INTO rows VALUES ('replies:texts', '2', '{"token":"aW50ZXJhY3Rpb246"}');
  `);
    rows.close();
    await world.restartBot();
    expect((await world.card(IDS[9] ?? '').settled()).embeds).toHaveLength(1);
    expect((await world.usage().settled()).embeds).toHaveLength(1);
    await world.stopBot();
    expect([storedRows(dataDir, 'replies'), storedRows(dataDir, 'replies:texts')]).toEqual([{}, {}]);
    expect(warnings(world)).toEqual([
      'database file is corrupt and was moved aside: cached cards are requested again',
      // Of the limiter, three replies, and a count
      ...Array(5).fill('a row of state.sqlite cannot be read: it is dropped'),
    ]);

    const damaged = readFileSync(state).fill(0xff, PAGE_BYTES, 3 * PAGE_BYTES);
    writeFileSync(state, damaged);
    await expect(world.restartBot()).rejects.toThrow(
      /state\.sqlite cannot be used \(.+\)\. Put the newest of backups\//,
    );
    expect(readFileSync(state).equals(damaged)).toBe(true);
  },
);

/** What a process with a full disk may say besides: a busy machine may begin late what else writes, or answer late. */
const NEED_NOT_BE = new Set<string | undefined>([
  'catalog failed',
  'commands were not registered',
  'discord did not confirm the first answer',
]);

it('a process whose disk is full continues from memory, logs it once, and stops as usual', async () => {
  const { card, cardService, env } = await startBackends({ requestsPerMinute: 6_000, burst: 100 });
  const bot = startBotProcess(env, 150);
  await bot.wrote('gateway ready');
  const lookUp = (id: string) => card(id).until(hasCard);

  const ids = IDS.slice(0, 60);
  const first = await Promise.all(ids.map(lookUp));
  const again = await Promise.all(ids.map(lookUp));

  bot.child.kill('SIGTERM');
  expect(await bot.ended).toBe(0);
  expect([first.length, again.length, cardService.counts.total]).toEqual([60, 60, 60]);
  const warnings = logOf(bot).flatMap(({ level, msg }) => (Number(level) >= WARN ? [String(msg).split(':')[0]] : []));
  expect(warnings.filter((what) => !NEED_NOT_BE.has(what)).sort()).toEqual([
    'card store failed',
    'state cannot be written',
  ]);
});

const EARLIER = utcDay(Date.now() - 86_400_000);

inWorld('what is set in a server is kept for a year after any command there', async (world) => {
  const { dataDir } = world.config;
  const guildId = world.discord.guilds[0]?.id ?? '';
  const usedDay = () => JSON.parse(storedRows(dataDir, 'settings')[guildId] ?? '{}').usedDay;
  await world.stopBot();
  {
    using database = new DatabaseSync(join(dataDir, 'state.sqlite'));
    database.prepare('INSERT INTO parts VALUES (?, ?)').run('settings', Date.now() + 86_400_000);
    const json = JSON.stringify({ language: 'de', usedDay: EARLIER });
    database.prepare('INSERT INTO rows VALUES (?, ?, ?)').run('settings', guildId, json);
  }
  await world.restartBot(); // knows at once in which servers anything is set
  await world.type('privacy').settled();
  await world.stopBot();
  expect(usedDay()).toBe(utcDay(Date.now()));
});
