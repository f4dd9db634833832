import { LRUCache } from 'lru-cache';
import { NOTHING_SET, type ServerSettings } from '../model/invocation.ts';
import type { Requester } from '../model/quota.ts';
import { DAY_MS, utcDay } from '../time/utc-day.ts';

/** One setting that changes. `language: undefined`: automatic again. */
export type SettingsChange = { language: string | undefined } | { isPrivate: boolean };

/** The settings of servers as texts by name, each kept by itself, in files or in a Redis. No method rejects. */
export interface SettingsStore {
  /** Those with any setting, or with one that was there; what is kept no longer is deleted. @returns `undefined` when they cannot be read now */
  servers(): Promise<readonly string[] | undefined>;
  /** Empty for a server without any. @returns `undefined` when it cannot be read now */
  read(guildId: string): Promise<Readonly<Record<string, string>> | undefined>;
  /** @param value `undefined` deletes the setting @returns whether it is kept */
  write(guildId: string, name: string, value: string | undefined): Promise<boolean>;
  /** Keeps what is set for `SETTINGS_KEPT_MS` from now. */
  touch(guildId: string): Promise<void>;
}

/** After the last use in a server. A bot without intents is not told that it was removed from one. */
export const SETTINGS_KEPT_MS = 365 * DAY_MS;

/**
 * Discord sends everything of a server to one process, so what another has changed matters only after a restart, or when
 * an operator deletes it.
 */
const FRESH_MS = 60_000;
/** Servers, of 0.5 kB each. */
const MAX_KNOWN = 10_000;

interface KnownSettings {
  settings: Promise<ServerSettings>;
  freshUntilMs: number;
  touchedDay: string | undefined;
}

/** The settings of every server; read once a minute from their store, and changed at once. */
export class SettingsOfServers {
  readonly #store: SettingsStore;
  readonly #known = new LRUCache<string, KnownSettings>({ max: MAX_KNOWN });
  /** Where anything may be set, as of the last `renew`; elsewhere nothing has to be read. `undefined`: not known yet. */
  servers: Set<string> | undefined;

  constructor(store: SettingsStore) {
    this.#store = store;
  }

  /** Learns in which servers other processes have set something. Costs one read. */
  async renew(): Promise<void> {
    const found = await this.#store.servers();
    if (found) this.servers = new Set([...(this.servers ?? []), ...found]);
  }

  /** What was known last when they cannot be read. Nothing is set in direct messages, nor where a member brought the bot along. */
  async of({ guildId, isInstalled }: Pick<Requester, 'guildId' | 'isInstalled'>): Promise<ServerSettings> {
    if (guildId === undefined || isInstalled === false) return NOTHING_SET;
    const known = this.#known.get(guildId);
    return known && Date.now() < known.freshUntilMs ? known.settings : this.#read(guildId);
  }

  /** The other setting stays as it is, whoever changes it meanwhile. @returns what is set now; `undefined` when the change is not kept */
  async change(guildId: string, change: SettingsChange): Promise<ServerSettings | undefined> {
    const isKept = await this.#store.write(guildId, ...stored(change));
    if (!isKept) return undefined;
    this.servers?.add(guildId);
    return this.#read(guildId);
  }

  #read(guildId: string): Promise<ServerSettings> {
    const nowMs = Date.now();
    const before = this.#known.get(guildId);
    const reading = this.#store.read(guildId);
    const settings = reading.then((found) => (found ? settingsOf(found) : (before?.settings ?? NOTHING_SET)));
    // Known from its beginning on, so that a slow read does not replace what was changed meanwhile.
    const known: KnownSettings = { settings, freshUntilMs: nowMs + FRESH_MS, touchedDay: before?.touchedDay };
    this.#known.set(guildId, known);
    void reading.then((found) => {
      if (!found) known.freshUntilMs = 0;
      else if (Object.keys(found).length > 0) this.#touch(guildId, known, utcDay(nowMs));
    });
    return settings;
  }

  /** Once a day. */
  #touch(guildId: string, known: KnownSettings, today: string): void {
    if (known.touchedDay === today) return;
    known.touchedDay = today;
    void this.#store.touch(guildId);
  }
}

/** A text that means nothing to this version is as if it were not set. */
function settingsOf({ language, replies }: Readonly<Record<string, string>>): ServerSettings {
  return { ...(language !== undefined && { language }), isPrivate: replies === 'private' };
}

function stored(change: SettingsChange): [name: string, value: string | undefined] {
  if ('language' in change) return ['language', change.language];
  return ['replies', change.isPrivate ? 'private' : undefined];
}
