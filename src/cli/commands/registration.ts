import { REST, Routes } from 'discord.js';
import { z } from 'zod';
import type { RegistrationConfig } from '../../config/config.ts';
import { GatewayInfo } from '../../discord/gateway/login.ts';
import { answered, REQUEST_TIMEOUT_MS, requestAgent } from '../../discord/rest/requests.ts';
import { RunDeadline } from '../request.ts';
import type { ApplicationForm } from './application.ts';
import { type LocalCommand, RegisteredCommand } from './command-diff.ts';

const RETRIES = 1;
/** The longest wait for a rate limit; with a longer one the command fails and says when to try again. */
const LONGEST_WAIT_MS = 5_000;
/** Discord lists at most 200 servers per request ("Get Current User Guilds"). */
const MAX_GUILDS = 200;

/** An application or a server. */
const Named = z.object({ id: z.string(), name: z.string() });
export type Named = z.infer<typeof Named>;

/** One kind of install. Fields that Discord may add are kept, since all of it is written at once. */
const InstallConfig = z.looseObject({
  oauth2_install_params: z.looseObject({ scopes: z.array(z.string()) }).optional(),
});

/** The application of a token, with what decides whether commands reach the bot, and what its profile shows. */
const Application = Named.extend({
  /** Set: Discord sends commands to this address, and none over the gateway. */
  interactions_endpoint_url: z.string().nullish(),
  /** An invite link then needs an OAuth2 flow that the bot does not have. */
  bot_require_code_grant: z.boolean().nullish(),
  /** Who can install it, by Discord's number: 0 servers, 1 members. */
  integration_types_config: z.record(z.string(), InstallConfig).nullish(),
  /** Whether others than its owner can add it. */
  bot_public: z.boolean().nullish(),
  /** An operator's own instead of Discord's. */
  custom_install_url: z.string().nullish(),
  description: z.string().nullish(),
  tags: z.array(z.string()).nullish(),
  terms_of_service_url: z.string().nullish(),
  privacy_policy_url: z.string().nullish(),
});
export type Application = z.infer<typeof Application>;

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
