import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it } from 'vitest';
import { DELETION_REQUESTS } from '../../src/members/member-data.ts';
import { type RedisClient, redisPrefix } from '../../src/storage/redis/connection.ts';
import { deferredReply } from '../replies/replies-over.ts';
import { openedServices } from '../support/opened-services.ts';
import { clientOf, startRedis, type TestRedis } from '../support/redis.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { failing, run } from './run.ts';

const ALICE = '123456789012345678';
const BOB = '876543210987654321';
const CAROL = '555555555555555555';
/** The servers of the first two. */
const LEFT = '999999999999999999';
const STAYS = '888888888888888888';

let dataDir: string;
beforeEach(() => {
  dataDir = temporaryFolder();
});

const over = ({ url, prefix }: TestRedis) => ({ REDIS_URL: url, REDIS_KEY_PREFIX: prefix });

/** State as the bot opens it. */
async function open(redis?: TestRedis) {
  const { services, state, close } = await openedServices({ DATA_DIR: dataDir, ...(redis && over(redis)) });
  await expect.poll(() => state.rows.isReachable).toBe(true); // on a busy machine the first connection may have failed
  return { ...services, state, close };
}

type Bot = Awaited<ReturnType<typeof open>>;

/** The members who are still to be told of a price. */
async function untold({ watches }: Bot) {
  return (await watches.find())?.flatMap((watch) => (watch.untold ? watch.memberId : []));
}

/** The files in a folder and below it that hold this text anywhere, free pages and write-ahead logs included. */
function filesWith(text: string, folder = dataDir): string[] {
  const files = readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)));
  // A bot that runs may have removed it since.
  return files.filter((file) => existsSync(file) && statSync(file).isFile() && readFileSync(file).includes(text));
}

/** What a bot keeps about both members and their servers. */
async function used(redis?: TestRedis) {
  const bot = await open(redis);
  for (const [memberId, server] of [
    [ALICE, LEFT],
    [BOB, STAYS],
  ] as const) {
    await bot.settings.change(server, { language: 'de' });
    for (const guildId of [server, undefined]) {
      bot.ledger.spent({ memberId, guildId });
      bot.ledger.refused(bot.ledger.spent({ memberId, guildId }));
      bot.ledger.saved({ memberId, guildId });
    }
    const requester = { memberId, guildId: undefined, isInstalled: true };
    await bot.state.journal.add(deferredReply({ interactionId: `1${memberId}`, requester }));
    await bot.watches.set({ memberId, cardId: 'base1-4', cardName: 'Drake', locale: 'de', below: 3 }, undefined);
    await bot.watches.priced({ cardId: 'base1-4', market: 2, atMs: Date.now() });
    const wish = { part: DELETION_REQUESTS, key: memberId, value: new Date().toISOString() };
    await bot.state.rows.write([wish], { keepMs: 3_600_000 });
  }
  await bot.ledger.hours(); // writes what was saved
  return bot;
}

function forget(environment: Record<string, string> = {}, memberId = ALICE) {
  return run(['data', 'forget', memberId], { env: { DATA_DIR: dataDir, ...environment } });
}

/** Written by the catalog's own thread, a moment later. */
async function lookedUp(bot: Bot): Promise<void> {
  for (const memberId of [ALICE, BOB]) {
    bot.catalog.shown({ cardIds: ['base1-4'], isPrivate: false, memberId, guildId: 'guild' });
  }
  await foundIds(bot, 'any'); // the thread begins with the first search
  const lastCards = async () => (await bot.memberData.kept(BOB)).lastCards;
  await expect.poll(lastCards).toEqual(['base1-4']);
}

const mention = (memberId: string) => `<@${memberId}>`;

/** Cards whose ids mention both members, as of a service that answers whatever it is asked, and who looked them up. */
async function typedAsCard(bot: Bot): Promise<void> {
  const { state, catalog } = bot;
  for (const memberId of [ALICE, BOB]) {
    const card = { id: mention(memberId), name: `Card ${memberId}`, game: 'Any', set: { id: 'any', name: 'Any' } };
    await state.cardStore.set(card.id, { card, fetchedAtMs: Date.now() });
    catalog.learn(card);
    catalog.shown({ cardIds: [card.id], isPrivate: false, memberId: CAROL, guildId: 'guild' });
  }
  await expect.poll(() => foundIds(bot, BOB)).toEqual([mention(BOB)]);
}

async function foundIds({ catalog }: Bot, text: string): Promise<string[]> {
  const found = await catalog.search(text, { memberId: 'anyone', guildId: undefined }, Date.now() + 60_000);
  return found.map(({ id }) => id);
}

describe('npm run data -- forget', () => {
  it('leaves the id of a member or a server in no file: not in a row, a free page, a write-ahead log, a copy, or a file moved aside, nor of a bot that was killed', async () => {
    const bot = await used();
    await lookedUp(bot);
    const killed = temporaryFolder();
    cpSync(dataDir, killed, { recursive: true });
    await bot.close();
    expect(filesWith(ALICE, killed)).toContain(join(killed, 'state.sqlite-wal'));
    expect(await forget({ DATA_DIR: killed })).toMatchObject({ code: 0 });
    expect(filesWith(ALICE, killed)).toEqual([]);
    const state = join(dataDir, 'state.sqlite');
    const folder = join(dataDir, 'backups');
    const earlier = new DatabaseSync(state);
    // Freed without being erased, as by a version that did not erase.
    earlier.exec(
      `PRAGMA secure_delete = OFF; CREATE TABLE stub (x); INSERT INTO stub VALUES ('${ALICE}'); DELETE FROM stub`,
    );
    earlier.close();
    mkdirSync(folder);
    for (const copy of [join(folder, 'state-2026-11-20.sqlite'), `${state}.v2-old`]) copyFileSync(state, copy);
    writeFileSync(`${state}.corrupt-2026`, `damaged ${ALICE} damaged`);
    writeFileSync(join(folder, 'state.unfinished'), readFileSync(state));
    expect(filesWith(ALICE)).toHaveLength(6); // with what members looked up last, in the catalog

    expect(await forget()).toMatchObject({ code: 0, out: expect.stringContaining('No file in') });

    expect(filesWith(ALICE)).toEqual([]);
    expect(filesWith(BOB).length).toBeGreaterThanOrEqual(3);
    await forget({}, LEFT);
    expect(filesWith(LEFT)).toEqual([]);
    const after = await open();
    expect(await after.settings.of({ guildId: LEFT })).toEqual({ isPrivate: false });
    expect(await after.settings.of({ guildId: STAYS })).toEqual({ language: 'de', isPrivate: false });
    expect(await after.ledger.guildToday({ memberId: BOB, guildId: STAYS })).toMatchObject({ requests: 1 });
    expect(await after.ledger.keptOf(ALICE)).toEqual({ days: 0, requests: 0, saved: 0 });
    expect(await after.ledger.keptOf(BOB)).toEqual({ days: 1, requests: 2, saved: 2 });
    expect([...((await after.state.rows.read(DELETION_REQUESTS))?.keys() ?? [])]).toEqual([BOB]);
    expect(await untold(after)).toEqual([BOB]);
    await after.close();
  });

  it('leaves the id out of cards and catalog, where somebody typed it as the id of a card', async () => {
    const bot = await open();
    await typedAsCard(bot);
    await bot.close();
    const held = ['cards.sqlite', 'catalog.sqlite'].map((name) => join(dataDir, name));
    const filesOf = (memberId: string) => filesWith(memberId).map((file) => file.replace(/-wal$/, ''));
    expect(new Set(filesOf(ALICE))).toEqual(new Set(held)); // a busy machine may leave a write-ahead log
    expect(await forget()).toMatchObject({ code: 0, err: '' });
    expect(filesWith(ALICE)).toEqual([]);
    expect(new Set(filesOf(BOB))).toEqual(new Set(held));
    const after = await open();
    expect(await foundIds(after, BOB)).toEqual([mention(BOB)]);
    expect(await foundIds(after, ALICE)).toEqual([]);
    await after.close();
  });

  it('succeeds where nothing is kept, and fails with a sentence for what is no id, and where there is no folder, which is not the one of the bot', async () => {
    expect(await forget()).toMatchObject({ code: 0 });
    for (const id of ['12345', "1' OR '1'='1"]) expect(await forget({}, id)).toMatchObject(failing('17 to 20 digits'));
    const none = { DATA_DIR: join(dataDir, 'none') };
    expect(await forget(none)).toMatchObject(failing(/^There is no folder .+none\. Set/));
    const file = join(dataDir, 'file');
    writeFileSync(file, '');
    expect(await forget({ DATA_DIR: file })).toMatchObject(failing('There is no'));
    expect(await forget({ ...none, ...over(await startRedis()) })).toMatchObject({
      code: 0,
      out: expect.stringContaining('run this on each machine'),
    });
  });

  it('leaves the id in no key or value of Redis, while the bot goes on', async () => {
    const redis = await startRedis();
    const bot = await used(redis);
    await typedAsCard(bot);
    const client = await clientOf(redis);
    await expect.poll(() => everythingIn(client, redis.prefix)).toContain(ALICE);
    await expect.poll(async () => (await bot.ledger.keptOf(ALICE))?.saved).toBe(2);
    await client.set(`${redisPrefix(redis.prefix)}:claim:card:${mention(ALICE)}`, 'process');
    const [old, other] = [`${redis.prefix}:v1:ledger:2026-01-01`, `${redis.prefix}:2:v1:ledger:2026-01-01`];
    for (const key of [old, other]) await client.hSet(key, `member:${BOB}`, 1); // of another version, and of another bot

    expect(await forget(over(redis))).toMatchObject({ code: 0, err: '' });

    const left = await everythingIn(client, redis.prefix);
    expect(left).not.toContain(ALICE);
    expect(left).toContain(BOB);
    expect([await client.exists(old), await client.exists(other)]).toEqual([0, 1]);
    expect((await bot.ledger.keptOf(BOB))?.requests).toBe(2);
    await forget(over(redis), LEFT);
    expect(await everythingIn(client, redis.prefix)).not.toContain(LEFT);
    expect(left).toContain(STAYS);
    expect(await untold(bot)).toEqual([BOB]);
  });

  it('fails with a sentence, without the password, when Redis cannot be reached', async () => {
    const failed = await forget({ REDIS_URL: 'redis://:secret-pw@127.0.0.1:10901' });
    const says = /^Redis cannot be cleaned now \(.*ECONNREFUSED.*\)\. Check REDIS_URL, and run this again\.\n$/;
    expect(failed).toMatchObject(failing(says));
    expect(failed.err).not.toContain('secret-pw');
  });
});

/** Every key with its content, as text. */
async function everythingIn(client: RedisClient, prefix: string): Promise<string> {
  const texts: unknown[] = [];
  for await (const keys of client.scanIterator({ MATCH: `${prefix}*`, COUNT: 1_000 }))
    for (const key of keys)
      texts.push(key, await ((await client.type(key)) === 'hash' ? client.hGetAll(key) : client.get(key)));
  return JSON.stringify(texts);
}

it('the button of /privacy deletes what was looked up last, and the id from the files but for what today needs, and the tool fails while the bot uses them', async () => {
  const bot = await open();
  await lookedUp(bot);
  expect(await bot.memberData.forget(ALICE)).toMatchObject({ isForgotten: true });
  expect(await bot.memberData.kept(ALICE)).toMatchObject({ lastCards: [] });
  expect((await bot.memberData.kept(BOB)).lastCards).toEqual(['base1-4']);
  const says = 'state.sqlite is in use by a bot. Stop it, and run this again.';
  expect(await forget()).toMatchObject(failing(says));
  await bot.close();
  expect(filesWith(ALICE)).toEqual([join(dataDir, 'state.sqlite')]);
});

it('the program names its subcommands, and writes usage as npm wants it typed', async () => {
  const { code, out } = await run(['--help']);
  expect(code).toBe(0);
  for (const name of ['catalog', 'commands', 'data', 'doctor']) expect(out).toContain(`\n  ${name} `);
  expect((await run(['data', 'forget', '--help'])).out).toMatch(/^Usage: npm run data -- forget \[options\] <id>\n/);
  expect(await run(['catalogue'])).toMatchObject({ code: 1, out: '', err: expect.stringContaining('catalog') });
});

it.each(['catalog', 'catalog import', 'commands', 'data', 'doctor'])(
  'the help of %s ends with what its options do not say',
  async (name) => {
    const { out } = await run([...name.split(' '), '--help']);
    expect(out).toMatch(/\nOptions:(?:.*\n)+\n(?:Exit codes: 0 |FILE is )/);
  },
);
