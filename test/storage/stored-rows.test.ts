import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { CATALOG_SCHEMA } from '../../src/catalog/card-index.ts';
import { Watch } from '../../src/members/watches.ts';
import { CardRecord } from '../../src/model/card.ts';
import { Asked, Invocation } from '../../src/model/invocation.ts';
import { Usage } from '../../src/model/quota.ts';
import { SharedState } from '../../src/quota/limiter-document.ts';
import type { CardsReply } from '../../src/replies/ports.ts';
import { redisPrefix } from '../../src/storage/redis/connection.ts';
import { CARDS_SCHEMA } from '../../src/storage/sqlite/cards.ts';
import { versionToRead } from '../../src/storage/sqlite/file.ts';
import { ROWS_SCHEMA } from '../../src/storage/sqlite/rows.ts';
import { openedServices } from '../support/opened-services.ts';
import { clientIn, openedLink, startRedis } from '../support/redis.ts';
import recorded from './stored-rows.json' with { type: 'json' };

/** A digest by what it is of. */
type Rows = Record<string, string>;

const digest = (form: unknown) => createHash('sha256').update(JSON.stringify(form)).digest('hex').slice(0, 12);

const formOf = (schema: z.ZodType) =>
  digest(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }));

function tables(schema: string): string {
  using database = new DatabaseSync(':memory:');
  database.exec(schema);
  const made = database.prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name').all();
  return digest(made.map(({ sql }) => String(sql).replaceAll(/\s+/g, ' ')));
}

/** What stands in place of what is another each time; JSON has a schema of its own. */
function formOfText(text: string): string {
  return text
    .replace(/[[{]".*$/s, '<json>')
    .replaceAll(/[\da-f]{64}|[\da-f]{16}|[\da-f]{8}-[\da-f-]{27}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\d(T[\d:.]+Z)?/g, '<time>')
    .replaceAll(/-?\d+(\.\d+)?/g, '<number>');
}

/** Names and texts of a Redis in which one of everything is kept. */
async function redisKeys(): Promise<string> {
  const redis = await startRedis();
  const { url: REDIS_URL, prefix: REDIS_KEY_PREFIX } = redis;
  const { services, state } = await openedServices({ DISCORD_TOKEN: 'MQ.none', REDIS_URL, REDIS_KEY_PREFIX });
  const prefix = redisPrefix(REDIS_KEY_PREFIX);
  const { link } = await openedLink({ url: REDIS_URL, prefix });
  const wish = { memberId: '7', cardId: 'base1-4', cardName: 'Drake', locale: 'de', below: 30 };
  await state.limiter.acquire('members');
  await services.watches.set(wish, 36);
  await services.watches.priced({ cardId: 'base1-4', market: 29, atMs: 2 });
  await services.memberData.forget('1');
  await services.settings.change('8', { language: 'de' });
  await state.journal.add({ interactionId: '9' } as CardsReply);
  await state.claims.claim('any', { ttlMs: 60_000, endsWithOwner: true });
  for (const kind of ['spent', 'saved'] as const) state.ledger[kind]({ memberId: '7', guildId: '8' });
  await state.ledger.close();
  const client = await clientIn(link);
  const names = (await client.keys(`${prefix}:*`)).sort();
  const forms = names.map(async (name) => {
    const type = await client.type(name);
    const fields = type === 'hash' ? Object.entries(await client.hGetAll(name)) : [];
    const forms = fields.map(([field, text]) => `${formOfText(field)} = ${formOfText(text)}`);
    const form = type === 'string' ? formOfText(String(await client.get(name))) : [...new Set(forms)].sort();
    return [formOfText(name.slice(prefix.length)).replace(/:at:<number>/, ''), type, form];
  });
  return digest([...new Map((await Promise.all(forms)).map((form) => [JSON.stringify(form), form])).values()]);
}

async function rows() {
  const inBoth = {
    limiter: formOf(SharedState),
    reply: digest([formOf(Invocation), formOf(Asked)]),
    watch: formOf(Watch),
  };
  const ofFile = (name: string, schema: string, more: Rows) => ({
    version: versionToRead(name),
    rows: { tables: tables(schema), ...more },
  });
  return {
    'state.sqlite': ofFile('state.sqlite', ROWS_SCHEMA, inBoth),
    'cards.sqlite': ofFile('cards.sqlite', CARDS_SCHEMA, { card: formOf(CardRecord) }),
    'catalog.sqlite': ofFile('catalog.sqlite', CATALOG_SCHEMA, {}),
    redis: { version: redisPrefix('').slice(1), rows: { keys: await redisKeys(), report: formOf(Usage), ...inBoth } },
  };
}

it('every form of a row, a table or a key is that of its version: a commit that changes one, not only adds, raises it', async () => {
  expect(await rows(), 'raise the version (file.ts, redis/connection.ts), and copy this into stored-rows.json').toEqual(
    recorded,
  );
});
