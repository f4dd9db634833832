import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { CardStore, keysOf } from '../../src/cache/card-store.ts';
import { Ledger } from '../../src/quota/ledger.ts';
import { CarryOver } from '../../src/storage/carry-over.ts';
import { RedisStore } from '../../src/storage/redis/cards.ts';
import { RedisCounters } from '../../src/storage/redis/counters.ts';
import { redisDeletionRequests } from '../../src/storage/redis/forget.ts';
import { redisSettings } from '../../src/storage/redis/server-settings.ts';
import { redisWatches } from '../../src/storage/redis/watches.ts';
import { openSqliteState } from '../../src/storage/sqlite/state.ts';
import { accountOf } from '../../src/storage/state.ts';
import { DAY_MS, utcDay } from '../../src/time/utc-day.ts';
import { newWatch } from '../../src/watches/watch.ts';
import { askedFor } from '../replies/replies-over.ts';
import { described } from '../support/described.ts';
import { logLines, WARN } from '../support/log-lines.ts';
import { onFinished } from '../support/on-finished.ts';
import { noRealRedis } from '../support/redis/no-real-redis.ts';
import { startRealRedis, startRedis } from '../support/redis.ts';
import { linkTo, type RedisAddress } from '../support/redis-link.ts';
import { startSlowRelay } from '../support/slow-relay.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const KEEP_MS = 90 * DAY_MS;
const SERVICE = { baseUrl: 'http://cards.example', description: { card: described().card }, apiKey: 'key' };
const ORIGIN = `${SERVICE.baseUrl} ${SERVICE.description.card.path}`;
const WATCH = newWatch({ memberId: '7', cardId: 'card-1', cardName: 'One', locale: 'de', above: 9 }, 3, Date.now());
const DONE = 'the files have been carried over into redis';
const PLAN = { plan: 'free', requestsPerMinute: undefined, burst: undefined } as never;

async function embedded(dataDir: string, cardService = SERVICE) {
  const log = logLines().log;
  return openSqliteState({ dataDir, cardService, plan: PLAN, longestWaitMs: 1, freshness: { keepMs: KEEP_MS }, log });
}

function cardOf(id: string, fetchedAtMs = Date.now()) {
  return { card: { id, name: `Card ${id}`, game: 'trial', set: { id: 'all', name: 'All' } }, fetchedAtMs };
}

function deferredReply(interactionId: string) {
  return {
    ...{ interactionId, webhook: { applicationId: '1', token: 'token' }, command: 'card', locale: 'de' },
    ...{ requester: { memberId: 'alice', guildId: 'guild', isInstalled: true }, canReplyPublicly: true },
    ...{ asked: askedFor('base1-4') },
    ...{ receivedAtMs: Date.now(), deadlineMs: Date.now() + 60_000 },
  };
}

/** Files of a bot that has answered `cards` cards, for as many members. */
async function leftFiles(cards: number): Promise<string> {
  const dataDir = temporaryFolder();
  const state = await embedded(dataDir);
  for (let index = 0; index < cards; index++) {
    state.ledger.spent({ memberId: `${index}`, guildId: 'guild' });
    await state.cardStore.set(`card-${index}`, cardOf(`card-${index}`, Date.now() - DAY_MS));
  }
  state.ledger.saved({ memberId: '0', guildId: undefined });
  state.ledger.refused(state.ledger.spent({ memberId: '0', guildId: 'guild' }));
  await state.journal.add(deferredReply('100'));
  await state.deletionRequests.add({ memberId: '7', at: new Date().toISOString(), lastChange: 0 });
  await state.settingsStore.write('guild', 'language', 'de');
  await state.watchStore.change(WATCH.id, () => WATCH);
  await state.close();
  return dataDir;
}

/** A process in Redis mode, as far as it is needed here. */
function processOn(redis: RedisAddress, dataDir: string) {
  const { link, log, lines } = linkTo(redis);
  const cardKeys = { inFiles: keysOf(ORIGIN), before: `${redis.prefix}:cards:` };
  const account = accountOf(SERVICE.baseUrl, SERVICE.apiKey);
  const carryOver = new CarryOver({ link, cardKeys, account, dataDir, log });
  const ledger = new Ledger(new RedisCounters(link));
  const cards = new CardStore({
    ...{ memoryBytes: 1_000_000, keepMs: KEEP_MS, origin: ORIGIN, keyPrefix: cardKeys.before, log },
    store: new RedisStore(link),
  });
  const close = async () => {
    await carryOver.close();
    link.close();
  };
  onFinished(close);
  const messages = () => lines.map(({ msg }) => msg);
  return {
    ...{ link, ledger, cards, carryOver, close, lines, messages },
    done: () => expect.poll(messages).toContain(DONE),
    usable: () => expect.poll(() => link.health).toBe('usable'),
  };
}

describe('files of an embedded bot, carried over into Redis', () => {
  it("hold cards for the rest of their time, today's counts, what servers have set, watches, and deferred replies for any process", async () => {
    const redis = await startRedis();
    const dataDir = await leftFiles(250);
    const state = new DatabaseSync(join(dataDir, 'state.sqlite'));
    state.exec(`INSERT INTO counts VALUES ('0', '${utcDay(Date.now() - DAY_MS)}', 'guild', 9, 0, 0)`);
    state.close();
    const { link, ledger, cards, done } = processOn(redis, dataDir);
    await done();
    expect(await ledger.counters.keptOf('0')).toEqual({ days: 1, requests: 1, saved: 1 });
    expect(await ledger.today()).toEqual({ requests: 250, refused: 1, saved: 1 });
    expect(await ledger.guildToday({ memberId: '1', guildId: 'guild' })).toEqual({
      requests: 250,
      refused: 1,
      saved: 0,
    });
    expect(await ledger.memberToday('0')).toEqual({ requests: 1, refused: 1, saved: 1 });
    expect(await ledger.topMembers({ memberId: '1', guildId: 'guild' }, 1)).toEqual([{ memberId: '0', requests: 1 }]);
    for (const id of ['card-0', 'card-249']) expect(await cards.get(id)).toMatchObject(cardOf(id, expect.any(Number)));
    const ttlMs = await link.read((client) => client.pTTL(`${redis.prefix}:cards:${keysOf(ORIGIN)}card-7`));
    expect(ttlMs).toBeGreaterThan(KEEP_MS - 2 * DAY_MS);
    expect(ttlMs).toBeLessThan(KEEP_MS - DAY_MS + 1);
    const reply = await link.read((client) => client.hGet(`${redis.prefix}:replies`, '100'));
    expect(reply).toMatch(/^- {"interactionId":"100"/);
    expect(await redisSettings(link).read('guild')).toEqual({ language: 'de' });
    const watches = redisWatches(link);
    for (const scope of [{ member: '7' }, { card: 'card-1' }]) expect(await watches.find(scope)).toEqual([WATCH]);
    expect(await watches.find('untold')).toEqual([]);
    const wishes = await redisDeletionRequests(link).all();
    expect(wishes).toEqual([{ memberId: '7', at: expect.stringContaining(utcDay(Date.now())), lastChange: 0 }]);
    expect(await watches.forget('7', 0)).toBe(0);
    expect(await watches.find({ member: '7' })).toEqual([WATCH]); // set after that wish
  });

  // The stand-in copies a hash with each field that is set: it would take a minute on a busy machine.
  it.skipIf(noRealRedis('thousands of watches that are carried over'))('hold thousands of watches', async () => {
    const dataDir = await leftFiles(1);
    const state = new DatabaseSync(join(dataDir, 'state.sqlite'));
    const insert = state.prepare("INSERT INTO watched_prices VALUES (NULL, ?, '8', ?, 0, ?)");
    for (let id = 0; id < 2_000; id++)
      insert.run(`${id}`, `${id}`, JSON.stringify({ ...WATCH, id: `${id}`, memberId: '8', cardId: `${id}` }));
    state.close();
    const { link, done } = processOn(await startRedis(), dataDir);
    await done();
    expect(await redisWatches(link).find({ member: '8' })).toHaveLength(2_000);
  });

  it('are the same afterwards, and start an embedded bot again', async () => {
    const dataDir = await leftFiles(3);
    const before = await readFile(join(dataDir, 'state.sqlite'));
    const { done, close } = processOn(await startRedis(), dataDir);
    await done();
    await close();
    expect((await readFile(join(dataDir, 'state.sqlite'))).equals(before)).toBe(true);
    const state = await embedded(dataDir);
    expect((await state.ledger.today()).requests).toBe(3);
    expect((await state.cardStore.get('card-2'))?.card?.name).toBe('Card card-2');
    await state.close();
  });

  it('tell the limiter what it knew of the same account', async () => {
    const dataDir = temporaryFolder();
    const state = await embedded(dataDir);
    const taken = await state.limiter.acquire('members');
    expect(taken.kind).toBe('permit');
    await state.close();
    const { carryOver } = processOn(await startRedis(), dataDir);
    expect(carryOver.limiterState?.fullAtMs).toBeGreaterThan(Date.now());
    const others = { ...SERVICE, apiKey: 'another' };
    const another = temporaryFolder();
    await (await embedded(another, others)).close();
    expect(processOn(await startRedis(), another).carryOver.limiterState).toBeUndefined();
  });

  it('replace no card of Redis, and bring none of another service', async () => {
    const redis = await startRedis();
    const dataDir = await leftFiles(3);
    // Keys begin with a hash of the path: some of these sort before the others, and some after them.
    for (const version of [2, 3, 4, 5, 6, 7]) {
      const elsewhere = await embedded(dataDir, {
        ...SERVICE,
        description: described({ cardPath: `/v${version}/cards/{id}` }),
      });
      await elsewhere.cardStore.set('card-9', cardOf('card-9'));
      await elsewhere.close();
    }
    const first = processOn(redis, temporaryFolder()); // with nothing to carry over
    await first.usable();
    const { card, fetchedAtMs } = cardOf('card-1');
    const newer = { card: { ...card, name: 'Newer' }, fetchedAtMs };
    await first.cards.set('card-1', newer);
    const { cards, done } = processOn(redis, dataDir);
    await done();
    expect((await cards.get('card-1'))?.card?.name).toBe('Newer');
    expect((await cards.get('card-2'))?.card?.name).toBe('Card card-2');
    const keys = await first.link.read((client) => client.keys(`${redis.prefix}:cards:*`));
    expect(keys.filter((key) => key.endsWith('card-9'))).toEqual([]);
    expect(keys).toHaveLength(3);
  });

  it('are counted once, by however many processes and starts', async () => {
    const redis = await startRedis();
    const dataDir = await leftFiles(450);
    const processes = Array.from({ length: 3 }, () => processOn(redis, dataDir));
    await Promise.all(processes.map(({ done }) => done()));
    const later = processOn(redis, dataDir);
    await later.usable();
    await later.link.read((client) => client.ping());
    expect((await later.ledger.today()).requests).toBe(450);
    expect(later.messages()).toEqual([]);
    expect(await later.link.read((client) => client.zCard(`${redis.prefix}:ledger:${utcDay(Date.now())}:guild`))).toBe(
      450,
    );
  });

  it('stay where they are when Redis has counted already', async () => {
    const redis = await startRedis();
    const first = processOn(redis, temporaryFolder());
    await first.usable();
    first.ledger.spent({ memberId: 'bob', guildId: 'guild' });
    await first.ledger.close();
    const { messages, ledger, cards } = processOn(redis, await leftFiles(3));
    await expect.poll(messages).toEqual(['the files are not carried over into redis: it is in use already']);
    expect((await ledger.today()).requests).toBe(1);
    expect(await cards.get('card-1')).toBeUndefined();
  });

  it('stay where they are while an embedded bot uses them, with a warning', async () => {
    const dataDir = await leftFiles(3);
    const running = await embedded(dataDir);
    const { lines, usable, ledger } = processOn(await startRedis(), dataDir);
    await usable();
    const message = expect.stringContaining('a bot without REDIS_URL uses them');
    expect(lines).toMatchObject([{ level: WARN, err: { message } }]);
    expect((await ledger.today()).requests).toBe(0);
    running.ledger.spent({ memberId: 'bob', guildId: 'guild' });
    expect((await running.ledger.today()).requests).toBe(4);
    await running.close();
  });

  it('are no reason not to start when they are broken or absent', async () => {
    const dataDir = temporaryFolder();
    const { usable, lines } = processOn(await startRedis(), dataDir);
    await usable();
    expect(lines).toEqual([]);
    expect(await readdir(dataDir)).toEqual([]);
    await writeFile(join(dataDir, 'state.sqlite'), 'no database '.repeat(1_000));
    const broken = processOn(await startRedis(), dataDir);
    await broken.usable();
    expect(broken.lines).toMatchObject([{ level: WARN, err: { message: expect.stringContaining('not a database') } }]);
  });

  it.skipIf(noRealRedis('an outage while files are carried over'))(
    'are complete after an outage and a break',
    async () => {
      const redis = await startRealRedis({ appendonly: true, settings: { appendfsync: 'always' } });
      const relay = await startSlowRelay(redis.url, { delayMs: 40 });
      const dataDir = await leftFiles(1_000);
      const first = processOn({ ...redis, url: relay.url }, dataDir);
      const inRedis = (field: string) => redis.command('HGET', `${redis.prefix}:carried-over`, field);
      await expect.poll(() => inRedis('done')).toBe('no');
      await redis.kill();
      await redis.start();
      await first.usable();
      await expect.poll(() => redis.command('DBSIZE')).toBeGreaterThan(200);
      await first.close();
      expect(await inRedis('done')).toBe('no');

      const { done, ledger, cards } = processOn(redis, dataDir);
      await done();
      expect((await ledger.today()).requests).toBe(1_000);
      for (let index = 0; index < 1_000; index++) expect(await cards.get(`card-${index}`)).toBeDefined();
    },
  );
});
