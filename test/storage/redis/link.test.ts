import { createServer } from 'node:net';
import { pino } from 'pino';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { listen } from '../../../sandbox/listen.ts';
import { Events } from '../../../src/model/events.ts';
import {
  type RedisHealth,
  RedisUnavailable,
  settingProblems,
  whyUnusable,
} from '../../../src/storage/redis/connection.ts';
import { onFinished } from '../../support/on-finished.ts';
import {
  clientOf,
  linkTo,
  noRealRedis,
  type RealServer,
  type RedisAddress,
  startRealRedis,
  startRedis,
  type TestRedis,
} from '../../support/redis.ts';
import { startRelay } from '../../support/relay.ts';
import { expectSaid, table } from '../../table.ts';

/** With the bot's own patience unless given. */
function linkUnderTest(redis: RedisAddress, patience: { answerTimeoutMs?: number } = {}) {
  const events = new Events();
  const works: boolean[] = [];
  events.subscribe('store', (event) => void works.push(event.works));
  const { link, lines } = linkTo(redis, { ...patience, events });
  const key = `${redis.prefix}:a`;
  return {
    ...{ link, lines, works },
    write: () => link.run((client) => client.set(key, 'b')),
    read: () => link.read((client) => client.get(key)),
    becomes: (health: RedisHealth) => expect.poll(() => link.health).toBe(health),
  };
}

type Linked = ReturnType<typeof linkUnderTest>;
type Step = (linked: Linked, ...words: string[]) => unknown;

async function usableLinkTo(redis: RedisAddress, patience?: { answerTimeoutMs: number }): Promise<Linked> {
  const linked = linkUnderTest(redis, patience);
  await linked.becomes('usable');
  linked.lines.length = 0; // on a busy machine the first connection may have failed
  return linked;
}

const MESSAGES: Record<string, string> = {
  'redis unavailable: no card is requested until it is back; see to Redis, or check REDIS_URL': 'unavailable',
  'the redis user lacks rights that the bot needs: see docs/more-processes.md': 'forbidden',
  'redis available again': 'available',
};
const REASON = /ECONNREFUSED|READONLY|OOM|no answer within (?=\d+ ms)|'\w+'|key|script/;

function told({ lines }: Linked, how = ''): string {
  const short = lines.map(({ level, msg, reason }) => {
    const [why = ''] = (how !== 'briefly' && REASON.exec(String(reason))) || [];
    return `${pino.levels.labels[level]} ${MESSAGES[msg] ?? msg} ${why}`.trim();
  });
  return short.join(', ') || 'nothing';
}

/**
 * Plays steps with `; ` between them.
 *
 * - `opened`, `b: opened`: of a link, which begins when it is named first; `becomes usable`, `health`, `told`: whether the store
 *   works; `log`, `log briefly`: without reasons; `lines 3`: as soon as there are so many; `forward`: a minute
 * - `write`, `read`, `run HSET a b c`: a command over it; `write at once`: refused within the turn; `reconnects`: it is read
 *   while the link looks for another server twice
 * - `$ CONFIG SET a b`: a command of the operator; `as bot p`: a user and a prefix for links; `pause`, `resume`, `kill`, `start`
 *
 * @returns what they told, with ` / ` between
 */
async function says(redis: TestRedis & Partial<RealServer>, script: string): Promise<string> {
  const now = Date.now.bind(Date);
  let address: RedisAddress = redis;
  const links = new Map<string, Linked>();
  const linked = (name: string) => {
    const link = links.get(name) ?? linkUnderTest(address);
    links.set(name, link);
    return link;
  };
  const answered = (command: Promise<unknown>) =>
    command.then(String, (error: unknown) => (error instanceof RedisUnavailable ? 'refused' : String(error)));
  const reconnects: Step = async ({ read }) => {
    const connections = async () => Number(/connections_received:(\d+)/.exec(`${await redis.command?.('INFO')}`)?.[1]);
    const before = await connections();
    // Each look at them is a connection, too.
    for (let looks = 1; (await connections()) - before < looks + 2; looks++) expect(await read()).toBe('b');
  };
  const steps: Readonly<Record<string, Step>> = {
    opened: ({ link }) => link.opened,
    becomes: ({ becomes }, health) => becomes(health as RedisHealth),
    health: ({ link }) => link.health,
    told: ({ works }) => works.join(' '),
    log: told,
    lines: ({ lines }, count) => expect.poll(() => lines).toHaveLength(Number(count)),
    forward() {
      const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + 60_000);
      onTestFinished(() => clock.mockRestore());
    },
    write: ({ write }, isAtOnce) => (isAtOnce ? refusedAtOnce(write()) : answered(write())),
    read: ({ read }) => answered(read()),
    run: ({ link }, ...words) => answered(link.run((client) => client.sendCommand(words))),
    reconnects,
    pause: () => redis.pause?.(),
    resume: () => redis.resume?.(),
    kill: () => redis.kill?.(),
    start: () => redis.start?.(),
  };
  const said: string[] = [];
  for (const step of script.split('; ')) {
    const [, name = 'a', verb = '', words = ''] = /^(?:(b): )?(\S+) ?(.*)$/.exec(step) ?? [];
    const [first = '', second = ''] = words.split(' ');
    if (verb === '$') await redis.command?.(...words.split(' '));
    else if (verb === 'as') address = { url: redis.url.replace('//', `//${first}@`), prefix: second };
    else {
      const act = steps[verb] ?? expect.fail(`no step: ${step}`);
      const told = await act(linked(name), ...words.split(' ').filter(Boolean));
      if (typeof told === 'string') said.push(told);
    }
  }
  return said.join(' / ');
}

describe('a link to a Redis that works', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });

  it.each([
    ['at once', () => Promise.resolve()],
    ['when the command is on its way', () => new Promise((resolve) => setImmediate(resolve))],
    ['a moment later', () => new Promise((resolve) => setTimeout(resolve, 1))],
  ])('stays usable when the process is busy for longer than an answer may take, %s', async (_, moment) => {
    const { link, lines } = await usableLinkTo(redis, { answerTimeoutMs: 1_000 });
    const answer = link.run((client) => client.ping());
    await moment();
    block(1_200);
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
    await expect.poll(() => asked).toBeGreaterThanOrEqual(question); // a slow connection has failed before
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

it('a link to a Redis that works stays usable when one command fails, and logs it', async () => {
  const said = "refused / usable / error redis command failed 'NOSUCHCOMMAND'";
  expect(await says(await startRedis(), 'opened; run NOSUCHCOMMAND; health; log')).toBe(said);
});

it('a link to a Redis that is down at start rejects at once, and logs the reason once', async () => {
  const said = 'refused / refused / unavailable / warn unavailable ECONNREFUSED';
  const nobody = { url: 'redis://127.0.0.1:1', prefix: 'cardbot-test' };
  expect(await says(nobody, 'write; read; opened; health; log')).toBe(said);
});

const RIGHTS = 'bot on >p@ss resetkeys ~bot:* resetchannels -@all +@connection +@read +@write +eval';
const MAY_NOT = 'run HSET bot:1:hash a b; run SET elsewhere b';
const SCRIPT = "return(redis.call('HSET',KEYS[1],'a','b'))";
const OUTAGE = 'kill; becomes unavailable; start; becomes usable';
const NO_WRITES = 'write; health; told; reconnects; write';
const WRITES = '$ CONFIG SET maxmemory 0; $ REPLICAOF NO ONE; becomes usable; write; log';

describe.skipIf(noRealRedis('a link to a Redis that fails'))('a link to a Redis that is its own', () => {
  it.each(table`
    logs once what its user may not do, and goes on with the rest | $ ACL SETUSER ${RIGHTS} -hset; as bot:p%40ss bot:1; opened; ${MAY_NOT}; ${MAY_NOT}; ${MAY_NOT}; write; run EVAL ${SCRIPT} 1 bot:1:a; log; health | refused / refused / refused / refused / refused / refused / OK / refused / error forbidden 'hset', error forbidden key, error forbidden script / usable
    logs what its user may not do when that is everything | $ ACL SETUSER ${RIGHTS}; as bot:p%40ss another; opened; log | warn unavailable key
    waits once for a Redis that hangs, rejects everything after at once, and is usable again when it continues | opened; pause; write; health; write at once; write at once; write at once; log; resume; becomes usable; log | refused / unavailable / yes / yes / yes / warn unavailable no answer within / warn unavailable no answer within, info available
    notices without a command that Redis hangs, and recovers from a connection that hung while it was opened | opened; pause; becomes unavailable; b: opened; b: health; resume; becomes usable; b: becomes usable; log briefly; b: log briefly | unavailable / warn unavailable, info available / warn unavailable, info available
    reads, but does not write, with a replica | opened; write; $ REPLICAOF 127.0.0.1 1; ${NO_WRITES}; ${WRITES} | OK / refused / readable / true false / refused / OK / warn unavailable READONLY, info available
    reads, but does not write, with memory that is used up | opened; write; $ CONFIG SET maxmemory 1; ${NO_WRITES}; ${WRITES} | OK / refused / readable / true false / refused / OK / warn unavailable OOM, info available
    recognises at its start a Redis that only answers reads | $ REPLICAOF 127.0.0.1 1; opened; health; read; log | readable / null / warn unavailable READONLY
    logs repeated outages once a minute, and the last of them if it lasts | opened; ${OUTAGE}; ${OUTAGE}; ${OUTAGE}; kill; becomes unavailable; log briefly; forward; lines 3; start; becomes usable; log briefly | warn unavailable, info available / warn unavailable, info available, warn unavailable, info available
  `)(
    '%s',
    expectSaid(async (steps) => says(await startRealRedis(), steps)),
  );

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
    expect(lines.map(({ msg }) => MESSAGES[msg])).toEqual(['unavailable']);
    expect(await redis.command('GET', key)).toBe('4711');
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

/** Whether it is refused within the current turn of the event loop. */
function refusedAtOnce(command: Promise<unknown>): Promise<string> {
  const refused = command.then(String, () => 'yes');
  return Promise.race([refused, new Promise<string>((resolve) => setImmediate(() => resolve('no')))]);
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

it.each(table`
  maxmemory_policy:noeviction aof_enabled:1 |
  maxmemory_policy:allkeys-lru aof_enabled:1 | Set maxmemory-policy noeviction.
  maxmemory_policy:noeviction aof_enabled:0 | Set appendonly yes.
  maxmemory_policy:allkeys-lru aof_enabled:0 | Set maxmemory-policy noeviction. Set appendonly yes.
  |
`)('settingProblems of %j are %j', (info = '', advice = '') => {
  const given = `# Memory\r\n${info.replace(' ', '\r\n# Persistence\r\n')}\r\n`;
  expect(
    settingProblems(given)
      .flatMap((each) => /Set \S+ \S+\./.exec(each) ?? [each])
      .join(' '),
  ).toBe(advice);
});

it.each(table`
  {"mode":"standalone"} |
  {"mode":"cluster"} | REDIS_URL points to a Redis Cluster: use a server that is not in cluster mode.
  {"mode":"sentinel"} | REDIS_URL points to a Redis Sentinel: use the address of the Redis server itself.
  {} |
  null |
`)('whyUnusable of %j is %j', async (hello = '', sentence) => {
  expect((await whyUnusable({ hello: async () => JSON.parse(hello) })) ?? '').toBe(sentence);
});
