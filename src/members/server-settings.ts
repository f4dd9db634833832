import { z } from 'zod';
import { NOTHING_SET, type ServerSettings } from '../model/invocation.ts';
import type { Requester } from '../model/quota.ts';
import { type Rows, readJson, storedJson, update } from '../model/store/rows.ts';
import { DAY_MS, utcDay } from '../time.ts';

/** After the last use in a server. A bot without intents is not told that it was removed from one. */
export const SETTINGS_KEPT_MS = 365 * DAY_MS;

/** The part: JSON by server. */
export const SETTINGS = 'settings';
const Kept = z.object({
  language: z.string().optional(),
  isPrivate: z.boolean().optional(),
  /** The last day on which the bot was used in the server. */
  usedDay: z.string(),
});
type Kept = z.infer<typeof Kept>;

/**
 * Discord sends everything of a server to one process, so what another has changed matters only after a restart, or
 * when an operator deletes it.
 */
const FRESH_MS = 60_000;

/** The settings of all servers that have any: known here, read once a minute at least, and changed at once. */
export class SettingsOfServers {
  readonly #rows: Rows;
  /**
   * What was set by server when it was read last; a server that is not among them needs no look. `undefined`: not known
   * yet.
   */
  known: Map<string, Kept> | undefined;
  #freshUntilMs = 0;
  #renewal: Promise<void> | undefined;
  /** How many there were: a read that one came into is not believed. */
  #changes = 0;

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** Learns what other processes have set. Costs one read, which all who want it meanwhile share. */
  renew(): Promise<void> {
    this.#renewal ??= this.#read().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  /**
   * What was known last when they cannot be read. Nothing is set in direct messages, nor where a member brought the bot
   * along.
   */
  async of({ guildId, isInstalled }: Pick<Requester, 'guildId' | 'isInstalled'>): Promise<ServerSettings> {
    if (guildId === undefined || isInstalled === false) return NOTHING_SET;
    if (Date.now() >= this.#freshUntilMs) await this.renew();
    return settingsOf(this.known?.get(guildId));
  }

  /**
   * Any use of the bot in a server keeps what is set there for another year. Writes once a day, and where nothing is
   * set never.
   */
  used(guildId: string): void {
    const kept = this.known?.get(guildId);
    if (!kept || kept.usedDay === utcDay(Date.now())) return;
    this.known?.set(guildId, { ...kept, usedDay: utcDay(Date.now()) });
    void this.#update(guildId);
  }

  /**
   * What is not among the change stays as it is, whoever changes it meanwhile. `language: undefined`: automatic again.
   *
   * @returns what is set now; `undefined` when the change is not kept
   */
  async change(guildId: string, change: Partial<ServerSettings>): Promise<ServerSettings | undefined> {
    const kept = await this.#update(guildId, change);
    return kept && settingsOf(kept);
  }

  async #read(): Promise<void> {
    const changes = this.#changes;
    const found = await readJson(this.#rows, Kept, SETTINGS);
    if (!found || changes !== this.#changes) return;
    for (const [guildId, kept] of found) if (isOver(kept)) void this.#update(guildId);
    this.known = new Map([...found].filter(([, kept]) => !isOver(kept)));
    this.#freshUntilMs = Date.now() + FRESH_MS;
  }

  /** Begins another year; what was over by then is gone. */
  async #update(guildId: string, change?: Partial<ServerSettings>): Promise<Kept | undefined> {
    const row = { part: SETTINGS, key: guildId };
    const changed = (text: string | undefined) => {
      const { data: before } = storedJson(Kept).safeParse(text);
      const after = { ...(before && !isOver(before) && before), ...change, usedDay: utcDay(Date.now()) };
      const value = after.language || after.isPrivate ? JSON.stringify(after) : undefined;
      return { changes: value === text ? [] : [{ ...row, value }], result: after };
    };
    const kept = await update(this.#rows, row, changed, { keepMs: SETTINGS_KEPT_MS + DAY_MS });
    this.#changes++;
    if (kept) this.known?.set(guildId, kept);
    return kept;
  }
}

function isOver({ usedDay }: Kept): boolean {
  return usedDay < utcDay(Date.now() - SETTINGS_KEPT_MS);
}

function settingsOf({ language, isPrivate = false }: Partial<Kept> = {}): ServerSettings {
  return { language, isPrivate };
}
