import { SETTINGS_KEPT_MS, type SettingsStore } from '../../settings/server-settings.ts';
import type { RedisLink } from './link.ts';
import { unlessUnavailable } from './unavailable.ts';

/** The name of a server's key, below the prefix. */
export function settingsKey(prefix: string, guildId: string): string {
  return `${prefix}:settings:${guildId}`;
}

/** The settings of servers, in a hash for each that has any. */
export function redisSettings(link: RedisLink): SettingsStore {
  const keyOf = (guildId: string) => settingsKey(link.prefix, guildId);
  /** The set of the servers that have a key. */
  const servers = `${link.prefix}:settings`;
  return {
    servers: () => unlessUnavailable(link.read((client) => client.sMembers(servers))),
    read: (guildId) => unlessUnavailable(link.read((client) => client.hGetAll(keyOf(guildId)))),
    async write(guildId, name, value) {
      const key = keyOf(guildId);
      const written = link.run((client) => {
        const change = client.multi();
        if (value === undefined) change.hDel(key, name);
        else change.hSet(key, name, value);
        change.sAdd(servers, guildId).pExpire(servers, SETTINGS_KEPT_MS);
        return change.pExpire(key, SETTINGS_KEPT_MS).exec();
      });
      return (await unlessUnavailable(written)) !== undefined;
    },
    async touch(guildId) {
      const keys = [keyOf(guildId), servers];
      await unlessUnavailable(
        link.run((client) => Promise.all(keys.map((key) => client.pExpire(key, SETTINGS_KEPT_MS)))),
      );
    },
  };
}
