import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RedisCatalog } from '../../../src/storage/redis/catalog.ts';
import { redisPrefix } from '../../../src/storage/redis/client.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { openedLink } from '../../support/redis-link.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { exported, runCatalog } from './cli-runs.ts';

const CARD = { id: 'base1-4', name: 'Emberwing Drake' };

/** What a bot reads and writes. */
async function joinAsBot({ url, prefix }: TestRedis): Promise<RedisCatalog> {
  return new RedisCatalog((await openedLink({ url, prefix: redisPrefix(prefix) })).link);
}

describe('with REDIS_URL', () => {
  let server: TestRedis;
  let folder: string;
  let env: Record<string, string>;
  beforeAll(async () => {
    server = await startRedis();
  });
  beforeEach(async () => {
    folder = temporaryFolder();
    env = { REDIS_URL: server.url, REDIS_KEY_PREFIX: `${server.prefix}:${folder.split('/').at(-1)}` };
    await writeFile(
      join(folder, 'cards.csv'),
      ['id,name', ...Array.from({ length: 750 }, (_, index) => `${index},Card ${index}`)].join('\n'),
    );
  });
  const bot = () => joinAsBot({ ...server, prefix: env.REDIS_KEY_PREFIX ?? '' });
  const importing = () => runCatalog(folder, ['import', 'cards.csv'], { env });

  it('an import is published for all processes once', async () => {
    expect(await importing()).toMatchObject({ code: 0, out: 'cards.csv: 750 cards, 750 new or changed; 0 refused\n' });
    expect(await importing()).toMatchObject({ code: 0, out: 'cards.csv: 750 cards, 0 new or changed; 0 refused\n' });

    const catalog = await bot();
    const { changes, cursor } = await catalog.changesAfter('', 1_000);
    expect(changes.flatMap((change) => (change.kind === 'cards' ? change.cards : []))).toHaveLength(750);
    expect(changes.every((change) => change.kind === 'cards' && change.source === 'cards.csv')).toBe(true);
    expect(await catalog.changesAfter(cursor, 1_000)).toEqual({ changes: [], cursor });
  });

  it('of an import that was changed, the cards that changed are published', async () => {
    await importing();
    const catalog = await bot();
    const { cursor } = await catalog.changesAfter('', 1_000);
    const file = join(folder, 'cards.csv');
    await writeFile(file, (await readFile(file, 'utf8')).replace('Card 700', 'Card of another name'));
    await importing();
    const { changes } = await catalog.changesAfter(cursor, 1_000);
    expect(changes).toEqual([
      { kind: 'cards', cards: [{ id: '700', name: 'Card of another name' }], source: 'cards.csv' },
    ]);
  });

  it('an export has what the processes have learned', async () => {
    const catalog = await bot();
    const other = { id: 'base1-5', name: 'Tidecaller', set: 'Base' };
    await catalog.publish([{ kind: 'cards', cards: [CARD, other] }]);
    await catalog.publish([{ kind: 'denied', id: CARD.id, isKept: false }]);
    expect(await exported(folder, env)).toEqual([other]);
    expect((await runCatalog(folder, ['stats'], { env })).out).toContain('Confirmed by the card service: 1\n');
  });

  it('an import that was withdrawn is taken again', async () => {
    await importing();
    const catalog = await bot();
    await catalog.publish(['0', '1', '2', '3', '4'].map((id) => ({ kind: 'denied', id, isKept: false })));
    expect(await exported(folder, env)).toEqual([]);

    const { cursor } = await catalog.changesAfter('', 1_000);
    await importing();
    expect(await exported(folder, env)).toHaveLength(745);
    const { changes } = await catalog.changesAfter(cursor, 1_000);
    expect(changes[0]).toEqual({ kind: 'import', source: 'cards.csv' });
    expect(changes.flatMap((change) => (change.kind === 'cards' ? change.cards : []))).toHaveLength(745);
  });

  it('a change that another version wrote is skipped', async () => {
    const catalog = await bot();
    await catalog.publish([
      { kind: 'cards', cards: [{ id: '..', name: '' }] },
      { kind: 'cards', cards: [CARD] },
    ]);
    expect(await exported(folder, env)).toEqual([CARD]);
  });

  it('Redis that cannot be reached is a sentence without its password', async () => {
    const unreachable = { ...env, REDIS_URL: 'redis://:pass-word@127.0.0.1:1' };
    const { code, err } = await runCatalog(folder, ['import', 'cards.csv'], { env: unreachable });
    expect(code).toBe(1);
    expect(err).toMatch(/^Redis cannot be used \(.*ECONNREFUSED.*\)\. Check REDIS_URL\.\n$/);
  });
});
