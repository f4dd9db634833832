import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { type ListeningCardService, SANDBOX_API_KEY, startCardService } from '../../../src/sandbox/card-service.ts';
import { onFinished } from '../../support/on-finished.ts';
import { startOwnService } from '../../support/own-service.ts';
import { run } from '../run.ts';

let service: ListeningCardService;
beforeAll(async () => {
  service = await startCardService();
  onFinished(() => service.close());
});

async function contract(args: readonly string[] = [], changes: Record<string, string> = {}) {
  const before = service.counts.total;
  const env = { CARD_SERVICE_URL: service.url, CARD_SERVICE_API_KEY: SANDBOX_API_KEY, ...changes };
  const { code, out, err } = await run(['contract', ...args], { env });
  const rows = new Map(
    out
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .map(([, name = '', ...results]) => [name, results.slice(0, 3)]),
  );
  return { code, out, err, rows, requests: service.counts.total - before };
}

describe('npm run contract', () => {
  it('prints what a card, an absent card and the usage report look like, with three requests that it announces', async () => {
    const { code, err, rows, requests } = await contract();
    expect({ code, err, requests }).toEqual({ code: 0, err: "This costs three of today's requests.\n", requests: 3 });
    expect(rows.get('status')).toEqual(['200', '404', '200']);
    expect(rows.get('error `_tag`')).toEqual(['', '`CardNotFound`', '']);
    expect(rows.get('fields of `prices`')?.[0]).toBe('`market`, `low`, `high`');
    expect(rows.get('fields')?.[2]).toContain('`plan`, `period`, `requests`');
    for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']) {
      expect([name, rows.get(name)?.[0]]).toEqual([name, expect.stringMatching(/^`\d+`$/)]);
    }
    for (const results of rows.values()) expect(results).not.toContain('undefined');
  });

  it('needs no key, and then costs two requests', async () => {
    const { err, rows, requests } = await contract([], { CARD_SERVICE_API_KEY: '' });
    expect(requests).toBe(2);
    expect(err).toContain('two of today');
    expect(rows.get('status')?.[2]).toBe('not asked: there is no key, or no such report');
  });

  it('exits 1 with a table where no card came', async () => {
    const page = createServer((_request, response) => void response.end('<html>'));
    await once(page.listen(0, '127.0.0.1'), 'listening');
    onFinished(() => void page.close());
    const { port } = page.address() as AddressInfo;
    const noService = await contract([], { CARD_SERVICE_URL: `http://127.0.0.1:${port}` });
    expect([noService.code, noService.rows.get('status')?.[0]]).toEqual([1, '200']);
    const wrongPath = await contract([], { CARD_SERVICE_CARD_PATH: '/v9/{id}' });
    expect([wrongPath.code, wrongPath.rows.get('status')?.[0]]).toEqual([1, '404']);
    const away = await contract([], { CARD_SERVICE_URL: 'http://127.0.0.1:10901' });
    expect(away).toMatchObject({ code: 1, requests: 0 });
    expect(away.rows.get('status')?.[0]).toContain('connection failed');
  });

  it('prints no key, and names what is not set', async () => {
    const { out, err } = await contract([], { CARD_SERVICE_API_KEY: 'secret-key' });
    expect(out + err).not.toContain('secret-key');
    expect(await contract([], { CARD_SERVICE_URL: '' })).toMatchObject({ code: 1, requests: 0, out: '' });
  });

  it('writes the row to send in of a described service, without its key, address or card', async () => {
    const { env, path, asked } = await startOwnService();
    const { code, out, err } = await contract(['--id', '7'], { ...env, CARD_SERVICE_URL: '', CARD_SERVICE: path });
    const today = new Date().toISOString().slice(0, 10);
    const what = 'a card, no such card; nothing at fields.imageUrl, quota.day.remaining';
    expect(code).toBe(0);
    expect(out.trimEnd().split('\n').at(-1)).toBe(`| Hearthside | ${what} | ${packageJson.version} | ${today} |  |`);
    expect(out).toContain('| X-Day-Limit | `120` |');
    expect(asked).toEqual(['/items?number=7', '/items?number=99999999']);
    expect(out + err).not.toMatch(/own-key|127\.0\.0\.1/);
  });

  it('wants a card of a described service', async () => {
    const { env, path, asked } = await startOwnService();
    const unnamed = await contract([], { ...env, CARD_SERVICE_URL: '', CARD_SERVICE: path });
    expect({ ...unnamed, asked }).toMatchObject({ code: 1, out: '', asked: [] });
    expect(unnamed.err).toContain('Name a card that Hearthside has: --id ID');
  });
});
