import { glob, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse, parseDocument } from 'yaml';
import { readConfig } from '../../src/config/config.ts';
import { Variables } from '../../src/config/variables.ts';

const REQUIRED = { DISCORD_TOKEN: 'a.b.c', CARD_SERVICE_URL: 'https://cards.test' };
const COMPOSE = await readFile('compose.yaml', 'utf8');

/** The services of the file, as Compose reads them when `.env` has this password. */
function servicesWith(password = '') {
  return parse(COMPOSE.replaceAll(`\${REDIS_PASSWORD:-}`, password), { merge: true }).services;
}

it.each(['compose.yaml', 'docs/deploy/alerts.yml'])('%s is YAML without an error or a warning', async (file) => {
  const { errors, warnings } = parseDocument(await readFile(file, 'utf8'), { merge: true });
  expect([...errors, ...warnings]).toEqual([]);
});

describe('compose.yaml', () => {
  it('has two bots and Valkey', () => {
    expect(Object.keys(servicesWith())).toEqual(['bot-0', 'bot-1', 'valkey']);
  });

  it.each(['', 'secret1'])('gives each bot its shard and all one Redis, with the password %j', (password) => {
    for (const [id, bot] of ['bot-0', 'bot-1'].entries()) {
      const { NODE_OPTIONS: _, ...environment } = servicesWith(password)[bot].environment;
      const { discord, redis } = readConfig({ ...REQUIRED, ...environment });
      expect(Object.keys(environment).filter((name) => !(name in Variables.shape))).toEqual([]);
      expect(discord.shards).toEqual({ ids: [id], count: 2 });
      expect(redis).toEqual({ url: `redis://:${password}@valkey:6379`, keyPrefix: 'cardbot' });
    }
  });

  it.each(['bot-0', 'bot-1'])('gives %s the time that its stop takes, names of its own and nothing to break', (bot) => {
    expect(servicesWith()[bot]).toMatchObject({
      ...{ stop_grace_period: '10s', read_only: true, cap_drop: ['ALL'], volumes: [`${bot}:/data`] },
      security_opt: ['no-new-privileges:true'],
    });
  });

  it('limits processes, core dumps and logs, and no command line has the password', () => {
    for (const service of Object.values<Record<string, unknown>>(servicesWith('sesame'))) {
      const logging = { driver: 'json-file', options: { 'max-size': '20m' } };
      expect(service).toMatchObject({ pids_limit: 128, ulimits: { core: 0 }, logging });
      expect(JSON.stringify([service.command, service.healthcheck])).not.toContain('sesame');
    }
  });

  it('keeps Valkey durable, never evicting, and off the host', () => {
    const { valkey } = servicesWith();
    expect(valkey.volumes).toEqual(['valkey:/data']);
    for (const option of ['appendonly yes', 'appendfsync everysec', 'maxmemory-policy noeviction'])
      expect(valkey.command.join(' ')).toContain(`--${option}`);
    expect(COMPOSE).not.toMatch(/^ *(ports|network_mode):/m);
  });
});

interface Workflow {
  permissions: object;
  jobs: Record<string, Job>;
}

interface Job {
  permissions?: object;
  needs?: string;
  uses?: string;
  steps?: { uses?: string; run?: string }[];
}

async function workflow(path: string): Promise<Workflow> {
  return parse(await readFile(path, 'utf8'));
}

const workflows = await Array.fromAsync(glob('.github/workflows/*.yml'));

it.each(workflows)('%s names each action by the hash of its commit, and rights by job', async (path) => {
  const { permissions, jobs } = await workflow(path);
  expect(permissions).toEqual({});
  expect(Object.values(jobs).filter((job) => !job.permissions)).toEqual([]);
  const used = Object.values(jobs).flatMap(({ uses, steps = [] }) => [uses, ...steps.map((step) => step.uses)]);
  const unpinned = used.filter((each) => each && !each.startsWith('./') && !/@[0-9a-f]{40}$/.test(each));
  expect(unpinned).toEqual([]);
});

it('base images are named by digest', async () => {
  const images = [
    ...(await readFile('Dockerfile', 'utf8')).matchAll(/^FROM (\S+)/gm),
    ...COMPOSE.matchAll(/^ *image: (valkey\S+)/gm),
  ].map(([, image]) => image);
  expect(images).toHaveLength(3);
  expect(images.filter((image) => !/@sha256:[0-9a-f]{64}$/.test(image ?? ''))).toEqual([]);
});

it('an image is published when `.ci/run` has passed, as for pull requests', async () => {
  const { jobs } = await workflow('.github/workflows/image.yml');
  expect(jobs.image?.needs).toBe('check');
  expect(jobs.check?.uses).toBe('./.github/workflows/check.yml');
  const check = await workflow('.github/workflows/check.yml');
  expect(check.jobs.check?.steps?.map(({ run }) => run)).toContain('.ci/run');
});
