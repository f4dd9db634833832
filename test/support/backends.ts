import type { Guild } from '../../sandbox/discord/chat.ts';
import type { Lifetimes } from '../../sandbox/discord/conversation.ts';
import {
  type EmulatedDiscord,
  type EmulatedDiscordOptions,
  startEmulatedDiscord,
} from '../../sandbox/discord/emulated-discord.ts';
import { registerCommands } from '../../sandbox/sandbox.ts';
import {
  type CardServiceOptions,
  type ListeningCardService,
  SANDBOX_API_KEY,
  startCardService,
} from '../../sandbox/service/service.ts';
import { nextUtcMidnightMs } from '../../src/time/utc-day.ts';
import { onFinished } from './on-finished.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The day's reset is far away: it neither happens during a test nor is near enough to wait for. */
export const LONG_DAY = { nextResetMs: (nowMs: number) => nextUtcMidnightMs(nowMs + 3_600_000) };

/** Waits longer than 3 s for a first answer, because a busy machine may need it. Tests of the 3 s use Discord's own. */
export const PATIENT: Lifetimes = { ackMs: 60_000, tokenMs: 900_000 };

/** The servers that a bot process talks to, and the environment that points it at them; closed when the test ends. */
export interface Backends {
  discord: EmulatedDiscord;
  cardService: ListeningCardService;
  env: Record<string, string> & { DISCORD_TOKEN: string; DATA_DIR: string };
}

/** @param overrides variables of the bot; they override those derived from `service` */
export async function startBackends(
  service: CardServiceOptions = {},
  overrides: Record<string, string> = {},
  discordOptions: EmulatedDiscordOptions = {},
): Promise<Backends> {
  const dataDir = temporaryFolder();
  const cardService = await startService({ ...LONG_DAY, ...service });
  const discord = await startDiscord({ lifetimes: PATIENT, ...discordOptions });
  const { requestsPerMinute, burst } = service;
  const env = {
    DISCORD_TOKEN: discord.botToken,
    DISCORD_API_URL: discord.apiUrl,
    CARD_SERVICE_URL: cardService.url,
    CARD_SERVICE_API_KEY: SANDBOX_API_KEY,
    DATA_DIR: dataDir,
    MEMBER_DAILY_REQUESTS: '0',
    ...(requestsPerMinute && { CARD_SERVICE_REQUESTS_PER_MINUTE: String(requestsPerMinute) }),
    ...(burst && { CARD_SERVICE_BURST: String(burst) }),
    ...overrides,
  };
  return { discord, cardService, env };
}

/** An emulated Discord that knows the bot's commands; closed when the test ends. */
async function startDiscord(options?: EmulatedDiscordOptions): Promise<EmulatedDiscord> {
  const discord = await openDiscord(options);
  await registerCommands(discord);
  return discord;
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
