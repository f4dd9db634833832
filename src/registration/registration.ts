import { REST, Routes } from 'discord.js';
import { z } from 'zod';
import type { RegistrationConfig } from '../config/config.ts';
import { type LocalCommand, RegisteredCommand } from './command-diff.ts';
import type { Scope } from './command-shape.ts';

const TIMEOUT_MS = 10_000;
const RETRIES = 1;
/** A moderator waits this long for a rate limit; past it the command fails and says when to try again. */
const LONGEST_WAIT_MS = 5_000;
/** Discord gives at most 200 of the bot's servers at once ("Get Current User Guilds"). */
const MOST_GUILDS = 200;

const Application = z.object({ id: z.string(), name: z.string() });
export type Application = z.infer<typeof Application>;

const Guilds = z.array(z.object({ id: z.string(), name: z.string() }));
export type BotGuild = z.infer<typeof Guilds>[number];

/** What Discord adds to a command and does not take back. */
const ADDED_BY_DISCORD = ['id', 'application_id', 'version', 'guild_id', 'name_localized', 'description_localized'];
/** What only a global command can say. */
const GLOBAL_ONLY = ['contexts', 'integration_types', 'dm_permission'];

/**
 * The commands that Discord knows. Every method costs one request and throws what @discordjs/rest throws
 * (`explainFailure` has the words), or a ZodError when the answer is not Discord's.
 */
export class Registration {
  readonly #rest: REST;

  constructor({ token, apiUrl }: RegistrationConfig) {
    this.#rest = new REST({
      api: apiUrl,
      timeout: TIMEOUT_MS,
      retries: RETRIES,
      rejectOnRateLimit: ({ retryAfter, timeToReset }) => Math.max(retryAfter, timeToReset) > LONGEST_WAIT_MS,
    }).setToken(token);
  }

  /** Whose token it is. */
  async application(): Promise<Application> {
    return Application.parse(await this.#rest.get(Routes.currentApplication()));
  }

  /** Commands of every kind, with their translations. */
  async commands(applicationId: string, scope: Scope): Promise<RegisteredCommand[]> {
    const query = new URLSearchParams({ with_localizations: 'true' });
    return RegisteredCommand.array().parse(await this.#rest.get(commandsRoute(applicationId, scope), { query }));
  }

  /**
   * Makes the scope hold exactly these slash commands. A bulk overwrite takes away whatever it does not name, of
   * every kind, so the commands of other kinds (`kept`) are sent along as they are.
   */
  async replace(
    applicationId: string,
    scope: Scope,
    slash: readonly LocalCommand[],
    kept: readonly RegisteredCommand[],
  ): Promise<void> {
    const left = scope.guildId === undefined ? [] : GLOBAL_ONLY;
    const body = [
      ...slash.map((command) => withoutFields(command, left)),
      ...kept.map((command) => withoutFields(command, [...left, ...ADDED_BY_DISCORD])),
    ];
    await this.#rest.put(commandsRoute(applicationId, scope), { body });
  }

  /** The servers that the bot is in, 200 at most. */
  async guilds(): Promise<BotGuild[]> {
    const query = new URLSearchParams({ limit: String(MOST_GUILDS) });
    return Guilds.parse(await this.#rest.get(Routes.userGuilds(), { query }));
  }
}

function commandsRoute(applicationId: string, { guildId }: Scope): `/${string}` {
  return guildId === undefined
    ? Routes.applicationCommands(applicationId)
    : Routes.applicationGuildCommands(applicationId, guildId);
}

function withoutFields(command: object, fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(command).filter(([name]) => !fields.includes(name)));
}
