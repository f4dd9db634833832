import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { redisPrefix } from '../../src/storage/redis/connection.ts';
import { startAppBot, startBackends } from '../support/backends.ts';
import { ERROR } from '../support/log-lines.ts';
import { onFinished } from '../support/on-finished.ts';
import { logOf, numberedCards, requestedIds, showsCard, startAppBots } from '../support/processes.ts';
import { noRealRedis, startRealRedis } from '../support/redis.ts';
import { startRelay } from '../support/relay.ts';
import { QUICK } from '../support/world.ts';

const CARDS = numberedCards(6);
/** For tests alone, and trusted by no program: the key is as public as the certificate. */
const KEY_AND_CERTIFICATE = readFileSync(new URL('./localhost.pem', import.meta.url), 'utf8');

/** The rights that the docs name, for a prefix. */
async function documentedRights(prefix: string): Promise<string[]> {
  const docs = await readFile('docs/more-processes.md', 'utf8');
  const line = /^ *ACL SETUSER bot on >password (.*)$/m.exec(docs)?.[1];
  return (line ?? '').replace('~cardbot:', `~${prefix}:`).split(' ');
}

it.skipIf(noRealRedis('Redis over TLS, with a user of few rights'))(
  'two processes share a Redis over TLS as a user with no more rights than the docs name',
  async () => {
    const settings = { 'maxmemory-policy': 'noeviction' };
    const redis = await startRealRedis({ appendonly: 'yes', ...settings });
    await redis.command('ACL', 'SETUSER', 'bot', 'on', '>p@ss/word', ...(await documentedRights(redis.prefix)));
    const tls = await startRelay(redis.url, { certificate: KEY_AND_CERTIFICATE });
    const login = `bot:${encodeURIComponent('p@ss/word')}`;
    const url = tls.url.replace('redis://127.0.0.1', `rediss://${login}@localhost`);
    const trusted = getCACertificates('default');
    onFinished(() => setDefaultCACertificates(trusted));
    setDefaultCACertificates([...trusted, KEY_AND_CERTIFICATE]);
    const processes = await startAppBots({ redis: { ...redis, url }, service: { ...QUICK, cards: CARDS } });

    for (const { id } of CARDS) await Promise.all([0, 1].map((shard) => showsCard(processes.card(shard, id))));
    await processes.usage(0).settled();
    expect([...new Set(requestedIds(processes))].toSorted()).toEqual(CARDS.map(({ id }) => id));
    await processes.bots[0]?.stop();
    // A busy machine may be too slow for Redis now and then, which is a warning.
    const problems = processes.bots.flatMap((bot) =>
      logOf(bot).filter(({ level, reason }) => Number(level) >= ERROR || String(reason).includes('NOPERM')),
    );
    expect(problems).toEqual([]);
  },
);

describe.skipIf(noRealRedis('a bot on a Redis that is not for it'))('a bot cannot continue and says what to do', () => {
  it('where it finds the state of another application later, of which it takes over nothing', async () => {
    const redis = await startRealRedis({ appendonly: 'yes' });
    const { env } = await startBackends();
    const prefix = redisPrefix(redis.prefix);
    const reply = `- ${JSON.stringify({ interactionId: '1' })}`;
    await redis.command('SET', `${prefix}:application`, '4711');
    await redis.command('HSET', `${prefix}:replies`, '1', reply);
    await redis.kill();
    const bot = await startAppBot({ ...env, REDIS_URL: redis.url, REDIS_KEY_PREFIX: redis.prefix });
    await redis.start();
    expect((await bot.refused).message).toContain(
      `REDIS_KEY_PREFIX is that of another application (4711; this is ${readConfig(env).discord.botId}): set another one, or delete the key ${prefix}:application`,
    );
    expect(await redis.command('HGET', `${prefix}:replies`, '1')).toBe(reply);
  });

  it('where it finds a cluster at its start', async () => {
    const redis = await startRealRedis({ 'cluster-enabled': 'yes' });
    const { env } = await startBackends();
    const sentence = 'REDIS_URL points to a Redis Cluster: use a server that is not in cluster mode.';
    await expect(startAppBot({ ...env, REDIS_URL: redis.url })).rejects.toThrow(sentence);
  });
});
