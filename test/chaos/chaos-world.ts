import { join } from 'node:path';
import { DISCORD_LIFETIMES } from '../../sandbox/discord/interaction.ts';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import { serverOfShard, startBackends } from '../support/backends.ts';
import { Bots } from './bots.ts';
import { startChaosRedis } from './chaos-redis.ts';
import { FRESH_SECONDS, type WatchedWorld } from './watched-prices.ts';

/** A day of four seconds, so that a spent day begins and ends within a run. */
const DAY_MS = 4_000;
/** One bot on files: lookups wait for a permit only after a fault. */
const LIMITS_OF_ONE = { requestsPerMinute: 3_000, burst: 40, requestsPerDay: 400 };
/** Several processes share one plan: lookups queue, and replies stay deferred for seconds. */
const LIMITS_OF_SEVERAL = { requestsPerMinute: 600, burst: 20, requestsPerDay: 400 };
/** A bot holds 70 MB of its own; what leaks under faults would soon be more than this. */
const HEAP_MB = 128;

/** Starts Discord, a card service and the bots, and resolves when they are connected; several share a Redis and the shards. */
export async function startWorld(
  processes: number,
  lifetimes = DISCORD_LIFETIMES,
  variables: Record<string, string> = {},
): Promise<WatchedWorld & { bots: Bots }> {
  const several = processes > 1;
  const numbers = Array.from({ length: processes }, (_, process) => process);
  const cards = SAMPLE_CARDS.map((card) => ({ ...card }));
  const { discord, cardService, env } = await startBackends(
    {
      cards,
      ...(several ? LIMITS_OF_SEVERAL : LIMITS_OF_ONE),
      nextResetMs: (nowMs) => (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS,
    },
    {
      // Both, as in docs/configuration.md: with a large young generation beside so small an old one, V8 marks without end.
      NODE_OPTIONS: `--max-old-space-size=${HEAP_MB} --max-semi-space-size=4`,
      CARD_SERVICE_TIMEOUT_MS: '400',
      PRICES_FRESH_SECONDS: String(FRESH_SECONDS),
      NOT_FOUND_FRESH_SECONDS: '1',
      ...variables,
    },
    { lifetimes, ...(several && { shards: processes, guilds: numbers.map(serverOfShard) }) },
  );
  const { DATA_DIR: dataDir } = env;
  const redis = several ? await startChaosRedis() : undefined;
  const shared = (process: number) =>
    redis && {
      REDIS_URL: redis.url,
      DISCORD_SHARDS: String(process),
      DISCORD_SHARD_COUNT: String(processes),
      DATA_DIR: join(dataDir, String(process)),
    };
  const bots = new Bots(numbers.map((process) => ({ ...env, ...shared(process) })));
  await bots.ready();
  return {
    discord,
    cardService,
    cards,
    bots,
    dataDir,
    redis,
    restartBot: (signal, strength) => bots.restart(Math.floor(strength * processes), signal),
  };
}
