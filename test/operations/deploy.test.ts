import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { Variables } from '../../src/config/variables.ts';
import { startRedis } from '../support/redis.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startWorld } from '../support/world.ts';
import type { Sample } from './parse-metrics.ts';
import { addressOf, scrape, typeTraffic } from './scrape.ts';

const SYSTEMD = '/usr/bin/systemd-analyze';

/** What a bot on files and one with Redis export after traffic. */
let samples: Sample[];
beforeAll(async () => {
  const world = await startWorld({ env: { HTTP_PORT: '0' } });
  await typeTraffic(world);
  const { url, prefix } = await startRedis();
  const shared = await startWorld({ env: { HTTP_PORT: '0', REDIS_URL: url, REDIS_KEY_PREFIX: prefix } });
  samples = [...(await scrape(addressOf(world))), ...(await scrape(addressOf(shared)))];
});

/** What an expression of PromQL reads that is not exported: metrics, and labels and their values. */
function notExported(expression: string): string[] {
  const read = [...expression.matchAll(/((?:cardbot|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)];
  const named = read.flatMap(([, name = '', matchers = '']) => {
    const series = samples.filter((sample) => sample.name === name);
    const values = [...matchers.matchAll(/(\w+)=~?"([^"]*)"/g)].flatMap(([, label = '', text = '']) =>
      text.split('|').map((value) => ({ label, value })),
    );
    const unknown = values.filter(
      ({ label, value }) => label !== 'job' && !series.some((it) => it.labels[label] === value),
    );
    return series.length === 0 ? [name] : unknown.map(({ label, value }) => `${name} ${label}=${value}`);
  });
  const ofRead = samples.filter((sample) => read.some(([, name]) => name === sample.name));
  const labels = ['job', 'instance', ...ofRead.flatMap((sample) => Object.keys(sample.labels))];
  const grouped = [...expression.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, by = '']) => by.split(', '));
  return [...named, ...grouped.filter((label) => !labels.includes(label))];
}

describe('docs/deploy/', () => {
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
    const own = samples.filter(({ name }) => name.startsWith('cardbot_'));
    const exported = new Set(own.map(({ name }) => name.replace(/(_seconds)_(?:bucket|sum|count)$/, '$1')));

    expect(new Set(named)).toEqual(exported);
  });

  it('has a systemd unit that restarts whatever the exit code, opens no debugger, limits threads and core dumps, and sets only variables that there are', async () => {
    const unit = await readFile('docs/deploy/cardbot.service', 'utf8');
    const names = [...unit.matchAll(/^Environment="?([A-Z_]+)=/gm)].map(([, name = '']) => name);

    const lines =
      'Restart=always StartLimitIntervalSec=0 KillSignal=SIGTERM TimeoutStopSec=10 TasksMax=64 LimitCORE=0'.split(' ');
    expect(unit.split('\n')).toEqual(expect.arrayContaining(lines));
    expect(unit).toMatch(/^ExecStart=.+ --disable-sigusr1 src\/main\.ts$/m);
    expect(unit).not.toMatch(/^(?:RestartPreventExitStatus|RestartForceExitStatus|SuccessExitStatus)=/m);
    expect(names.filter((name) => !(name in Variables.shape))).toEqual(['NODE_OPTIONS']);
  });

  it.skipIf(!existsSync(SYSTEMD))('has a systemd unit in which systemd finds nothing wrong', async () => {
    const unit = await readFile('docs/deploy/cardbot.service', 'utf8');
    const folder = temporaryFolder();
    const verify = async (text: string) => {
      const file = join(folder, 'cardbot.service');
      await writeFile(file, text.replaceAll('/opt/cardbot', process.cwd()));
      const { stdout, stderr } = await promisify(execFile)(SYSTEMD, ['verify', '--man=no', file]);
      return stdout + stderr;
    };

    expect(await verify(unit)).toBe('');
    expect(await verify(unit.replace('Restart=always', 'Restart=sometimes'))).toContain('sometimes');
  });
});
