import { REPLY_DEADLINE_MS } from '../../../src/replies/reply-journal.ts';
import type { State } from '../../../src/storage/state.ts';
import { scoped } from '../../support/on-finished.ts';
import { concurrently } from '../concurrently.ts';
import { storedCardId } from '../stored-cards.ts';
import { openState, putCard } from './bench-redis.ts';

const MANY = 5_000;
const AT_ONCE = 100;

type Write = (state: State, index: number) => Promise<unknown>;

const WRITES: Readonly<Record<string, Write>> = {
  'a card': ({ cardStore }, index) => putCard(cardStore, index),
  'a deferred reply, until it is completed': ({ journal }, index) => journal.add(deferred(index)),
  'a member who caused requests in a server, for each day': async ({ ledger }, index) => {
    ledger.spent({ memberId: snowflake(index), guildId: snowflake(0) });
  },
};

/** Bytes that Redis uses for one item of each kind, its keys and overhead included: the mean of 5,000. */
export async function bytesOfEach(
  usedBytes: () => Promise<number>,
  variables: Record<string, string>,
): Promise<[string, number][]> {
  const found: [string, number][] = [];
  for (const [what, write] of Object.entries(WRITES)) {
    found.push([what, await scoped(async () => bytesOf(write, await openState(variables), usedBytes))]);
  }
  return found;
}

async function bytesOf(write: Write, state: State, usedBytes: () => Promise<number>): Promise<number> {
  await write(state, MANY); // creates the keys that all items of a kind share
  const before = await usedBytes();
  await concurrently(Array(MANY).keys(), AT_ONCE, (index) => write(state, index));
  await state.ledger.close(); // writes pending counts
  const bytes = (await usedBytes()) - before;
  for (let index = 0; index <= MANY; index++) await state.journal.remove(deferred(index).interactionId);
  return bytes / MANY;
}

function deferred(index: number) {
  const receivedAtMs = Date.now();
  return {
    interactionId: snowflake(index),
    applicationId: snowflake(0),
    isInstalled: true,
    canReplyPublicly: true,
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
