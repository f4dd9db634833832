import { join } from 'node:path';
import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import type { TypedInteraction } from '../../sandbox/discord/conversation.ts';
import type { ServiceCard } from '../../sandbox/sample-cards.ts';
import type { CardServiceOptions } from '../../sandbox/service/service.ts';
import { type AppBot, type Backends, type BotOutput, serverOfShard, startAppBot, startBackends } from './backends.ts';
import { readLogLine } from './log-lines.ts';
import type { TestRedis } from './redis.ts';
import { hasCard } from './world.ts';

interface ProcessesOptions {
  redis: Pick<TestRedis, 'url' | 'prefix'>;
  /** Number of processes and of shards: the n-th process has the n-th shard. Default 2. */
  size?: number;
  service?: CardServiceOptions;
  /** Variables of every process; they override those derived from `service`. */
  env?: Record<string, string>;
}

/** Bots that share a Redis, a Discord and a card service. */
export type TestBots = Awaited<ReturnType<typeof prepareAppBots>>;

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
export async function prepareAppBots({ redis, size = 2, service, env: variables = {} }: ProcessesOptions) {
  const guilds = Array.from({ length: size }, (_, shard) => serverOfShard(shard));
  const { discord, cardService, env, card, usage } = await startBackends(service, variables, { shards: size, guilds });
  const bots: AppBot[] = [];
  let begun = 0;
  const envOf = (shard: number, more: Record<string, string> = {}) => ({
    ...env,
    DISCORD_SHARDS: String(shard),
    DISCORD_SHARD_COUNT: String(size),
    DATA_DIR: join(env.DATA_DIR, String(begun++)), // as on machines of their own
    REDIS_URL: redis.url,
    REDIS_KEY_PREFIX: redis.prefix,
    ...more,
  });
  const inServer = (shard: number) => ({ guildId: serverOfShard(shard).id });
  return {
    ...{ discord, cardService, env },
    /** All that were started, oldest first: of the first ones, the n-th has the n-th shard. */
    bots: bots as readonly AppBot[],
    /** Types `/card` in the server of this shard. */
    card: (shard: number, id: string, as: { memberId?: string } = {}) => card(id, {}, { ...inServer(shard), ...as }),
    usage: (shard: number) => usage(inServer(shard)),
    /** The environment of one more process with this shard, which may override the common variables. */
    envOf,
    /** Starts one more in this process. Resolves when it is connected. */
    async start(shard: number, more?: Record<string, string>) {
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
