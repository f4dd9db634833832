import { readConfig } from '../../../src/config/config.ts';
import { createLog } from '../../../src/log.ts';
import { openRedisState } from '../../../src/storage/redis/state.ts';
import type { State } from '../../../src/storage/state.ts';
import { onFinished } from '../../support/on-finished.ts';
import { openRedis } from '../../support/redis.ts';
import { concurrently } from '../concurrently.ts';
import { sampleCard, storedCardId } from '../stored-cards.ts';

/** A Redis for measurements. */
export interface BenchRedis {
  url: string;
  /** For a bot with a prefix that is unused, at each call. */
  newVariables(): { REDIS_URL: string; REDIS_KEY_PREFIX: string };
  /** A sentence about this Redis for the reader of the figures. */
  note: string;
}

const NOTES = {
  given: 'Redis: the one of `REDIS_URL`.',
  server: 'Redis: a server of its own on this machine, with `appendonly yes`.',
  'in-process':
    'Redis: an emulation in JavaScript, because no redis-server is on PATH. These figures are of the emulation.',
};

/** As in compose.yaml: everything is persisted. */
export async function startBenchRedis(): Promise<BenchRedis> {
  const { url, prefix, kind } = await openRedis({ appendonly: true });
  let prefixes = 0;
  return {
    url,
    newVariables: () => ({ REDIS_URL: url, REDIS_KEY_PREFIX: `${prefix}:${prefixes++}` }),
    note: NOTES[kind],
  };
}

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
