import { join } from 'node:path';
import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import type { TypedInteraction } from '../../sandbox/discord/conversation.ts';
import type { ServiceCard } from '../../sandbox/sample-cards.ts';
import type { CardServiceOptions } from '../../sandbox/service/service.ts';
import { type AppBot, type BotOutput, startAppBot } from './app-bot.ts';
import { type Backends, serverOfShard, startBackends } from './backends.ts';
import { readLogLine } from './log-lines.ts';
import type { TestRedis } from './redis.ts';

export interface ProcessesOptions {
  redis: Pick<TestRedis, 'url' | 'prefix'>;
  /** Number of processes and of shards: the n-th process has the n-th shard. Default 2. */
  size?: number;
  service?: CardServiceOptions;
  /** Variables of every process; they override those derived from `service`. */
  env?: Record<string, string>;
}

/** Bots that share a Redis, a Discord and a card service. */
export interface TestBots extends Backends {
  /** All that were started, oldest first: of the first ones, the n-th has the n-th shard. */
  readonly bots: readonly AppBot[];
  /** Types `/card` in the server of this shard. */
  card(shard: number, id: string, as?: { memberId?: string }): TypedInteraction;
  usage(shard: number): TypedInteraction;
  /** The environment of one more process with this shard; `env` overrides the common variables. */
  envOf(shard: number, env?: Record<string, string>): Record<string, string>;
  /** Starts one more in this process. Resolves when it is connected. */
  start(shard: number, env?: Record<string, string>): Promise<AppBot>;
}

const PATIENCE_MS = 60_000;

/**
 * Bots in this process, for a tenth of the CPU time; each has its own state, as in a process of its own. Resolves when all
 * are connected; they are stopped when the test or, from `beforeAll`, the file ends.
 */
export async function startAppBots(options: ProcessesOptions): Promise<TestBots> {
  const bots = await prepareAppBots(options);
  await Promise.all(Array.from({ length: options.size ?? 2 }, (_, shard) => bots.start(shard)));
  return bots;
}

/** The same without starting a bot. */
export async function prepareAppBots({ redis, size = 2, service, env = {} }: ProcessesOptions): Promise<TestBots> {
  const guilds = Array.from({ length: size }, (_, shard) => serverOfShard(shard));
  const backends = await startBackends(service, env, { shards: size, guilds });
  const { discord } = backends;
  const bots: AppBot[] = [];
  let begun = 0;
  const envOf = (shard: number, more: Record<string, string> = {}) => ({
    ...backends.env,
    DISCORD_SHARDS: String(shard),
    DISCORD_SHARD_COUNT: String(size),
    DATA_DIR: join(backends.env.DATA_DIR, String(begun++)), // as on machines of their own
    REDIS_URL: redis.url,
    REDIS_KEY_PREFIX: redis.prefix,
    ...more,
  });
  return {
    ...backends,
    bots,
    card: (shard, id, as = {}) =>
      discord.type({ command: 'card', options: { id }, guildId: serverOfShard(shard).id, ...as }),
    usage: (shard) => discord.type({ command: 'usage', guildId: serverOfShard(shard).id, manageGuild: true }),
    envOf,
    async start(shard, more) {
      const index = begun;
      const bot = await startAppBot(envOf(shard, more));
      bots[index] = bot;
      await bot.wrote('gateway ready');
      return bot;
    },
  };
}

/** So many cards that differ in a number. */
export function numberedCards(count: number): ServiceCard[] {
  return Array.from({ length: count }, (_, number) => {
    return { id: `card-${number}`, name: `Card ${number}`, tcg: 'trial', set: { id: 'all', name: 'All' } };
  });
}

export function hasCard({ embeds }: ChatMessage): boolean {
  return embeds.length > 0;
}

/** Rejects after a time that only a hang exceeds. */
export function showsCard(typed: TypedInteraction): Promise<ChatMessage> {
  return typed.until(hasCard, PATIENCE_MS);
}

/** The card ids that were requested from the service, in order. */
export function requestedIds({ cardService }: Pick<Backends, 'cardService'>): string[] {
  return cardService.requests.flatMap(({ path }) => /^\/cards\/([^?]+)/.exec(path)?.[1] ?? []);
}

/** The log lines of a process. */
export function logOf({ output }: BotOutput): Record<string, unknown>[] {
  return output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map(readLogLine);
}
