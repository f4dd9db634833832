import type { DatabaseSync } from 'node:sqlite';
import { SETTINGS_KEPT_MS, type SettingsStore } from '../../settings/server-settings.ts';
import { utcDay } from '../../time/utc-day.ts';
import type { StateWrites } from './state-rows.ts';

/** `used_day`: the last day on which the bot was used in the server. */
export const SETTINGS_SCHEMA = `
  CREATE TABLE IF NOT EXISTS server_settings (
    guild TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, used_day TEXT NOT NULL,
    PRIMARY KEY (guild, name)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS settings_by_used_day ON server_settings (used_day);
`;

/** The settings of servers, in `state.sqlite`. Those that are kept no longer are deleted on each day. */
export function sqliteSettings(database: DatabaseSync, writes: StateWrites): SettingsStore {
  const run = (sql: string, ...values: string[]) => writes.try(() => database.prepare(sql).run(...values));
  let sweptDay = '';
  return {
    async servers() {
      const today = utcDay(Date.now());
      if (sweptDay !== today)
        run('DELETE FROM server_settings WHERE used_day < ?', utcDay(Date.now() - SETTINGS_KEPT_MS));
      sweptDay = today;
      try {
        return database
          .prepare('SELECT DISTINCT guild FROM server_settings')
          .all()
          .map(({ guild }) => String(guild));
      } catch {
        return undefined;
      }
    },
    async read(guildId) {
      try {
        const rows = database.prepare('SELECT name, value FROM server_settings WHERE guild = ?').all(guildId);
        return Object.fromEntries(rows.map(({ name, value }) => [String(name), String(value)]));
      } catch {
        return undefined;
      }
    },
    async write(guildId, name, value) {
      if (value === undefined) return run('DELETE FROM server_settings WHERE guild = ? AND name = ?', guildId, name);
      const replace = 'INSERT OR REPLACE INTO server_settings VALUES (?, ?, ?, ?)';
      return run(replace, guildId, name, value, utcDay(Date.now()));
    },
    async touch(guildId) {
      const today = utcDay(Date.now());
      run('UPDATE server_settings SET used_day = ?1 WHERE guild = ?2 AND used_day <> ?1', today, guildId);
    },
  };
}
