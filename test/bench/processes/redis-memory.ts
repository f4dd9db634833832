import { readConfig } from '../../../src/config/config.ts';
import { createLog } from '../../../src/log.ts';
import { REPLY_DEADLINE_MS } from '../../../src/replies/deferred-reply.ts';
import { openRedisState } from '../../../src/storage/redis/state.ts';
import type { State } from '../../../src/storage/state.ts';
import { sampleCard, storedCardId } from '../stored-cards.ts';
import type { RedisUse } from './redis-use.ts';

const MANY = 5_000;
const AT_ONCE = 100;

type Write = (state: State, index: number) => Promise<unknown>;

const WRITES: Readonly<Record<string, Write>> = {
  'a card': ({ cardStore: cards }, index) => {
    const id = storedCardId(index);
    return cards.set(id, { card: sampleCard(id), fetchedAtMs: Date.now() });
  },
  'a deferred reply, until it is completed': ({ journal }, index) => journal.add(deferred(index)),
  'a member who caused requests in a server, for each day': async ({ ledger }, index) => {
    ledger.spent({ memberId: snowflake(index), guildId: snowflake(0) });
  },
};

/** Bytes that Redis uses for one item of each kind, its keys and overhead included: the mean of 5,000. */
export async function bytesOfEach(use: RedisUse, variables: Record<string, string>): Promise<[string, number][]> {
  const { redis, ...config } = readConfig({ DISCORD_TOKEN: 'none', ...variables });
  if (redis === undefined) throw new Error('no REDIS_URL');
  const found: [string, number][] = [];
  for (const [what, write] of Object.entries(WRITES)) {
    const state = await openRedisState({ ...config, redis, log: createLog({ level: 'warn', secrets: [] }) });
    await write(state, MANY); // creates the keys that all items of a kind share
    const before = await use.bytes();
    for (let from = 0; from < MANY; from += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => write(state, from + index)));
    }
    await state.ledger.close(); // writes pending counts
    found.push([what, ((await use.bytes()) - before) / MANY]);
    for (let index = 0; index <= MANY; index++) await state.journal.remove(deferred(index).interactionId);
    await state.close();
  }
  return found;
}

function deferred(index: number) {
  const receivedAtMs = Date.now();
  return {
    interactionId: snowflake(index),
    applicationId: snowflake(0),
    token: 'x'.repeat(200),
    command: 'card',
    asked: {
      queries: [{ cardId: storedCardId(index), showPrices: true }],
      unclear: [],
      unsearched: [],
      isPrivate: false,
    },
    locale: 'en-US',
    memberId: snowflake(index),
    guildId: snowflake(0),
    receivedAtMs,
    deadlineMs: receivedAtMs + REPLY_DEADLINE_MS,
  };
}

function snowflake(index: number): string {
  return String(1_180_000_000_000_200_000n + BigInt(index));
}
