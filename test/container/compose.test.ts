import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { readConfig } from '../../src/config/config.ts';
import { Variables } from '../../src/config/variables.ts';

/** Read by Node and not by the bot. */
const OF_NODE = ['NODE_OPTIONS'];
const REQUIRED = { DISCORD_TOKEN: 'a.b.c', CARD_SERVICE_URL: 'https://cards.test' };

/** Variables set in a part of the file, as Compose reads them when `.env` has this password. */
function variables(part: string, password: string): Record<string, string> {
  const set = [...part.matchAll(/^ +([A-Z][A-Z_]+): (.+)$/gm)].map(([, name = '', value = '']) => [
    name,
    value.replace(/^'(.*)'$/, '$1').replaceAll(/\$\{REDIS_PASSWORD:-\}/g, password),
  ]);
  return Object.fromEntries(set);
}

/** The file in three parts: what all services share, the bots, and the rest. */
async function readCompose() {
  const text = await readFile('compose.yaml', 'utf8');
  const [shared = '', services = ''] = text.split(/^(?:services|volumes):$/m);
  const named = services.split(/^ {2}(?=[\w-]+:$)/m).map((part) => part.trimEnd());
  const bots = named.filter((part) => part.startsWith('bot-'));
  const valkey = named.find((part) => part.startsWith('valkey:')) ?? '';
  return { text, shared, bots, valkey };
}

it.each(['compose.yaml', 'docs/deploy/alerts.yml'])('%s is YAML without an error or a warning', async (file) => {
  const { errors, warnings } = parseDocument(await readFile(file, 'utf8'), { merge: true });
  expect([...errors, ...warnings]).toEqual([]);
});

describe('compose.yaml', () => {
  it('sets only variables that there are', async () => {
    const names = Object.keys(variables((await readCompose()).text, ''));

    expect(names).toContain('REDIS_URL');
    expect(names.filter((name) => !(name in Variables.shape) && !OF_NODE.includes(name))).toEqual([]);
  });

  it.each(['', 'secret1'])(
    'gives every shard to one bot, and all bots one Redis, with the password %j',
    async (password) => {
      const { shared, bots } = await readCompose();
      const configs = bots.map((bot) =>
        readConfig({ ...REQUIRED, ...variables(shared, password), ...variables(bot, password) }),
      );

      expect(configs.map(({ discord }) => discord.shards)).toEqual([
        { ids: [0], count: 2 },
        { ids: [1], count: 2 },
      ]);
      for (const { redis } of configs) {
        expect(redis).toEqual({ url: `redis://:${password}@valkey:6379`, keyPrefix: 'cardbot' });
      }
    },
  );

  it('gives no bot a volume: what it keeps is in Valkey, which has one', async () => {
    const { shared, bots, valkey } = await readCompose();
    expect([shared, ...bots].join('')).not.toMatch(/volumes:|DATA_DIR/);
    expect(valkey).toContain("volumes: ['valkey:/data']");
  });

  it('keeps Valkey durable, never evicting, and off the host', async () => {
    const { text, valkey } = await readCompose();
    const words = valkey.replaceAll("'", '').replace(/\s+/g, ' ');

    for (const option of ['appendonly, yes', 'appendfsync, everysec', 'maxmemory-policy, noeviction']) {
      expect(words).toContain(`--${option}`);
    }
    expect(text).not.toMatch(/^ *(ports|network_mode):/m);
  });

  it('gives a bot the time that its stop takes, and nothing that it can break', async () => {
    const { shared } = await readCompose();

    for (const line of ['stop_grace_period: 10s', 'read_only: true', 'cap_drop: [ALL]', 'no-new-privileges:true']) {
      expect(shared).toContain(line);
    }
  });
});
