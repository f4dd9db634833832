import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ListeningCardService, startCardService } from '../../../src/sandbox/card-service.ts';
import { SANDBOX_API_KEY } from '../../../src/sandbox/embedded-card-service.ts';
import { onFinished } from '../../support/on-finished.ts';
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
      .map(([, name = '', result = '']) => [name, result]),
  );
  return { code, out, err, rows, requests: service.counts.total - before };
}

describe('npm run contract', () => {
  it('says how each thing turned out, with three requests that it announces', async () => {
    const { code, err, rows, requests } = await contract();
    expect({ code, err, requests }).toEqual({ code: 0, err: "This costs three of today's requests.\n", requests: 3 });
    expect(rows.get('version prefix of the card path')).toBe('`/cards/{id}` is right');
    expect(rows.get('success status')).toBe('200');
    expect(rows.get('effect of includePrices')).toBe('true gives prices');
    expect(rows.get('currency')).toBe('fields of prices: `market`, `low`, `high`');
    expect(rows.get('format of X-RateLimit-Reset')).toMatch(/^`\d+`, \d+ s ahead/);
    expect(rows.get('required usage fields')).toContain('`plan`, `period`, `requests`');
    expect(rows.get('what a request costs, and scope of counting')).toMatch(
      /^remaining: \d+ with the key, \d+ without, \d+ with/,
    );
    for (const result of rows.values()) expect(result).not.toContain('undefined');
  });

  it('needs no key, and then costs two requests', async () => {
    const { err, rows, requests } = await contract([], { CARD_SERVICE_API_KEY: '' });
    expect(requests).toBe(2);
    expect(err).toContain('two of today');
    expect(rows.get('required usage fields')).toBe('not tried, since there is no key');
  });

  it('concludes nothing about cards from what is not the card service', async () => {
    const page = createServer((_request, response) => void response.end('<html>'));
    await once(page.listen(0, '127.0.0.1'), 'listening');
    onFinished(() => void page.close());
    const { code, rows } = await contract([], {
      CARD_SERVICE_URL: `http://127.0.0.1:${(page.address() as AddressInfo).port}`,
    });
    expect(code).toBe(1);
    expect(rows.get('version prefix of the card path')).toBe('`/cards/{id}` gave 200, and no card');
    for (const name of [
      'whether the card lookup needs a key',
      'effect of includePrices',
      'success status',
      'status and tag of card-not-found',
    ]) {
      expect([name, rows.get(name)]).toEqual([name, 'not seen']);
    }
  });

  it.each([429, 503])('concludes nothing about keys and absent cards from a %i', async (status) => {
    service.script({ status, body: '', path: 'no-such-card' });
    const { rows } = await contract();
    expect(rows.get('version prefix of the card path')).toBe('`/cards/{id}` is right');
    expect(rows.get('whether the card lookup needs a key')).toBe('not seen');
    expect(rows.get('status and tag of card-not-found')).toBe('not seen');
  });

  it('exits 1 with a table where the path is wrong or the service is away', async () => {
    const wrongPath = await contract([], { CARD_SERVICE_CARD_PATH: '/v9/{id}' });
    expect(wrongPath.code).toBe(1);
    expect(wrongPath.rows.get('version prefix of the card path')).toBe('`/v9/{id}` gave 404, `_tag` `NotFound`');
    expect(wrongPath.rows.get('status and tag of card-not-found')).toBe('not seen');
    expect(wrongPath.rows.get('whether the card lookup needs a key')).toBe('not seen');
    const away = await contract([], { CARD_SERVICE_URL: 'http://127.0.0.1:10901' });
    expect(away).toMatchObject({ code: 1, requests: 0 });
    expect(away.rows.get('other errors')).toContain('connection failed');
    expect(away.rows.get('format of X-RateLimit-Reset')).toBe('not seen');
  });

  it('prints no key, and names what is not set', async () => {
    const { out, err } = await contract([], { CARD_SERVICE_API_KEY: 'secret-key' });
    expect(out + err).not.toContain('secret-key');
    expect(await contract([], { CARD_SERVICE_URL: '' })).toMatchObject({ code: 1, requests: 0, out: '' });
  });
});
