import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import { startBackends } from '../support/backends.ts';
import { startBotProcess } from '../support/bot-process.ts';
import { ERROR, WARN } from '../support/log-lines.ts';
import { logOf } from '../support/processes.ts';
import { cardRequests, hasCard, inWorld, storedCardIds, type World } from '../support/world.ts';

const IDS = SAMPLE_CARDS.map(({ id }) => id);
const PAGE_BYTES = 4_096;

function logged({ lines }: World, least: number): unknown[] {
  return lines.filter(({ level }) => Number(level) >= least).map(({ msg }) => msg);
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
  expect(logged(world, WARN)).toEqual(['card store failed: cards are kept in memory only']);
  expect(world.lines).toContainEqual(expect.objectContaining({ msg: 'card store works again', failures: 12 }));
});

inWorld('cards that are damaged at the start are put aside with an error in the log, and begin anew', async (world) => {
  const { dataDir } = world.config;
  await world.card('base1-4').settled();
  await world.stopBot();
  truncateSync(join(dataDir, 'cards.sqlite'), 2 * PAGE_BYTES);

  await world.restartBot();
  const known = await world.card('base1-4').settled();
  await world.restartBot();

  expect(known.embeds).toHaveLength(1);
  expect(cardRequests(world)).toHaveLength(2);
  expect(storedCardIds(dataDir)).toContain('base1-4');
  expect(logged(world, ERROR)).toEqual([
    'database file is corrupt and was moved aside: cached cards are requested again',
  ]);
  const moved = readdirSync(dataDir).filter((name) => name.includes('.corrupt-') && !/-(?:wal|shm)$/.test(name));
  expect(moved.map((name) => name.split('.corrupt-')[0])).toEqual(['cards.sqlite']);
});

inWorld('a state.sqlite that is damaged stops the start with a sentence, and stays where it is', async (world) => {
  await world.card('base1-4').settled();
  await world.stopBot();
  const state = join(world.config.dataDir, 'state.sqlite');
  const damaged = readFileSync(state).fill(0xff, PAGE_BYTES, 3 * PAGE_BYTES);
  writeFileSync(state, damaged);

  await expect(world.restartBot()).rejects.toThrow(/state\.sqlite cannot be used \(.+\)\. Put the newest of backups\//);
  expect(readFileSync(state).equals(damaged)).toBe(true);
});

inWorld('an invalid row in the state is dropped with a warning, and the bot starts', async (world) => {
  await world.card('base1-4').settled();
  await world.stopBot();
  using state = new DatabaseSync(join(world.config.dataDir, 'state.sqlite'));
  state.exec(`
    UPDATE rows SET value = '{"state":{"fullAtMs":"soon"}}' WHERE part = 'limiter';
    UPDATE rows SET value = 'many' WHERE key LIKE '%requests';
    UPDATE rows SET value = x'00ff' WHERE key LIKE '%saved';
    INSERT OR IGNORE INTO parts VALUES ('replies', 9e15), ('replies:texts', 9e15);
    INSERT INTO rows VALUES ('replies', '1', '-'), ('replies', '2', '-'), ('replies', '3', '-');
    INSERT INTO rows VALUES ('replies:texts', '1', '{"token":'), ('replies:texts', '3', x'00ff');
    INSERT INTO rows VALUES ('replies:texts', '2', '{"token":"aW50ZXJhY3Rpb246"}');
  `);
  state.close();

  await world.restartBot();
  const { embeds } = await world.card(IDS[9] ?? '').settled();
  const usage = await world.usage().settled();

  expect(embeds).toHaveLength(1);
  expect(usage.embeds).toHaveLength(1);
  // Of the limiter, three replies, and a count
  expect(logged(world, WARN)).toEqual(Array(5).fill('a row of state.sqlite cannot be read: it is dropped'));
  await world.stopBot();
  using after = new DatabaseSync(join(world.config.dataDir, 'state.sqlite'));
  expect(after.prepare("SELECT * FROM rows WHERE part GLOB 'replies*'").all()).toEqual([]);
});

/** Of a process with a full disk on a busy machine: the catalog may not have begun to write, Discord may answer late. */
const NEED_NOT_BE = new Set<string | undefined>(['catalog failed', 'discord did not confirm the first answer']);

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
