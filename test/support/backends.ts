import { EventEmitter, once } from 'node:events';
import type { Guild, TypedCommand, Whereabouts } from '../../sandbox/discord/chat.ts';
import type { Lifetimes } from '../../sandbox/discord/conversation.ts';
import {
  type EmulatedDiscord,
  type EmulatedDiscordOptions,
  startEmulatedDiscord,
} from '../../sandbox/discord/emulated-discord.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { type CardServiceOptions, type ListeningCardService, startCardService } from '../../sandbox/service/service.ts';
import { startApp } from '../../src/app.ts';
import { readConfig, secretsOf } from '../../src/config/config.ts';
import { createLog } from '../../src/log.ts';
import { nextUtcMidnightMs } from '../../src/time.ts';
import { run } from '../cli/run.ts';
import type { BotProcess } from './bot-process.ts';
import { logLines } from './log-lines.ts';
import { onFinished } from './on-finished.ts';

/** The day's reset is far away: it neither happens during a test nor is near enough to wait for. */
export const LONG_DAY = { nextResetMs: (nowMs: number) => nextUtcMidnightMs(nowMs + 3_600_000) };

/** Waits longer than 3 s for a first answer, because a busy machine may need it. Tests of the 3 s use Discord's own. */
export const PATIENT: Lifetimes = { ackMs: 60_000, tokenMs: 900_000 };

/** Of the bot, by the limits of the service that are given. */
export function pacedBy({ requestsPerMinute, burst }: CardServiceOptions) {
  return { CARD_SERVICE_REQUESTS_PER_MINUTE: requestsPerMinute?.toString(), CARD_SERVICE_BURST: burst?.toString() };
}

/** The servers that a bot process talks to, and the environment that points it at them; closed when the test ends. */
export type Backends = Awaited<ReturnType<typeof startBackends>>;

/** @param overrides variables of the bot; they override those derived from `service` */
export async function startBackends(
  service: CardServiceOptions = {},
  overrides: Record<string, string> = {},
  discordOptions: EmulatedDiscordOptions = {},
) {
  const { discord, cardService, env, config, stop } = await startSandbox({
    log: logLines().log,
    service: { ...LONG_DAY, ...service },
    discord: { lifetimes: PATIENT, ...discordOptions },
    env: { MEMBER_DAILY_REQUESTS: '0', ...pacedBy(service), ...overrides },
  });
  onFinished(stop);
  const own = { DISCORD_TOKEN: discord.botToken, DATA_DIR: config.dataDir };
  const variables: Record<string, string> & typeof own = { ...env, ...own };
  await run(['commands', 'register'], { env: variables }); // a bot in a process may be asked before it has done so
  return { discord, cardService, env: variables, ...typingIn(discord) };
}

/** What members type: the first one in the first server, unless it is said; and who the first three are. */
export function typingIn(discord: EmulatedDiscord) {
  const type = (command: string, options: TypedCommand['options'] = {}, as: Whereabouts = {}) =>
    discord.type({ command, options, ...as });
  const [alice = '', bob = '', chloe = ''] = discord.members.map(({ id }) => id);
  return {
    ...{ alice, bob, chloe, type },
    card: (id: string, options = {}, as: Whereabouts = {}) => type('card', { id, ...options }, as),
    cards: (ids: string, options = {}, as: Whereabouts = {}) => type('cards', { ids, ...options }, as),
    usage: (as: Whereabouts = {}) => type('usage', {}, { manageGuild: true, ...as }),
    /** The ids that are suggested to who has typed so much of one. */
    async suggested(text: string, as: Whereabouts = {}) {
      const rows = await discord.complete({ command: 'card', options: { id: text }, focused: 'id', ...as });
      return rows.map(({ value }) => value);
    },
  };
}

/** An emulated Discord without commands; closed when the test ends. */
export async function openDiscord(options?: EmulatedDiscordOptions): Promise<EmulatedDiscord> {
  const discord = await startEmulatedDiscord(options);
  onFinished(() => discord.close());
  return discord;
}

/** A card service, closed when the test ends. */
export async function startService(options?: CardServiceOptions): Promise<ListeningCardService> {
  const service = await startCardService(options);
  onFinished(() => service.close());
  return service;
}

/** A valid snowflake timestamp that is a multiple of every number of shards up to 16. */
const SERVERS_MADE_AT = 720_720n * 2n ** 18n;

/** A server whose events go to this shard, which Discord derives from the id without its last 22 bits: events/gateway, "Sharding". */
export function serverOfShard(shard: number): Guild {
  return { id: String((SERVERS_MADE_AT + BigInt(shard)) << 22n), name: `Server ${shard}` };
}

/** What a bot wrote, wherever it runs. */
export type BotOutput = Pick<BotProcess, 'output' | 'wrote'>;

/** A bot in this process. */
export type AppBot = Awaited<ReturnType<typeof startAppBot>>;

/**
 * Starts the bot in this process, with the environment of one of its own, for a tenth of the CPU time: for everything but
 * how a process starts and ends. Stopped when the test or, from `beforeAll`, the file ends.
 */
export async function startAppBot(env: Record<string, string>) {
  const config = readConfig(env);
  const lines = new EventEmitter();
  let text = '';
  const write = (line: string) => {
    text += line;
    lines.emit('line');
  };
  const log = createLog({ level: config.logLevel, secrets: secretsOf(config), destination: { write } });
  const app = await startApp(config, log);
  onFinished(app.stop);
  return {
    output: () => text,
    async wrote(wanted: string, after = 0) {
      while (!text.includes(wanted, after)) await once(lines, 'line');
    },
    /** Resolves with the reason when Discord or Redis can be used no longer; a process ends then. */
    refused: app.refused,
    /** Resolves when it has looked after its commands, or could not. */
    registered: app.registered,
    /** As on SIGTERM. */
    stop: app.stop,
  };
}
