import { REST, Routes } from 'discord.js';
import type { RegistrationConfig } from '../../config/config.ts';
import { GatewayInfo } from '../../discord/gateway/login.ts';
import { answered, REQUEST_TIMEOUT_MS, requestAgent } from '../../discord/rest/requests.ts';
import { RunDeadline } from '../request.ts';
import { Application, type ApplicationForm, Named } from './application.ts';
import { type LocalCommand, RegisteredCommand } from './command-diff.ts';

const RETRIES = 1;
/** The longest wait for a rate limit; with a longer one the command fails and says when to try again. */
const LONGEST_WAIT_MS = 5_000;
/** Discord lists at most 200 servers per request ("Get Current User Guilds"). */
const MAX_GUILDS = 200;

/** Fields that Discord adds to a command and does not accept. */
const ADDED_BY_DISCORD = ['id', 'application_id', 'version', 'guild_id', 'name_localized', 'description_localized'];
/** Fields of global commands only. */
const GLOBAL_ONLY = ['contexts', 'integration_types', 'dm_permission'];

/**
 * The application and its commands registered at Discord: the global ones, shown in all servers and direct messages, or with `guildId` those
 * of one server. Every method costs one request and throws what @discordjs/rest throws, or a
 * ZodError or a SyntaxError when the answer is not Discord's; `explainFailure` explains both.
 */
export class Registration {
  readonly #rest: REST;
  readonly #token: string;
  readonly #deadline = new RunDeadline();

  constructor({ token, apiUrl }: RegistrationConfig) {
    this.#token = token;
    this.#rest = new REST({
      api: apiUrl,
      agent: requestAgent(),
      makeRequest: (url, init) => answered(url, init, this.#deadline.leftMs(REQUEST_TIMEOUT_MS)),
      retries: RETRIES,
      rejectOnRateLimit: ({ retryAfter, timeToReset }) => Math.max(retryAfter, timeToReset) > LONGEST_WAIT_MS,
    });
  }

  /** discord.js drops the token after a 401, and every later request would be a bug. */
  get #authorized(): REST {
    return this.#rest.setToken(this.#token);
  }

  /** All requests from now on have 30 s together, as they have after the constructor. */
  restartDeadline(): void {
    this.#deadline.restart();
  }

  /** The application of the token. */
  async application(): Promise<Application> {
    return Application.parse(await this.#authorized.get(Routes.currentApplication()));
  }

  /** Changes what is in the form. */
  async edit(form: ApplicationForm): Promise<void> {
    await this.#authorized.patch(Routes.currentApplication(), { body: form });
  }

  /** Commands of every type, with their translations. */
  async commands(applicationId: string, guildId: string | undefined): Promise<RegisteredCommand[]> {
    const query = new URLSearchParams({ with_localizations: 'true' });
    return RegisteredCommand.array().parse(
      await this.#authorized.get(commandsRoute(applicationId, guildId), { query }),
    );
  }

  /**
   * Replaces the slash commands of one place. A bulk overwrite deletes commands of every type that it does not name, so
   * the commands of other types (`kept`) are sent again as they are.
   */
  async replace(
    applicationId: string,
    guildId: string | undefined,
    slash: readonly LocalCommand[],
    kept: readonly RegisteredCommand[],
  ): Promise<void> {
    const omitted = guildId === undefined ? [] : GLOBAL_ONLY;
    const body = [
      ...slash.map((command) => withoutFields(command, omitted)),
      ...kept.map((command) => withoutFields(command, [...omitted, ...ADDED_BY_DISCORD])),
    ];
    await this.#authorized.put(commandsRoute(applicationId, guildId), { body });
  }

  /** The servers that the bot is in, at most 200. */
  async guilds(): Promise<Named[]> {
    const query = new URLSearchParams({ limit: String(MAX_GUILDS) });
    return Named.array().parse(await this.#authorized.get(Routes.userGuilds(), { query }));
  }

  /** Where the bot connects to, and how many logins are left today. */
  async gateway(): Promise<GatewayInfo> {
    return GatewayInfo.parse(await this.#authorized.get(Routes.gatewayBot()));
  }
}

function commandsRoute(applicationId: string, guildId: string | undefined): `/${string}` {
  return guildId === undefined
    ? Routes.applicationCommands(applicationId)
    : Routes.applicationGuildCommands(applicationId, guildId);
}

function withoutFields(command: object, fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(command).filter(([name]) => !fields.includes(name)));
}
