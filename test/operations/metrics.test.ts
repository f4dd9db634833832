import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { Variables } from '../../src/config/variables.ts';
import { startRedis } from '../support/redis.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startWorld, type World } from '../support/world.ts';
import { table } from '../table.ts';
import { addressOf, OTHER_CARD, type Sample, sampleValue, scrape, typeTraffic } from './scrape.ts';

const page = async () => (await fetch(`${addressOf(world)}/metrics`)).text();
const SYSTEMD = '/usr/bin/systemd-analyze';

let world: World;
/** What a bot on files exports after traffic. */
let samples: Sample[];
/** What one over Redis does before any. */
let first: Sample[];
beforeAll(async () => {
  world = await startWorld({ env: { HTTP_PORT: '0' } });
  await typeTraffic(world);
  samples = await scrape(addressOf(world));
  const { url, prefix } = await startRedis();
  const overRedis = { HTTP_PORT: '0', REDIS_URL: url, REDIS_KEY_PREFIX: prefix };
  first = await scrape(addressOf(await startWorld({ env: overRedis })));
});

describe('/metrics after some traffic', () => {
  // A 429 counts for nothing of the quota.
  it.each(table`
    cardbot_commands_total | command=card outcome=answered | 5
    cardbot_commands_total | command=usage outcome=answered | 1
    cardbot_commands_total | command=card outcome=too_late | 0
    cardbot_command_seconds_count | source=cache | 1
    cardbot_service_requests_total | endpoint=card outcome=answered | 3
    cardbot_service_requests_total | endpoint=card outcome=RateLimited | 1
    cardbot_service_requests_total | endpoint=usage outcome=answered | 1
    cardbot_rate_limits_total | kind=pause | 1
    cardbot_quota_limit | | 1000
    cardbot_quota_remaining | | 996
    cardbot_breaker_open | reason=pause | 0
    cardbot_queue_length | | 0
    cardbot_deferred_replies_open | | 0
    cardbot_gateway_ready | shard=0 | 1
    cardbot_store_works | store=state | 1
    cardbot_store_errors_total | store=cards | 0
  `)('%s %s is %s', (name = '', labels = '', value) => {
    const pairs = [...labels.matchAll(/(\w+)=(\w+)/g)].map(([, label, of = '']) => [label, of.replace('_', ' ')]);
    expect(sampleValue(samples, name, Object.fromEntries(pairs))).toBe(Number(value));
  });

  it.each(['cardbot_quota_reset_seconds', 'process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds'])(
    '%s is above 0',
    (name) => {
      expect(sampleValue(samples, name)).toBeGreaterThan(0);
    },
  );

  it('counts a lookup that waits', async () => {
    world.cardService.script({ status: 429, headers: { 'retry-after': '60' }, body: '' });
    world.card('tide-18');
    await expect.poll(page).toContain('\ncardbot_queue_length 1\n');
  });

  it('has fourteen families of its own, named and described as Prometheus wants it', async () => {
    const text = await page();
    const families = [...text.matchAll(/^# TYPE (cardbot_[a-z_]+) (\w+)$/gm)];
    expect(families).toHaveLength(14);
    for (const [, name = '', type] of families) {
      expect(name.endsWith('_total'), name).toBe(type === 'counter');
      expect(text).toContain(`# HELP ${name} `);
    }
  });

  it('has no label that a member can choose, and no secret', async () => {
    const text = await page();
    const { discord, cardService } = world.config;
    const chosen = ['base1-4', OTHER_CARD, 'no-such-card', ...world.discord.members.map(({ id }) => id)];
    const unwanted = [...chosen, ...world.discord.guilds.map(({ id }) => id), discord.token, cardService.apiKey ?? ''];
    expect(unwanted.filter((it) => text.includes(it))).toEqual([]);
  });
});

it.each(['remaining', 'limit'])(
  'cardbot_quota_%s is no number before it is known, so that no alert is raised',
  (name) => {
    expect(sampleValue(first, `cardbot_quota_${name}`)).toBeNaN();
  },
);

/** What an expression of PromQL reads that is not exported: metrics, and labels and their values. */
function notExported(expression: string): string[] {
  const missing: string[] = [];
  const labels = ['job', 'instance'];
  for (const [, name = '', matchers = ''] of expression.matchAll(/((?:cardbot|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)) {
    const series = [...samples, ...first].filter((sample) => sample.name === name);
    if (series.length === 0) missing.push(name);
    labels.push(...series.flatMap((sample) => Object.keys(sample.labels)));
    for (const [, label = '', values = ''] of matchers.matchAll(/(\w+)=~?"([^"]*)"/g)) {
      const unknown = values.split('|').filter((value) => !series.some((sample) => sample.labels[label] === value));
      if (label !== 'job') missing.push(...unknown);
    }
  }
  const grouped = [...expression.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, by = '']) => by.split(', '));
  return [...missing, ...grouped.filter((label) => !labels.includes(label))];
}

describe('docs/deploy/', () => {
  const unitFile = () => readFile('docs/deploy/cardbot.service', 'utf8');

  it.each([
    ['dashboard.json', /^ +"expr": (".+")/gm, 23],
    ['alerts.yml', /^ +expr: (.+)$/gm, 12],
  ])('has %s, of which every expression reads what is exported', async (file, ofExpression, count) => {
    const text = await readFile(`docs/deploy/${file}`, 'utf8');
    const found = [...text.matchAll(ofExpression)].map(([, expression = '']) => expression);
    expect(found).toHaveLength(count);
    expect(found.flatMap((each) => notExported(each.replaceAll('\\"', '"')))).toEqual([]);
    expect(notExported('sum by (kind) (cardbot_gone > cardbot_breaker_open{reason=~"day|never"})')).toHaveLength(3);
  });

  it('has a rule and its words for every alert', async () => {
    const text = await readFile('docs/deploy/alerts.yml', 'utf8');
    for (const rule of text.split(/^ {6}- alert: /m).slice(1)) {
      expect(rule).toMatch(
        /^Cardbot\w+\n {8}expr: .+\n(?: {8}for: \d+m\n)? {8}labels: \{ severity: (?:warning|critical) \}/,
      );
      expect(rule).toMatch(/^ {10}summary: '.+'$/m);
    }
  });

  it('names every metric of the bot itself in docs/operations.md, and no other', async () => {
    const text = await readFile('docs/operations.md', 'utf8');
    const named = [...text.matchAll(/^\| (`cardbot_[a-z_`, ]+`) \|/gm)].flatMap(([, names = '']) =>
      names.replaceAll(/[` ]/g, '').split(','),
    );
    const own = [...samples, ...first].filter(({ name }) => name.startsWith('cardbot_'));
    const exported = new Set(own.map(({ name }) => name.replace(/(_seconds)_(?:bucket|sum|count)$/, '$1')));

    expect(new Set(named)).toEqual(exported);
  });

  it('has a systemd unit that restarts whatever the exit code, opens no debugger, limits threads and core dumps, and sets only variables that there are', async () => {
    const unit = await unitFile();
    const names = [...unit.matchAll(/^Environment="?([A-Z_]+)=/gm)].map(([, name = '']) => name);

    const lines =
      'Restart=always StartLimitIntervalSec=0 KillSignal=SIGTERM TimeoutStopSec=10 TasksMax=64 LimitCORE=0'.split(' ');
    expect(unit.split('\n')).toEqual(expect.arrayContaining(lines));
    expect(unit).toMatch(/^ExecStart=.+ --disable-sigusr1 src\/main\.ts$/m);
    expect(unit).not.toMatch(/^(?:RestartPreventExitStatus|RestartForceExitStatus|SuccessExitStatus)=/m);
    expect(names.filter((name) => !(name in Variables.shape))).toEqual(['NODE_OPTIONS']);
  });

  it.skipIf(!existsSync(SYSTEMD))('has a systemd unit in which systemd finds nothing wrong', async () => {
    const unit = await unitFile();
    const file = join(temporaryFolder(), 'cardbot.service');
    const verify = async (text: string) => {
      await writeFile(file, text.replaceAll('/opt/cardbot', process.cwd()));
      const { stdout, stderr } = await promisify(execFile)(SYSTEMD, ['verify', '--man=no', file]);
      return stdout + stderr;
    };

    expect(await verify(unit)).toBe('');
    expect(await verify(unit.replace('Restart=always', 'Restart=sometimes'))).toContain('sometimes');
  });
});
