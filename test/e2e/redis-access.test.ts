import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERROR } from '../support/log-lines.ts';
import { onFinished } from '../support/on-finished.ts';
import { logOf, prepareProcesses, requestedIds, showsCard } from '../support/processes.ts';
import { noRealRedis } from '../support/redis/no-real-redis.ts';
import { startRealRedis } from '../support/redis.ts';
import { startTlsRelay } from '../support/tls-relay.ts';

const CARDS = Array.from({ length: 6 }, (_, number) => {
  return { id: `card-${number}`, name: `Card ${number}`, tcg: 'trial', set: { id: 'all', name: 'All' } };
});

/** The rights that the docs name, for a prefix. */
async function documentedRights(prefix: string): Promise<string[]> {
  const docs = await readFile('docs/more-processes.md', 'utf8');
  const line = /^ *ACL SETUSER bot on >password (.*)$/m.exec(docs)?.[1];
  return (line ?? '').replace('~cardbot:', `~${prefix}:`).split(' ');
}

describe.skipIf(noRealRedis('Redis over TLS, with a user of few rights'))('two processes', { timeout: 120_000 }, () => {
  it('share a Redis over TLS as a user with no more rights than the docs name', async () => {
    const settings = { 'maxmemory-policy': 'noeviction' };
    const redis = await startRealRedis({ appendonly: true, settings });
    await redis.command('ACL', 'SETUSER', 'bot', 'on', '>p@ss/word', ...(await documentedRights(redis.prefix)));
    const tls = await startTlsRelay(redis.url.replace('redis://', `redis://bot:${encodeURIComponent('p@ss/word')}@`));
    const folder = await mkdtemp(join(tmpdir(), 'cardbot-ca-'));
    onFinished(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, 'ca.pem'), tls.certificate);
    const env = { NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') };
    const processes = await prepareProcesses({ redis: { ...redis, url: tls.url }, service: { cards: CARDS }, env });
    const first = await processes.start(0);
    const second = await processes.start(1);

    for (const { id } of CARDS) await Promise.all([0, 1].map((shard) => showsCard(processes.card(shard, id))));
    await processes.usage(0).settled();
    expect([...new Set(requestedIds(processes))].toSorted()).toEqual(CARDS.map(({ id }) => id));
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    // A busy machine may be too slow for Redis now and then, which is a warning.
    const problems = [first, second].flatMap((bot) =>
      logOf(bot).filter(({ level, reason }) => Number(level) >= ERROR || String(reason).includes('NOPERM')),
    );
    expect(problems).toEqual([]);
  });
});
