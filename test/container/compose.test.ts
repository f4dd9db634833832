import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { readConfig } from '../../src/config/config.ts';
import { Variables } from '../../src/config/variables.ts';

const REQUIRED = { DISCORD_TOKEN: 'a.b.c', CARD_SERVICE_URL: 'https://cards.test' };

async function readYaml(file: string) {
  return parseDocument(await readFile(file, 'utf8'), { merge: true });
}

/** The services of the file, as Compose reads them when `.env` has this password. */
async function readServices(password = '') {
  const { services } = (await readYaml('compose.yaml')).toJS();
  return JSON.parse(JSON.stringify(services).replaceAll(`\${REDIS_PASSWORD:-}`, password));
}

it.each(['compose.yaml', 'docs/deploy/alerts.yml'])('%s is YAML without an error or a warning', async (file) => {
  const { errors, warnings } = await readYaml(file);
  expect([...errors, ...warnings]).toEqual([]);
});

describe('compose.yaml', () => {
  it('has two bots and Valkey', async () => {
    expect(Object.keys(await readServices())).toEqual(['bot-0', 'bot-1', 'valkey']);
  });

  it.each(['', 'secret1'])('gives each bot its shard and all one Redis, with the password %j', async (password) => {
    for (const [id, bot] of ['bot-0', 'bot-1'].entries()) {
      const { NODE_OPTIONS: _, ...environment } = (await readServices(password))[bot].environment;
      const { discord, redis } = readConfig({ ...REQUIRED, ...environment });

      expect(Object.keys(environment).filter((name) => !(name in Variables.shape))).toEqual([]);
      expect(discord.shards).toEqual({ ids: [id], count: 2 });
      expect(redis).toEqual({ url: `redis://:${password}@valkey:6379`, keyPrefix: 'cardbot' });
    }
  });

  it.each(['bot-0', 'bot-1'])(
    'gives %s the time that its stop takes, names of its own and nothing to break',
    async (bot) => {
      expect((await readServices())[bot]).toMatchObject({
        stop_grace_period: '10s',
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        volumes: [`${bot}:/data`],
      });
    },
  );

  it('limits processes, core dumps and logs, and no command line has the password', async () => {
    for (const service of Object.values<Record<string, unknown>>(await readServices('sesame'))) {
      expect(service).toMatchObject({ pids_limit: 128, ulimits: { core: 0 } });
      expect(service.logging).toMatchObject({ driver: 'json-file', options: { 'max-size': '20m' } });
      expect(JSON.stringify([service.command, service.healthcheck])).not.toContain('sesame');
    }
  });

  it('keeps Valkey durable, never evicting, and off the host', async () => {
    const { valkey } = await readServices();

    expect(valkey.volumes).toEqual(['valkey:/data']);
    const command = valkey.command.join(' ');
    for (const option of ['appendonly yes', 'appendfsync everysec', 'maxmemory-policy noeviction']) {
      expect(command).toContain(`--${option}`);
    }
    expect(await readFile('compose.yaml', 'utf8')).not.toMatch(/^ *(ports|network_mode):/m);
  });
});
