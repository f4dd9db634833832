import { createServer } from 'node:net';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { listen } from '../../../sandbox/listen.ts';
import { Events } from '../../../src/model/events.ts';
import type { RedisClient } from '../../../src/storage/redis/client.ts';
import { type RedisHealth, RedisUnavailable } from '../../../src/storage/redis/link.ts';
import { ERROR, WARN } from '../../support/log-lines.ts';
import { onFinished } from '../../support/on-finished.ts';
import {
  clientOf,
  linkTo,
  noRealRedis,
  type RedisAddress,
  startRealRedis,
  startRedis,
  type TestRedis,
} from '../../support/redis.ts';
import { startRelay } from '../../support/relay.ts';

const DEAD_PORT = 'redis://127.0.0.1:1';

/** With the bot's own patience unless given. */
function linkUnderTest(redis: RedisAddress, patience: { answerTimeoutMs?: number } = {}) {
  const events = new Events();
  const works: boolean[] = [];
  events.subscribe('store', (event) => void works.push(event.works));
  const { link, lines } = linkTo(redis, { ...patience, events });
  const key = `${redis.prefix}:a`;
  return {
    link,
    lines,
    works,
    write: () => link.run((client) => client.set(key, 'b')),
    read: () => link.read((client) => client.get(key)),
    messages: () => lines.map(({ msg }) => msg),
    becomes: (health: RedisHealth) => expect.poll(() => link.health).toBe(health),
  };
}

async function usableLinkTo(redis: RedisAddress, patience?: { answerTimeoutMs: number }) {
  const linked = linkUnderTest(redis, patience);
  await linked.link.opened;
  expect(linked.link.health).toBe('usable');
  return linked;
}

const UNAVAILABLE = 'redis unavailable: no card is requested until it is back; see to Redis, or check REDIS_URL';
const FORBIDDEN = 'the redis user lacks rights that the bot needs: see docs/more-processes.md';
const AVAILABLE = 'redis available again';

describe('a link to a Redis that works', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });

  it('stays usable when one command fails, and logs it', async () => {
    const { link, lines } = await usableLinkTo(redis);
    await expect(link.run((client) => client.sendCommand(['NOSUCHCOMMAND']))).rejects.toThrow(RedisUnavailable);
    expect(link.health).toBe('usable');
    expect(lines).toMatchObject([{ level: ERROR, msg: 'redis command failed' }]);
  });

  it.each([
    ['at once', () => Promise.resolve()],
    ['when the command is on its way', () => new Promise((resolve) => setImmediate(resolve))],
    ['a moment later', () => new Promise((resolve) => setTimeout(resolve, 1))],
  ])('stays usable when the process is busy for longer than an answer may take, %s', async (_, moment) => {
    const { link, lines } = await usableLinkTo(redis, { answerTimeoutMs: 500 });
    const answer = link.run((client) => client.ping());
    await moment();
    block(600);
    expect(await answer).toBe('PONG');
    expect(lines).toEqual([]);
  });

  it('rejects at once after it was closed, and leaves no timer', async () => {
    const { link, write, lines } = await usableLinkTo(redis);
    link.close();
    const setTimer = vi.spyOn(globalThis, 'setTimeout');
    onFinished(() => setTimer.mockRestore());
    await expect(write()).rejects.toThrow(RedisUnavailable);
    expect(setTimer).not.toHaveBeenCalled();
    expect(lines).toEqual([]);
  });

  it.each([
    ['that it is there', 1],
    ['what server it is', 2],
    ['whose the data are', 3],
    ['whether it is still there', 4],
  ])('comes back although one question, %s, is never answered', async (_, question) => {
    let asked = 0;
    const watch = () => () => {
      if (++asked === question) relay.silence(true);
    };
    const relay = await startRelay(redis.url, { watch });
    const { link, becomes } = linkUnderTest({ ...redis, url: relay.url }, { answerTimeoutMs: 300 });
    await link.opened;
    await becomes('unavailable');
    relay.silence(false);
    await becomes('usable');
  });

  it('keeps for good whose data they are, also in a Redis that came back empty', async () => {
    const own = await startRedis();
    const { link } = await usableLinkTo(own);
    const client = await clientOf(own);
    const key = `${own.prefix}:application`;
    await client.del(key);
    await expect.poll(() => client.get(key)).toBe('1');
    await client.set(key, '4711');
    expect((await link.refused).message).toContain('that of another application (4711; this is 1)');
    expect(link.health).toBe('unavailable');
  });
});

it('a link to a Redis that is down at start rejects at once, and logs the reason once', async () => {
  const { link, write, read, lines } = linkUnderTest({ url: DEAD_PORT, prefix: 'cardbot-test' });
  await expect(write()).rejects.toThrow(RedisUnavailable);
  await expect(read()).rejects.toThrow(RedisUnavailable);
  await link.opened;
  expect(link.health).toBe('unavailable');
  expect(lines).toMatchObject([{ level: WARN, msg: UNAVAILABLE, reason: expect.stringContaining('ECONNREFUSED') }]);
});

describe.skipIf(noRealRedis('a link with an ACL'))('a link whose user has few rights', () => {
  const RIGHTS = ['resetkeys', '~bot:*', 'resetchannels', '-@all', '+@connection', '+@read', '+@write', '+eval'];
  const as = (url: string) => url.replace('redis://', 'redis://bot:p%40ss@');

  it('logs once what is not permitted, and goes on with the rest', async () => {
    const redis = await startRealRedis();
    await redis.command('ACL', 'SETUSER', 'bot', 'on', '>p@ss', ...RIGHTS, '-hset');
    const { link, write, lines } = await usableLinkTo({ url: as(redis.url), prefix: 'bot:1' });
    for (let time = 0; time < 3; time++) {
      await expect(link.run((client) => client.hSet('bot:1:hash', 'a', 'b'))).rejects.toThrow(RedisUnavailable);
      await expect(link.run((client) => client.set('elsewhere', 'b'))).rejects.toThrow(RedisUnavailable);
    }
    expect(await write()).toBe('OK');
    const script = "return redis.call('HSET', KEYS[1], 'a', 'b')";
    await expect(link.run((client) => client.eval(script, { keys: ['bot:1:a'] }))).rejects.toThrow(RedisUnavailable);
    const line = (reason: string) => ({ level: ERROR, msg: FORBIDDEN, reason: expect.stringContaining(reason) });
    expect(lines).toMatchObject([line('hset'), line('key'), line('script')]);
    expect(link.health).toBe('usable');
  });

  it('logs what is not permitted when that is everything', async () => {
    const redis = await startRealRedis();
    await redis.command('ACL', 'SETUSER', 'bot', 'on', '>p@ss', ...RIGHTS);
    const { link, lines } = linkUnderTest({ url: as(redis.url), prefix: 'another' });
    await link.opened;
    expect(lines).toMatchObject([{ level: WARN, msg: UNAVAILABLE, reason: expect.stringContaining('NOPERM') }]);
  });
});

describe.skipIf(noRealRedis('a link to a Redis that fails'))('a link to a Redis that fails', () => {
  it('waits once for a Redis that hangs, rejects everything after at once, and is usable again when it continues', async () => {
    const redis = await startRealRedis();
    const { link, write, becomes, lines, messages } = await usableLinkTo(redis);
    redis.pause();
    await expect(write()).rejects.toThrow(RedisUnavailable);
    expect(link.health).toBe('unavailable');
    const later = Array.from({ length: 100 }, () => refusedAtOnce(write()));
    expect(await Promise.all(later)).toEqual(later.map(() => true));
    expect(lines).toMatchObject([{ reason: expect.stringMatching(/^no answer within \d+ ms$/) }]);
    redis.resume();
    await becomes('usable');
    expect(messages()).toEqual([UNAVAILABLE, AVAILABLE]);
  });

  it('notices without a command that Redis hangs, and recovers from a connection that hung while it was opened', async () => {
    const redis = await startRealRedis();
    const { becomes, messages } = await usableLinkTo(redis);
    redis.pause();
    await becomes('unavailable');
    const second = linkUnderTest(redis);
    await second.link.opened;
    expect(second.link.health).toBe('unavailable');
    redis.resume();
    await Promise.all([becomes('usable'), second.becomes('usable')]);
    expect(messages()).toEqual([UNAVAILABLE, AVAILABLE]);
    expect(second.messages()).toEqual([UNAVAILABLE, AVAILABLE]);
  });

  it.each([
    [
      'a replica that takes no writes',
      (client: RedisClient): Promise<unknown> => client.sendCommand(['REPLICAOF', '127.0.0.1', '1']),
    ],
    ['memory that is used up', (client: RedisClient): Promise<unknown> => client.configSet('maxmemory', '1')],
  ])('reads, but does not write, with %s', async (_, fail) => {
    const redis = await startRealRedis();
    const { link, works, write, read, becomes, messages } = await usableLinkTo(redis);
    await write();
    await link.run(fail);
    await expect(write()).rejects.toThrow(RedisUnavailable);
    expect([link.health, works]).toEqual(['readable', [true, false]]); // what replies are kept in is not written
    const client = await clientOf(redis);
    const connections = async () => Number(/total_connections_received:(\d+)/.exec(await client.info())?.[1]);
    const before = await connections();
    while ((await connections()) - before < 2) expect(await read()).toBe('b'); // looks for another server meanwhile
    await expect(write()).rejects.toThrow(RedisUnavailable);

    await redis.command('CONFIG', 'SET', 'maxmemory', '0');
    await redis.command('REPLICAOF', 'NO', 'ONE');
    await becomes('usable');
    expect(await write()).toBe('OK');
    expect(messages()).toEqual([UNAVAILABLE, AVAILABLE]);
  });

  it('recognises at its start a Redis that only answers reads', async () => {
    const redis = await startRealRedis({ replicaof: '127.0.0.1 1' });
    const { link, read, lines } = linkUnderTest(redis);
    await link.opened;
    expect(link.health).toBe('readable');
    expect(await read()).toBeNull();
    expect(lines).toMatchObject([{ level: WARN, msg: UNAVAILABLE, reason: expect.stringContaining('READONLY') }]);
  });

  it('refuses the data of another application though the server still loads them when the connection is made', async () => {
    // Half a second for two hundred keys, in which everything is answered with LOADING.
    const slowLoad = { 'key-load-delay': '2500', 'loading-process-events-interval-bytes': '1024' };
    const redis = await startRealRedis(slowLoad);
    const key = `${redis.prefix}:application`;
    await redis.command('MSET', ...Array.from({ length: 200 }, (_, at) => [`key-${at}`, 'x'.repeat(1_000)]).flat());
    await redis.command('SET', key, '4711');
    await redis.command('SAVE');
    await redis.kill();

    const { link, lines } = linkTo(redis, {});
    await Promise.all([redis.start(), link.opened]);
    expect((await link.refused).message).toContain(`that of another application (4711; this is 1)`);
    expect(lines).toMatchObject([{ msg: UNAVAILABLE }]);
    expect(await redis.command('GET', key)).toBe('4711');
  });

  it('logs repeated outages once a minute, and the last of them if it lasts', async () => {
    const clock = movableClock();
    const redis = await startRealRedis();
    const { becomes, messages } = await usableLinkTo(redis);
    for (let time = 0; time < 3; time++) {
      await redis.kill();
      await becomes('unavailable');
      await redis.start();
      await becomes('usable');
    }
    expect(messages()).toEqual([UNAVAILABLE, AVAILABLE]);

    await redis.kill();
    await becomes('unavailable');
    expect(messages()).toEqual([UNAVAILABLE, AVAILABLE]);
    clock.forward(60_000);
    await expect.poll(messages).toEqual([UNAVAILABLE, AVAILABLE, UNAVAILABLE]);
    await redis.start();
    await becomes('usable');
    expect(messages()).toEqual([UNAVAILABLE, AVAILABLE, UNAVAILABLE, AVAILABLE]);
  });

  it('leaves no connection behind when it is closed', async () => {
    const redis = await startRealRedis();
    for (const beforeMs of [0, 1, 5, 50]) {
      const { link } = linkUnderTest(redis);
      await new Promise((resolve) => setTimeout(resolve, beforeMs));
      link.close();
    }
    const clients = () => redis.command('INFO', 'clients').then(String);
    await expect.poll(clients).toContain('connected_clients:1\r');
  });
});

/** Within the current turn of the event loop. */
function refusedAtOnce(command: Promise<unknown>): Promise<boolean> {
  const refused = command.then(
    () => false,
    (error: unknown) => error instanceof RedisUnavailable,
  );
  return Promise.race([refused, new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))]);
}

function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

it.each([
  ['rediss:', 'redis://'],
  ['redis:', 'rediss://'],
])('a server that says nothing to %s is logged with the other scheme', async (scheme, other) => {
  const server = createServer(() => {});
  const port = await listen(server, 0);
  onFinished(() => void server.close());
  const { link, lines } = linkUnderTest({ url: `${scheme}//127.0.0.1:${port}`, prefix: 'p' }, { answerTimeoutMs: 100 });
  await link.opened;
  expect(lines.map(({ reason }) => reason)).toEqual([expect.stringContaining(`REDIS_URL begins with ${other}`)]);
});

/** The real clock, which the test can set forward. Running timers are not affected. */
function movableClock(): { forward(ms: number): void } {
  const now = Date.now.bind(Date);
  let aheadMs = 0;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs);
  onTestFinished(() => clock.mockRestore());
  return {
    forward(ms) {
      aheadMs += ms;
    },
  };
}
