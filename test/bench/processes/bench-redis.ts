import { readConfig } from '../../../src/config/config.ts';
import { createLog } from '../../../src/log.ts';
import { openRedisState } from '../../../src/storage/redis/state.ts';
import type { State } from '../../../src/storage/state.ts';
import { onFinished } from '../../support/on-finished.ts';
import { openRedis } from '../../support/redis.ts';
import { concurrently } from '../concurrently.ts';
import { sampleCard, storedCardId } from '../stored-cards.ts';

/** A Redis for measurements, which persists everything, as in compose.yaml. */
export async function startBenchRedis() {
  const { url, prefix, kind } = await openRedis({ appendonly: true });
  const server =
    kind === 'in-process' ? 'an emulation in JavaScript, as no redis-server is on PATH' : 'a server of its own';
  let prefixes = 0;
  return {
    url,
    /** For a bot with a prefix that is unused, at each call. */
    newVariables: () => ({ REDIS_URL: url, REDIS_KEY_PREFIX: `${prefix}:${prefixes++}` }),
    /** For the reader of the figures. */
    note: `Redis: ${server} on this machine, with \`appendonly yes\`.`,
  };
}

export type BenchRedis = Awaited<ReturnType<typeof startBenchRedis>>;

/** What a bot with these variables keeps in Redis; closed with the scope. */
export async function openState(variables: Record<string, string>): Promise<State> {
  const { redis, ...config } = readConfig({ DISCORD_TOKEN: 'none', ...variables });
  if (redis === undefined) throw new Error('no REDIS_URL');
  const state = await openRedisState({ ...config, redis, log: createLog({ level: 'warn', secrets: [] }) });
  onFinished(() => state.close());
  return state;
}

/** Cards 0 to `count` − 1 in Redis, as the bot with these variables would have written them just now. */
export async function putCards(variables: Record<string, string>, count: number): Promise<void> {
  const { cardStore } = await openState(variables);
  await concurrently(Array(count).keys(), 100, (index) => putCard(cardStore, index));
}

export function putCard(cardStore: State['cardStore'], index: number): Promise<unknown> {
  const id = storedCardId(index);
  return cardStore.set(id, { card: sampleCard(id), fetchedAtMs: Date.now() });
}
