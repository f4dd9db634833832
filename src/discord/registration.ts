import { isDeepStrictEqual } from 'node:util';
import { DiscordAPIError, HTTPError, RateLimitError, REST, Routes } from 'discord.js';
import { z } from 'zod';
import type { Declaration } from '../../commands/index.ts';
import { networkCode } from '../model/errors.ts';
import { DAY_MS } from '../time.ts';
import { GatewayInfo } from './gateway.ts';
import { answered, REQUEST_TIMEOUT_MS, requestAgent } from './rest/requests.ts';

/** A command as members see it: `/card`, or its name in a menu. A slash command's name has no blank and no capital. */
export function shownCommand(name: string): string {
  return /[\s\p{Lu}]/u.test(name) ? name : `/${name}`;
}

export function shownCommands(names: readonly string[]): string {
  return names.map(shownCommand).join(', ');
}

/**
 * Where a server's owner adds the bot: as a member, so that it is seen in the list, and with its commands. It needs no
 * permission there: it answers commands, and that needs none
 * (https://docs.discord.com/developers/topics/oauth2#bot-authorization-flow). `userLink`: where members add it for
 * themselves, if they can.
 */
export function inviteLinks(applicationId: string, hasUserInstall = false) {
  const authorize = `https://discord.com/oauth2/authorize?client_id=${applicationId}`;
  return {
    link: `${authorize}&scope=bot+applications.commands&permissions=0&integration_type=0`,
    ...(hasUserInstall && { userLink: `${authorize}&scope=applications.commands&integration_type=1` }),
  };
}

/** What Discord names; fields that it may add are kept, since some of them are written back. */
const Named = z.looseObject({ id: z.string(), name: z.string() });

const Install = z.looseObject({
  /** What the link in the bot's profile asks for; absent: there is none. */
  oauth2_install_params: z.looseObject({ scopes: z.array(z.string()) }).optional(),
});
const Text = z.string().nullish();
const Flag = z.boolean().nullish();

/** The application of a token, with what decides whether commands reach the bot, and what its profile shows. */
const Application = Named.extend({
  /** Set: Discord sends commands to this address, and none over the gateway. */
  interactions_endpoint_url: Text,
  /** An invite link then needs an OAuth2 flow that the bot does not have. */
  bot_require_code_grant: Flag,
  /** Who can install it, by Discord's number: 0 servers, 1 members. */
  integration_types_config: z.record(z.string(), Install).nullish(),
  /** Whether others than its owner can add it. */
  bot_public: Flag,
  /** In how many servers the bot is. */
  approximate_guild_count: z.number().nullish(),
  /** An operator's own instead of Discord's. */
  custom_install_url: Text,
  description: Text,
  tags: z.array(z.string()).nullish(),
});
export type Application = z.infer<typeof Application>;

/** Discord's type of slash commands; others are menus and entry points. */
const SLASH = 1;

/** A command as Discord lists it. Those of menus have no description. */
const RegisteredCommand = Named.extend({ type: z.number().default(SLASH), description: z.string().default('') });
export type RegisteredCommand = z.infer<typeof RegisteredCommand>;

/** Somebody waits at a terminal. */
const ALL_REQUESTS_MS = 30_000;
/** The longest wait for a rate limit; with a longer one the command fails and says when to try again. */
const LONGEST_WAIT_MS = 5_000;

/** What a command is made of. Discord adds further fields, and accepts none of them. */
const CONTENT = [
  ...['type', 'name', 'name_localizations', 'description', 'description_localizations', 'options'],
  ...['default_member_permissions', 'nsfw', 'handler'],
];
/** Further fields of global commands. */
const GLOBAL = ['contexts', 'integration_types'];

/**
 * The application and its commands registered at Discord: the global ones, shown in all servers and direct messages, or
 * with `guild` those of one server. Every method costs one request, and all have 30 s together. They throw what
 * @discordjs/rest throws, or a ZodError or a SyntaxError when the answer is not Discord's; `explainFailure` explains all.
 *
 * @param signal once it is aborted, nothing is sent or waited for
 */
export function registrationAt({ token, apiUrl }: { token: string; apiUrl: string }, signal?: AbortSignal) {
  const giveUpAtMs = performance.now() + ALL_REQUESTS_MS;
  const rest = new REST({
    api: apiUrl,
    agent: requestAgent(),
    makeRequest: (url, init) =>
      answered(
        url,
        signal ? { ...init, signal } : init,
        Math.ceil(Math.min(REQUEST_TIMEOUT_MS, giveUpAtMs - performance.now())),
      ),
    retries: 1,
    rejectOnRateLimit: ({ retryAfter, timeToReset }) => Math.max(retryAfter, timeToReset) > LONGEST_WAIT_MS,
  }).setToken(token);
  return {
    /** The application of the token. */
    application: async () => Application.parse(await rest.get(Routes.currentApplication())),

    /** Changes what is in the form. */
    edit: (form: object) => rest.patch(Routes.currentApplication(), { body: form }),

    /** Commands of every type, with their translations. */
    async commands(applicationId: string, guild?: string) {
      const query = new URLSearchParams({ with_localizations: 'true' });
      return RegisteredCommand.array().parse(await rest.get(commandsRoute(applicationId, guild), { query }));
    },

    /**
     * Replaces the commands of one place. A bulk overwrite deletes commands of every type that it does not name, so
     * those of others are to be among them, as they are.
     */
    replace: (applicationId: string, guild: string | undefined, commands: readonly object[]) =>
      rest.put(commandsRoute(applicationId, guild), {
        body: commands.map((command) => ({ ...olderOf(command), ...contentOf(command, guild) })),
      }),

    /** The servers that the bot is in, at most 200 ("Get Current User Guilds"). */
    guilds: async () => Named.array().parse(await rest.get(Routes.userGuilds())),

    /** Where the bot connects to, and how many logins are left today. */
    gateway: async () => GatewayInfo.parse(await rest.get(Routes.gatewayBot())),
  };
}

function commandsRoute(applicationId: string, guild: string | undefined): `/${string}` {
  return guild ? Routes.applicationGuildCommands(applicationId, guild) : Routes.applicationCommands(applicationId);
}

/** By which a command is told from others. */
type Keyed = Pick<Declaration, 'name'> & { type?: number | undefined };

/**
 * How registering would change the commands of one place, by their names.
 *
 * @param guild `undefined`: the global commands
 * @param own what goes where it is registered and not wanted
 */
export function diffCommands(
  wanted: readonly Declaration[],
  registered: readonly RegisteredCommand[],
  guild: string | undefined,
  own: readonly Keyed[],
) {
  const shape = (command: object) => normal(contentOf(command, guild));
  const old = (command: Declaration) => among(registered, command);
  const unwanted = registered.filter((command) => !among(wanted, command));
  return {
    added: wanted.filter((command) => !old(command)).map(nameOf),
    removed: unwanted.filter((command) => among(own, command)).map(nameOf),
    changed: wanted
      .filter((command) => old(command) && !isDeepStrictEqual(shape({ ...old(command) }), shape(command)))
      .map(nameOf),
    /** Those of others, which are never changed. */
    kept: unwanted.filter((command) => !among(own, command)),
  };
}

/** Whether members type it after a slash; commands of other types are menus and entry points. */
export function isSlash({ type }: Keyed): boolean {
  return type === SLASH;
}

/** The same command in a list. Commands of different types may have the same name. */
export function among(list: readonly Keyed[], { type = SLASH, name }: Keyed): Keyed | undefined {
  return list.find((other) => other.name === name && (other.type ?? SLASH) === type);
}

function nameOf({ name }: Keyed): string {
  return name;
}

/** Commands left over from a trial in a server of one's own are found in these; a trial rarely has more. */
const SEARCHED_GUILDS = 20;

/**
 * A sentence for each server that has global commands as its own, too. Costs a request for each server, 20 at most.
 *
 * @param global the names of global commands
 */
export async function doubledCommands(
  { commands }: Pick<ReturnType<typeof registrationAt>, 'commands'>,
  applicationId: string,
  guilds: readonly z.infer<typeof Named>[],
  global: readonly Keyed[],
): Promise<string[]> {
  const doubled: string[] = [];
  for (const { id, name } of guilds.slice(0, SEARCHED_GUILDS)) {
    const registered = await commands(applicationId, id).catch(() => []); // without access there are none
    const twice = shownCommands(registered.filter((each) => among(global, each)).map(nameOf));
    if (twice) doubled.push(`Members of ${name} see ${twice} twice. Run: npm run commands -- clear --guild ${id}`);
  }
  return doubled;
}

/** Discord writes out what is not set, as null, false or empty, and orders numbers by itself. */
function normal(command: object): unknown {
  return JSON.parse(JSON.stringify(command), (_, value) => {
    if (value === null || value === false || value === '') return undefined;
    if (typeof value === 'object' && Object.keys(value).length === 0) return undefined;
    const isNumbers = Array.isArray(value) && value.every((item) => typeof item === 'number');
    return isNumbers ? value.toSorted() : value;
  });
}

function contentOf(command: object, guild: string | undefined): object {
  const names = guild ? CONTENT : [...CONTENT, ...GLOBAL];
  return Object.fromEntries(Object.entries({ type: SLASH, ...command }).filter(([name]) => names.includes(name)));
}

/** What commands of others may have instead, as long as they do not have these, which say the same. */
const OLDER = new Map([
  ['dm_permission', 'contexts'],
  ['default_permission', 'default_member_permissions'],
]);

function olderOf(command: object): object {
  const given = Object.entries(command).filter(([, value]) => value !== null);
  const has = (since: string) => given.some(([name]) => name === since);
  return Object.fromEntries(given.filter(([name]) => OLDER.has(name) && !has(OLDER.get(name) ?? '')));
}

/** What an invite link asks for, by Discord's number of the install: 0 servers, 1 members. */
const SCOPES = [['applications.commands', 'bot'], ['applications.commands']];
/** Discord takes 400 characters, and shows them in the bot's profile. */
const DESCRIPTION =
  'Look up trading cards by name, with pictures, prices and how they moved. Start with /card; /watch tells you when a card reaches your price.';
/** Discord takes five of 20 characters. */
const TAGS = ['trading cards', 'card search', 'card prices', 'price alerts', 'collecting'];

/**
 * The fields of the application with which it does not let everybody install it who is meant to, or which are empty.
 * What an operator wrote there stays. Empty when nothing is to be written.
 */
export function applicationForm(application: Partial<Application>, hasUserInstall: boolean): object {
  const { integration_types_config: installs, description, tags } = application;
  // Discord refuses a link of its own for an application that is private, or has one elsewhere.
  const hasLink = application.bot_public !== false && !application.custom_install_url;
  const wanted = (hasUserInstall ? SCOPES : SCOPES.slice(0, 1)).map((needed, type) => {
    const kept = installs?.[type];
    const link = kept ? kept.oauth2_install_params : hasLink && { scopes: [], permissions: '0' };
    if (!link) return { ...kept };
    return { ...kept, oauth2_install_params: { ...link, scopes: [...new Set([...link.scopes, ...needed])] } };
  });
  return {
    ...(!isDeepStrictEqual(installs, { ...wanted }) && { integration_types_config: { ...wanted } }),
    ...(!description && { description: DESCRIPTION }),
    ...(!tags?.length && { tags: TAGS }),
  };
}

/**
 * What went wrong and what to do about it. Contains no token. Codes: "Opcodes and Status Codes" in Discord's
 * documentation.
 *
 * @param guild whose commands were asked for
 * @returns `undefined` when the error is a bug
 */
export function explainFailure(error: unknown, apiUrl: string, guild?: string): string | undefined {
  if (error instanceof RateLimitError) {
    const waitMs = Math.min(error.retryAfter || error.timeToReset, LONGEST_LIMIT_MS);
    const at = new Date(Date.now() + waitMs).toISOString();
    return `${error.method === 'PUT' ? TOO_OFTEN : 'Discord asks to wait.'} Try again after ${at}.`;
  }
  if (error instanceof HTTPError)
    return `Discord has a problem of its own (${error.status}). Try again in a few minutes.`;
  if (isAnswer(error)) {
    const notDiscord = `What answers at ${apiUrl} isn't Discord. Check DISCORD_API_URL, or remove it to use Discord itself.`;
    return (error instanceof DiscordAPIError && refusal(error, guild)) || notDiscord;
  }
  const code = networkCode(error);
  return code && `Can't reach Discord at ${apiUrl} (${code}). Check the connection, and DISCORD_API_URL if it is set.`;
}

/**
 * Whether Discord, or what is in its place, has said what is wrong: with fields, with no JSON at all, or with nothing.
 */
export function isAnswer(error: unknown): boolean {
  return error instanceof DiscordAPIError || error instanceof z.ZodError || error instanceof SyntaxError;
}

/** No limit of Discord is longer; what is in between may state any number, also one that is no date. */
const LONGEST_LIMIT_MS = DAY_MS;
/** 200 creates a day for each scope: "Registering a Command" in Discord's documentation. */
const TOO_OFTEN = 'Discord takes no more command changes right now: it allows 200 new commands a day.';

/** @returns `undefined` when this is no answer of Discord */
function refusal({ status, code, method, message, url }: DiscordAPIError, guild?: string): string | undefined {
  // A page of whatever is in between: Discord's own errors have codes.
  if (code === undefined)
    return status === 403
      ? "Something in front of Discord refuses this machine (403). Check DISCORD_API_URL if it is set, and the network's firewall."
      : undefined;
  if (status === 401)
    return 'Discord refuses the token. Put a new one into DISCORD_TOKEN: Developer Portal, your application, Bot, Reset Token.';
  switch (code) {
    case 10004: // unknown guild
    case 50001: {
      const applicationId = /\/applications\/(\d+)/.exec(url)?.[1] ?? 'APPLICATION_ID';
      const where = guild ? `in server ${guild}` : 'here';
      return `The bot has no access ${where}. Check the id, and invite the bot there:\n${inviteLinks(applicationId).link}`;
    }
    case 30032:
      return 'Discord allows 100 slash commands globally and 100 in a server, and this would be more. Remove some first.';
    case 30034:
      return `${TOO_OFTEN} Try again tomorrow.`;
    case 50035:
      // The message has a line for each fault, which begins with the place of its command among those of this version.
      return method === 'PATCH'
        ? `Discord rejected these settings of the application, so none of them changed. Set them yourself, which ends this: https://discord.com/developers/applications/select/information\n${message}`
        : `Discord rejected these commands, so none of them changed: ${message}`;
  }
  return status === 404 ? undefined : `Discord said no: ${message} (${status}, code ${code}).`;
}
