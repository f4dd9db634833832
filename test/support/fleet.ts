import { join } from 'node:path';
import type { CardServiceOptions } from '../../src/sandbox/card-service.ts';
import type { ChatMessage, Guild } from '../../src/sandbox/discord/chat.ts';
import type { TypedInteraction } from '../../src/sandbox/discord/typed-interaction.ts';
import { type BotProcess, startBotProcess } from './bot-process.ts';
import type { TestRedis } from './redis.ts';
import { type Surroundings, startSurroundings } from './surroundings.ts';

export interface FleetOptions {
  redis: Pick<TestRedis, 'url' | 'prefix'>;
  /** Of processes and of shards: the n-th process has the n-th shard. 2 unless given. */
  size?: number;
  service?: CardServiceOptions;
  /** Variables of every process over those that follow from `service`. */
  env?: Record<string, string>;
}

/** Bot processes that share a Redis, a Discord and a card service. */
export interface TestFleet extends Surroundings {
  /** All that were started, oldest first: to begin with, the n-th has the n-th shard. */
  readonly bots: readonly BotProcess[];
  /** Types `/card`, for the process of this shard to answer. */
  card(shard: number, id: string, as?: { memberId?: string }): TypedInteraction;
  usage(shard: number): TypedInteraction;
  /** One more process with this shard, on the variables of the others and these. Resolves when it is connected. */
  start(shard: number, env?: Record<string, string>): Promise<BotProcess>;
}

/** A time that a server's id can tell, and a multiple of every number of shards that is tested with. */
const GUILDS_MADE_AT = 2n ** 38n;
const PATIENCE_MS = 15_000;

/** Resolves when every process is connected; all gone when the test or, from `beforeAll`, the file is over. */
export async function startFleet(options: FleetOptions): Promise<TestFleet> {
  const processesAlive = await prepareFleet(options);
  await Promise.all(Array.from({ length: options.size ?? 2 }, (_, shard) => processesAlive.start(shard)));
  return processesAlive;
}

/** The same with all processes yet to be started. */
export async function prepareFleet({ redis, size = 2, service, env = {} }: FleetOptions): Promise<TestFleet> {
  const guilds = Array.from({ length: size }, (_, shard) => guildOf(shard));
  const surroundings = await startSurroundings(service, env, { shards: size, guilds });
  const { discord } = surroundings;
  const bots: BotProcess[] = [];
  let started = 0;

  return {
    ...surroundings,
    bots,
    card: (shard, id, as = {}) => discord.type({ command: 'card', options: { id }, guildId: guildOf(shard).id, ...as }),
    usage: (shard) => discord.type({ command: 'usage', guildId: guildOf(shard).id, manageGuild: true }),
    async start(shard, more = {}) {
      const bot = startBotProcess({
        ...surroundings.env,
        DISCORD_SHARDS: String(shard),
        DISCORD_SHARD_COUNT: String(size),
        DATA_DIR: join(surroundings.env.DATA_DIR, String(started++)), // as on machines of their own
        REDIS_URL: redis.url,
        REDIS_KEY_PREFIX: redis.prefix,
        ...more,
      });
      bots.push(bot);
      await bot.wrote('gateway ready');
      return bot;
    },
  };
}

export function hasCard({ embeds }: ChatMessage): boolean {
  return embeds.length > 0;
}

/** Rejects after a time that only a hang takes. */
export function showsCard(typed: TypedInteraction): Promise<ChatMessage> {
  return typed.until(hasCard, PATIENCE_MS);
}

/** Every request for a card that the service saw, by id and in order. */
export function askedIds({ cardService }: Pick<Surroundings, 'cardService'>): string[] {
  return cardService.requests.flatMap(({ path }) => /^\/cards\/([^?]+)/.exec(path)?.[1] ?? []);
}

/** What a process logged, line by line. */
export function logOf({ output }: BotProcess): Record<string, unknown>[] {
  return output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): Record<string, unknown> => JSON.parse(line));
}

/** The id of a Discord server tells its shard by all but the last 22 bits. */
function guildOf(shard: number): Guild {
  return { id: String((GUILDS_MADE_AT + BigInt(shard)) << 22n), name: `Server ${shard}` };
}
