import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { utcDay } from '../../src/time/utc-day.ts';
import { inWorld, storedRows } from '../support/world.ts';

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
