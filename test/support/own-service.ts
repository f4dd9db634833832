import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { listen } from '../../sandbox/listen.ts';
import { onFinished } from './on-finished.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A description that does not ship, of a service with a key in a header of its own, no list, and a day. */
const OWN_DESCRIPTION = {
  name: 'Hearthside',
  key: { header: 'X-Hearth-Key' },
  card: { path: '/items?number={id}', at: 'items', ids: 'digits' },
  fields: { id: 'number', name: 'title', rarity: ['grade', 'tier'], imageUrl: 'picture' },
  prices: { rows: ['offers[kind=foil]', 'offers.*'], market: 'usd' },
  absent: [{ status: 200, empty: 'items' }],
  quota: [{ per: 'day', limit: 'header:X-Day-Limit', remaining: 'header:X-Day-Left' }],
};

/** A small server in the shape of that description, which has one card, number 7. */
export async function startOwnService(changes: object = {}) {
  /** What each request asked for. */
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const number = new URL(request.url ?? '', 'http://any.test').searchParams.get('number');
    const isKnown = request.headers['x-hearth-key'] === 'own-key';
    response.statusCode = isKnown ? 200 : 401;
    response.setHeader('X-Day-Limit', '120');
    const offers = [{ kind: 'plain', usd: '36.33' }];
    const items = number === '7' ? [{ number: 7, title: 'Emberwing\u001b Drake', tier: 'rare', offers }] : [];
    response.end(JSON.stringify(isKnown ? { items } : { error: 'no' }));
  });
  const port = await listen(server, 0);
  onFinished(() => void server.close());
  const path = ownDescription({ ...OWN_DESCRIPTION, url: `http://127.0.0.1:${port}`, ...changes });
  return { folder: dirname(path), path, asked, env: { CARD_SERVICE_API_KEY: 'own-key' } };
}

/** The file `mine.json` with a description of a service, in a folder of its own. */
export function ownDescription(description: object): string {
  const path = join(temporaryFolder(), 'mine.json');
  writeFileSync(path, JSON.stringify({ name: 'Mine', ...description }));
  return path;
}
