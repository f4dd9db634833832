import { beforeAll, describe, expect, it } from 'vitest';
import { changesOf, type SharedCatalog } from '../../../src/catalog/shared-catalog.ts';
import { RedisCatalog } from '../../../src/storage/redis/catalog.ts';
import { WorkerCatalog } from '../../../src/storage/sqlite/catalog/worker-catalog.ts';
import { logLines } from '../../support/log-lines.ts';
import { onFinished } from '../../support/on-finished.ts';
import { noRealRedis } from '../../support/redis/no-real-redis.ts';
import { clientOf, startRealRedis, startRedis, type TestRedis } from '../../support/redis.ts';
import { openedLink, type RedisAddress } from '../../support/redis-link.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const ALICE = { memberId: 'alice', guildId: 'guild' };
const CARD = { id: 'base1-4', name: 'Emberwing Drake', game: 'Drakes', set: { id: 'base1', name: 'Base' } };
const CARD_OF_FILE = { id: 'file-1', name: 'Tidecaller' };

/** One of several processes; leaves when the test ends. */
async function joined(redis: RedisAddress, mostKept?: number) {
  const { link } = await openedLink(redis);
  const { log, lines } = logLines();
  const shared = new RedisCatalog(link, undefined, mostKept);
  const dataDir = temporaryFolder();
  const open = (shared: SharedCatalog) =>
    new WorkerCatalog({ dataDir, keepsMembers: true, cardKeys: 'none', log, shared });
  const process = { catalog: open(shared), shared, lines, restart };
  async function restart(sharedNow: SharedCatalog = shared) {
    await process.catalog.close();
    process.catalog = open(sharedNow);
  }
  onFinished(async () => {
    await process.catalog.close();
  });
  return process;
}

type Process = Awaited<ReturnType<typeof joined>>;

async function found({ catalog }: Process, text: string): Promise<string[]> {
  const cards = await catalog.search(text, ALICE, Date.now() + 10_000);
  return cards.map(({ id }) => id);
}

describe('processes that share a catalog', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  let count = 0;
  const together = async () => {
    const shared = { ...redis, prefix: `${redis.prefix}:${count++}` };
    return { shared, first: await joined(shared), second: await joined(shared) };
  };

  it('offer what one of them has learned, also one that starts later, and no longer what the service has denied to one', async () => {
    const { shared, first, second } = await together();
    first.catalog.learn(CARD);
    await expect.poll(() => found(second, 'emberwing')).toEqual([CARD.id]);

    const third = await joined(shared);
    await expect.poll(() => found(third, 'emberwing')).toEqual([CARD.id]);
    expect([first, second, third].flatMap(({ lines }) => lines)).toEqual([]);

    for (const { catalog } of [first, second]) {
      catalog.learn(CARD);
      catalog.deny('unknown', false);
    }
    first.catalog.learn({ ...CARD, name: 'Emberwing Dragon' });
    await expect.poll(() => found(second, 'dragon')).toEqual([CARD.id]);
    const { changes } = await first.shared.changesAfter('', 100);
    const published = changes.map((change) => change.kind === 'cards' && change.cards[0]?.name);
    expect(published).toEqual(['Emberwing Drake', 'Emberwing Dragon']); // only what is news

    second.catalog.deny(CARD.id, false);
    await expect.poll(() => found(first, 'emberwing')).toEqual([]);
  });

  it('offer all that one of them learns between two exchanges, and tell it in that order', async () => {
    const { first, second } = await together();
    const ids = ['emberwing-1', 'emberwing-2', 'emberwing-3'];
    for (const id of ids) first.catalog.learn({ ...CARD, id });
    await expect.poll(() => found(second, 'emberwing').then((found) => found.sort())).toEqual(ids);
    const { changes } = await first.shared.changesAfter('', 100);
    expect(changes.flatMap((change) => (change.kind === 'cards' ? change.cards.map(({ id }) => id) : []))).toEqual(ids);
  });

  it('offer all cards of a large import, and read on after a restart where they were', async () => {
    const { first, second } = await together();
    const cards = Array.from({ length: 1_000 }, (_, index) => ({ id: `x-${index}`, name: `Drake ${index}` }));
    await first.shared.publish([...changesOf(cards, 'cards.csv')]);
    await expect.poll(() => found(second, 'drake 999')).toEqual(['x-999']);

    await second.restart();
    await first.shared.publish([{ kind: 'cards', cards: [{ id: 'y', name: 'Tidecaller' }] }]);
    await expect.poll(() => found(second, 'tidecaller')).toEqual(['y']);
  });

  it('keep a part of what they learned in Redis, and all imports', async () => {
    const shared = { ...redis, prefix: `${redis.prefix}:${count++}` };
    const first = await joined(shared, 100);
    await first.shared.publish([{ kind: 'cards', cards: [CARD_OF_FILE], source: 'cards.csv' }]);
    for (let at = 0; at < 500; at++)
      await first.shared.publish([{ kind: 'cards', cards: [{ id: `x-${at}`, name: `Drake ${at}` }] }]);
    const late = await joined(shared, 100);
    await expect.poll(() => found(late, 'drake 499')).toEqual(['x-499']);
    expect(await found(late, 'tidecaller')).toEqual([CARD_OF_FILE.id]);
    expect(await found(late, 'drake 0')).not.toContain('x-0');
    const { changes } = await first.shared.changesAfter('', 1_000);
    expect(changes.length).toBeLessThan(300);
    expect(late.lines).toEqual([]);
  });

  it('read what was shared elsewhere from its beginning when they are moved there', async () => {
    const { second } = await together();
    await second.shared.publish([{ kind: 'cards', cards: [{ id: 'y', name: 'Tidecaller' }] }]);
    const { first } = await together();
    first.catalog.learn(CARD);
    await expect.poll(async () => (await first.shared.changesAfter('', 1)).changes).toHaveLength(1);
    await expect.poll(() => found(first, 'emberwing')).toEqual([CARD.id]);
    await first.restart(second.shared);
    await expect.poll(() => found(first, 'tidecaller')).toEqual(['y']);
  });
});

it.skipIf(noRealRedis('a catalog after a flush'))(
  'processes share what they learn after Redis was flushed',
  async () => {
    const redis = await startRealRedis();
    const [first, second] = [await joined(redis), await joined(redis)];
    first.catalog.learn(CARD);
    await expect.poll(() => found(second, 'emberwing')).toEqual([CARD.id]);

    await (await clientOf(redis)).flushAll();
    first.catalog.learn({ ...CARD, id: 'base1-5', name: 'Tidecaller' });

    await expect.poll(() => found(second, 'tidecaller')).toEqual(['base1-5']);
    expect(await found(second, 'emberwing')).toEqual([CARD.id]);
  },
);
