import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Variables } from '../../src/config/variables.ts';
import { startRedis } from '../support/redis.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startWorld } from '../support/world.ts';
import type { Sample } from './parse-metrics.ts';
import { expressionProblems } from './prom-expressions.ts';
import { addressOf, scrape, typeTraffic } from './scrape.ts';

const Panels = z.object({
  title: z.string(),
  targets: z.array(z.object({ expr: z.string(), legendFormat: z.string() })).default([]),
});
const Dashboard = z.object({
  panels: z.array(Panels),
  annotations: z.object({ list: z.array(z.object({ expr: z.string() })) }),
});

const SYSTEMD = '/usr/bin/systemd-analyze';

/** What a bot on files and one with Redis export after traffic. */
let samples: Sample[];
beforeAll(async () => {
  const world = await startWorld({ env: { HTTP_PORT: '0' }, discord: { heartbeatIntervalMs: 200 } });
  await typeTraffic(world);
  await vi.waitUntil(
    async () => (await scrape(addressOf(world))).some(({ name }) => name.includes('heartbeat')),
    30_000,
  );
  const { url, prefix } = await startRedis();
  const shared = await startWorld({ env: { HTTP_PORT: '0', REDIS_URL: url, REDIS_KEY_PREFIX: prefix } });
  samples = [...(await scrape(addressOf(world))), ...(await scrape(addressOf(shared)))];
});

async function alertExpressions(): Promise<string[]> {
  const text = await readFile('docs/deploy/alerts.yml', 'utf8');
  return [...text.matchAll(/^ +expr: (.+)$/gm)].map(([, expression = '']) => expression);
}

describe('docs/deploy/', () => {
  it('has a dashboard of which every expression reads what is exported', async () => {
    const { panels, annotations } = Dashboard.parse(JSON.parse(await readFile('docs/deploy/dashboard.json', 'utf8')));
    const targets = panels.flatMap((panel) => panel.targets);
    const expressions = [...targets, ...annotations.list].map(({ expr }) => expr);
    expect(targets.length).toBeGreaterThan(25);
    expect(expressions.flatMap((expression) => expressionProblems(expression, samples))).toEqual([]);
  });

  it('has alert rules of which every expression reads what is exported', async () => {
    const expressions = await alertExpressions();
    expect(expressions).toHaveLength(12);
    expect(expressions.flatMap((expression) => expressionProblems(expression, samples))).toEqual([]);
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

  it('has a systemd unit that restarts whatever the exit code, and sets only variables that there are', async () => {
    const unit = await readFile('docs/deploy/cardbot.service', 'utf8');
    const names = [...unit.matchAll(/^Environment="?([A-Z_]+)=/gm)].map(([, name = '']) => name);

    for (const line of ['Restart=always', 'StartLimitIntervalSec=0', 'KillSignal=SIGTERM', 'TimeoutStopSec=10']) {
      expect(unit.split('\n')).toContain(line);
    }
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

it('docs/deploy/cardbot.service opens no debugger, and limits threads and core dumps', async () => {
  const unit = await readFile('docs/deploy/cardbot.service', 'utf8');
  for (const line of [/^ExecStart=.+ --disable-sigusr1 src\/main\.ts$/m, /^TasksMax=64$/m, /^LimitCORE=0$/m])
    expect(unit).toMatch(line);
});
