import { createClient } from '@redis/client';
import { REPLY_DEADLINE_MS } from '../../../src/replies/reply-ports.ts';
import type { State } from '../../../src/storage/state.ts';
import { onFinished, scoped } from '../../support/on-finished.ts';
import { concurrently } from '../concurrently.ts';
import { storedCardId } from '../stored-cards.ts';
import { type BenchRedis, openState, putCard } from './bench-redis.ts';
import type { FigurePart } from './group.ts';

const MANY = 5_000;
const AT_ONCE = 100;

const WRITES: Readonly<Record<string, (state: State, index: number) => Promise<unknown>>> = {
  'a card': ({ cardStore }, index) => putCard(cardStore, index),
  'a deferred reply': ({ journal }, index) => journal.add(deferred(index)),
  'a member who caused requests, for each day': async ({ ledger }, index) => {
    ledger.spent({ memberId: snowflake(index), guildId: snowflake(0) });
  },
};

/** Bytes that Redis uses for one item of each kind, its keys and overhead included. */
export async function redisMemory(redis: BenchRedis): Promise<FigurePart> {
  const client = await createClient({ url: redis.url }).connect();
  onFinished(() => client.destroy());
  const usedBytes = async () => Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1]);
  const rows: string[][] = [];
  for (const [what, write] of Object.entries(WRITES)) {
    const bytes = await scoped(async () => {
      const state = await openState({ ...redis.newVariables(), CARD_SERVICE_URL: 'http://cards.example' });
      await write(state, MANY); // creates the keys that all items of a kind share
      const before = await usedBytes();
      await concurrently(Array(MANY).keys(), AT_ONCE, (index) => write(state, index));
      await state.ledger.close(); // writes pending counts
      return ((await usedBytes()) - before) / MANY;
    });
    rows.push([`Redis memory, ${what}`, `${Math.round(bytes)} bytes`]);
  }
  return { rows, verdicts: [], notes: [`Redis memory: the mean of ${MANY.toLocaleString('en')}.`] };
}

function deferred(index: number) {
  const receivedAtMs = Date.now();
  return {
    interactionId: snowflake(index),
    webhook: { applicationId: snowflake(0), token: 'x'.repeat(200) },
    requester: { memberId: snowflake(index), guildId: snowflake(0), isInstalled: true },
    canReplyPublicly: true,
    command: 'card',
    asked: {
      queries: [{ cardId: storedCardId(index), showPrices: true }],
      unclear: [],
      unsearched: [],
      isPrivate: false,
    },
    locale: 'en-US',
    receivedAtMs,
    deadlineMs: receivedAtMs + REPLY_DEADLINE_MS,
  };
}

function snowflake(index: number): string {
  return String(1_180_000_000_000_200_000n + BigInt(index));
}
