import { join } from 'node:path';
import type { CardServiceOptions } from '../../src/sandbox/card-service.ts';
import type { ChatMessage, Guild } from '../../src/sandbox/discord/chat.ts';
import type { TypedInteraction } from '../../src/sandbox/discord/typed-interaction.ts';
import { type Backends, startBackends } from './backends.ts';
import { type BotProcess, startBotProcess } from './bot-process.ts';
import type { TestRedis } from './redis.ts';

export interface ProcessesOptions {
  redis: Pick<TestRedis, 'url' | 'prefix'>;
  /** Number of processes and of shards: the n-th process has the n-th shard. Default 2. */
  size?: number;
  service?: CardServiceOptions;
  /** Variables of every process; they override those derived from `service`. */
  env?: Record<string, string>;
}

/** Bot processes that share a Redis, a Discord and a card service. */
export interface TestProcesses extends Backends {
  /** All that were started, oldest first: of the first ones, the n-th has the n-th shard. */
  readonly bots: readonly BotProcess[];
  /** Types `/card` in the server of this shard. */
  card(shard: number, id: string, as?: { memberId?: string }): TypedInteraction;
  usage(shard: number): TypedInteraction;
  /** Starts one more process with this shard; `env` overrides the common variables. Resolves when it is connected. */
  start(shard: number, env?: Record<string, string>): Promise<BotProcess>;
}

/** A valid snowflake timestamp that is a multiple of every number of shards used in tests. */
const GUILDS_MADE_AT = 2n ** 38n;
const PATIENCE_MS = 30_000;

/** Resolves when every process is connected; all are stopped when the test or, from `beforeAll`, the file ends. */
export async function startProcesses(options: ProcessesOptions): Promise<TestProcesses> {
  const processes = await prepareProcesses(options);
  await Promise.all(Array.from({ length: options.size ?? 2 }, (_, shard) => processes.start(shard)));
  return processes;
}

/** The same without starting a process. */
export async function prepareProcesses({
  redis,
  size = 2,
  service,
  env = {},
}: ProcessesOptions): Promise<TestProcesses> {
  const guilds = Array.from({ length: size }, (_, shard) => guildOf(shard));
  const backends = await startBackends(service, env, { shards: size, guilds });
  const { discord } = backends;
  const bots: BotProcess[] = [];
  let started = 0;

  return {
    ...backends,
    bots,
    card: (shard, id, as = {}) => discord.type({ command: 'card', options: { id }, guildId: guildOf(shard).id, ...as }),
    usage: (shard) => discord.type({ command: 'usage', guildId: guildOf(shard).id, manageGuild: true }),
    async start(shard, more = {}) {
      const bot = startBotProcess({
        ...backends.env,
        DISCORD_SHARDS: String(shard),
        DISCORD_SHARD_COUNT: String(size),
        DATA_DIR: join(backends.env.DATA_DIR, String(started++)), // as on machines of their own
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

/** Rejects after a time that only a hang exceeds. */
export function showsCard(typed: TypedInteraction): Promise<ChatMessage> {
  return typed.until(hasCard, PATIENCE_MS);
}

/** The card ids that were requested from the service, in order. */
export function requestedIds({ cardService }: Pick<Backends, 'cardService'>): string[] {
  return cardService.requests.flatMap(({ path }) => /^\/cards\/([^?]+)/.exec(path)?.[1] ?? []);
}

/** The log lines of a process. */
export function logOf({ output }: BotProcess): Record<string, unknown>[] {
  return output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): Record<string, unknown> => JSON.parse(line));
}

/** Discord derives the shard from a server id without its last 22 bits: events/gateway, "Sharding". */
function guildOf(shard: number): Guild {
  return { id: String((GUILDS_MADE_AT + BigInt(shard)) << 22n), name: `Server ${shard}` };
}
