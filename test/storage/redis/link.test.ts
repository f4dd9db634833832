import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { Events } from '../../../src/model/events.ts';
import { newClient, type RedisClient } from '../../../src/storage/redis/client.ts';
import type { RedisHealth, RedisLink } from '../../../src/storage/redis/link.ts';
import { RedisUnavailable } from '../../../src/storage/redis/unavailable.ts';
import { ERROR, WARN } from '../../support/log-lines.ts';
import { onFinished } from '../../support/on-finished.ts';
import { noRealRedis } from '../../support/redis/no-real-redis.ts';
import { startRealRedis, startRedis, type TestRedis } from '../../support/redis.ts';
import { linkTo, type RedisAddress } from '../../support/redis-link.ts';
import { type SlowRelay, startSlowRelay } from '../../support/slow-relay.ts';
import { movableClock } from '../../support/wall-clock.ts';

const DEAD_PORT = 'redis://127.0.0.1:1';

/** With the bot's own patience unless given. */
function linkUnderTest(redis: RedisAddress, patience: { answerTimeoutMs?: number } = {}) {
  const events = new Events();
  const works: boolean[] = [];
  onFinished(events.subscribe('store', (event) => void works.push(event.works)));
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
  await linked.link.opened(10_000);
  expect(linked.link.health).toBe('usable');
  return linked;
}

const UNAVAILABLE = 'redis unavailable: this process continues isolated, with its share of the plan';
const FORBIDDEN = 'the redis user lacks rights that the bot needs: see docs/more-processes.md';
const AVAILABLE = 'redis available again';

describe('a link to a Redis that works', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });

  it('runs commands, and logs nothing', async () => {
    const { write, read, lines } = await usableLinkTo(redis);
    expect(await write()).toBe('OK');
    expect(await read()).toBe('b');
    expect(lines).toEqual([]);
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
  ])('stays usable when the process is busy for 400 ms, %s', async (_, moment) => {
    const { link, lines } = await usableLinkTo(redis);
    const answer = link.run((client) => client.ping());
    await moment();
    block(400);
    expect(await answer).toBe('PONG');
    expect(lines).toEqual([]);
  });

  it.each([0.8, 1.2])('is usable when every answer takes %f times the answer timeout', async (share) => {
    const answerTimeoutMs = 500; // longer than usual, so that a busy machine adds less than that
    const relay = await startSlowRelay(redis.url, { delayMs: share * answerTimeoutMs });
    const { write, messages } = await usableLinkTo({ ...redis, url: relay.url }, { answerTimeoutMs });
    for (let time = 0; time < 3; time++) expect(await write()).toBe('OK');
    expect(messages()).toEqual([]);
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
    ['what server it is', 'sendCommand'],
    ['whether it takes writes', 'set'],
  ] as const)('becomes usable although its first question, %s, is never answered', async (_, command) => {
    const { link, becomes } = linkUnderTest(redis);
    const asked = vi.spyOn(link.client, command).mockReturnValueOnce(new Promise(() => {}));
    await becomes('usable');
    expect(asked).toHaveBeenCalled();
  });

  it('stays closed when it is closed while it connects', async () => {
    const closed: RedisLink[] = [];
    for (let turns = 0; turns < 20; turns++) {
      const { link } = linkUnderTest(redis);
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      link.close();
      closed.push(link);
    }
    await usableLinkTo(redis); // begun later, so the others would be connected by now
    expect(closed.filter(({ client }) => client.isReady)).toEqual([]);
  });
});

it('a link to a Redis that is down at start rejects at once, and logs the reason once', async () => {
  const { link, write, read, lines } = linkUnderTest({ url: DEAD_PORT, prefix: 'cardbot-test' });
  await expect(write()).rejects.toThrow(RedisUnavailable);
  await expect(read()).rejects.toThrow(RedisUnavailable);
  await link.opened(300);
  expect(link.health).toBe('unavailable');
  expect(lines).toMatchObject([{ level: WARN, msg: UNAVAILABLE, reason: expect.stringContaining('ECONNREFUSED') }]);
});

describe.skipIf(noRealRedis('a link after a failover'))('a link to an address whose primary changes', () => {
  it.each([
    ['stay open to the old one, now a replica', (_: SlowRelay) => {}],
    ['are dropped', (relay: SlowRelay) => relay.drop()],
  ])('is usable again when connections %s', async (_, during) => {
    const settings = { 'repl-diskless-sync-delay': '0' };
    const [old, next] = [await startRealRedis({ settings }), await startRealRedis({ settings })];
    const relay = await startSlowRelay(old.url, { delayMs: 0 });
    const { link, write, read, becomes, messages } = await usableLinkTo({ url: relay.url, prefix: old.prefix });
    await next.command('REPLICAOF', '127.0.0.1', String(old.port));
    await write();
    await expect.poll(() => next.command('GET', `${old.prefix}:a`)).toBe('b');

    await next.command('REPLICAOF', 'NO', 'ONE');
    await old.command('REPLICAOF', '127.0.0.1', String(next.port));
    relay.leadTo(next.url);
    during(relay);
    await expect(write()).rejects.toThrow(RedisUnavailable);
    await becomes('usable');
    expect(await write()).toBe('OK');
    expect(await read()).toBe('b');
    expect(await link.run((client) => client.sendCommand(['ROLE']))).toContain('master');
    expect(messages()).toEqual([UNAVAILABLE, AVAILABLE]);
  });

  it('goes on reading from a replica as long as no other server takes writes', async () => {
    const redis = await startRealRedis();
    const { write, read, becomes } = await usableLinkTo(redis);
    await write();
    await redis.command('REPLICAOF', '127.0.0.1', '1');
    await becomes('readable');
    const connections = async () => /total_connections_received:(\d+)/.exec(String(await redis.command('INFO')))?.[1];
    const before = Number(await connections());
    while (Number(await connections()) - before < 5) expect(await read()).toBe('b'); // looks for another server meanwhile
  });
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
    await link.opened(500);
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
    await second.link.opened(100);
    expect(second.link.health).toBe('unavailable');
    redis.resume();
    await Promise.all([becomes('usable'), second.becomes('usable')]);
    expect(messages()).toEqual([UNAVAILABLE, AVAILABLE]);
    expect(second.messages()).toEqual([UNAVAILABLE, AVAILABLE]);
  });

  it('looks for Redis twice a second at least, however long it was away', () => {
    const { reconnectStrategy } = newClient(DEAD_PORT, { reconnects: true }).options.socket ?? {};
    const waitMs =
      typeof reconnectStrategy === 'function' ? reconnectStrategy(10_000, new Error('refused')) : undefined;
    expect(waitMs).toBeLessThanOrEqual(550);
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
    expect(await read()).toBe('b');
    await expect(write()).rejects.toThrow(RedisUnavailable);

    // The link looks for a primary at its address, and ends this connection when it has found one.
    await link.read((client) => client.configSet('maxmemory', '0'));
    await link.read((client) => client.sendCommand(['REPLICAOF', 'NO', 'ONE'])).catch(() => {});
    await becomes('usable');
    expect(await write()).toBe('OK');
    expect(messages()).toEqual([UNAVAILABLE, AVAILABLE]);
  });

  it('recognises at its start a Redis that only answers reads', async () => {
    const redis = await startRealRedis({ settings: { replicaof: '127.0.0.1 1' } });
    const { link, read, becomes, lines } = linkUnderTest(redis);
    await becomes('readable');
    await link.opened(100);
    expect(await read()).toBeNull();
    expect(lines).toMatchObject([{ level: WARN, msg: UNAVAILABLE, reason: expect.stringContaining('READONLY') }]);
  });

  it('logs that the password is wrong, without it, and works once it is right', async () => {
    const redis = await startRealRedis({ password: 'right' });
    const { becomes, link, lines } = linkUnderTest({ ...redis, url: redis.url.replace('right', 'hunter2') });
    await link.opened(500);
    expect(lines).toMatchObject([{ level: WARN, msg: UNAVAILABLE, reason: expect.stringContaining('WRONGPASS') }]);

    const other = await usableLinkTo(redis);
    await other.link.run((client) => client.configSet('requirepass', 'hunter2'));
    await becomes('usable');
    expect(lines.map(({ msg }) => msg)).toEqual([UNAVAILABLE, AVAILABLE]);
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });

  it('refuses the data of another application though the server still loads them when the connection is made', async () => {
    // Half a second for two hundred keys, in which everything is answered with LOADING.
    const slowLoad = { 'key-load-delay': '2500', 'loading-process-events-interval-bytes': '1024' };
    const redis = await startRealRedis({ settings: slowLoad });
    const key = `${redis.prefix}:application`;
    await redis.command('MSET', ...Array.from({ length: 200 }, (_, at) => [`key-${at}`, 'x'.repeat(1_000)]).flat());
    await redis.command('SET', key, '4711');
    await redis.command('SAVE');
    await redis.kill();

    const { link, lines } = linkTo({ url: redis.url, prefix: redis.prefix }, { botId: '1' });
    await Promise.all([redis.start(), link.opened(300)]);
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
    const { link: watching } = await usableLinkTo(redis);
    for (const beforeMs of [0, 1, 5, 50]) {
      const { link } = linkUnderTest(redis);
      await new Promise((resolve) => setTimeout(resolve, beforeMs));
      link.close();
    }
    const clients = () => watching.read((client) => client.sendCommand(['INFO', 'clients'])).then(String);
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

it.each(
  [
    ['rediss:', 'redis://'],
    ['redis:', 'rediss://'],
  ].flatMap(([scheme, other]) => [1, 1_200].map((patienceMs) => ({ scheme, other, patienceMs }))),
)(
  'a server that says nothing to $scheme is logged with the other scheme, after $patienceMs ms',
  async ({ scheme, other, patienceMs }) => {
    const server = createServer(() => {}).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { link, lines } = linkUnderTest({ url: `${scheme}//127.0.0.1:${port}`, prefix: 'p' });
    await link.opened(patienceMs);
    expect(lines.map(({ reason }) => reason)).toEqual([expect.stringContaining(`REDIS_URL begins with ${other}`)]);
  },
);
