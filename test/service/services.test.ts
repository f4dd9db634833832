import { describe, expect, it } from 'vitest';
import type { ServiceCard } from '../../sandbox/sample-cards.ts';
import { SANDBOX_API_KEY } from '../../sandbox/service/service.ts';
import { readConfig } from '../../src/config/config.ts';
import { DAY_MS } from '../../src/time.ts';
import { run } from '../cli/run.ts';
import { startService } from '../support/backends.ts';
import { SERVICE_SHAPES } from '../support/service-shapes.ts';
import { sandboxAs } from '../support/shaped-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { table } from '../table.ts';
import { cardOf, reporting } from './clients.ts';

const NOW_MS = Date.parse('2026-11-26T10:00:00Z');
const STORM_MS = 7_000;

/** What is shown of "Emberwing Drake", 4/102 of "First Light", at 36.33, at least 27.51 and at most 67.86. */
interface Shown {
  id: string;
  unknownId: string;
  game: string;
  /** Beside the market price. */
  prices?: { low?: number; high?: number; label?: string };
  /** The day's limit, and how many the month has. */
  day?: number;
  month?: number;
  /** The pause after a 429 that states 7 s, if another. */
  pauseSeconds?: number;
}

const IMAGE = 'https://images.cards.example/base1/4.png';
const SET = { id: 'base1', name: 'First Light' };
const FACTS = { set: SET, number: '4/102', rarity: 'Holo Rare', imageUrl: IMAGE };
const UUID = '00000000-0000-4000-8000-000000000004';

const SHOWN = Object.fromEntries(
  table`
    scryfall | ${UUID} | 00000000-0000-4000-8000-000000009999 | Magic: The Gathering |  | "number":"4","pageUrl":"https://scryfall.example/card/${UUID}","pauseSeconds":60
    tcgdex | base1-4 | base1-999 | Pokémon |  | "number":"4","imageUrl":"https://images.cards.example/base1/4/high.webp","prices":{"low":27.51,"label":"reverse holofoil"}
    ygoprodeck | 900004 | 999999 | Yu-Gi-Oh! | set number rarity | "pageUrl":"https://ygoprodeck.example/card/900004","pauseSeconds":3600
    lorcast | base1:4 | base1:999 | Disney Lorcana |  | "number":"4","pageUrl":"https://www.tcgplayer.com/product/900004"
    tcgapi | 900004 | 999999 | Lanternfolk |  | "pageUrl":"https://prices.example/900004","prices":{"low":27.51,"label":"Holofoil"},"day":100
    justtcg | 900004 | 999999 | Lanternfolk | imageUrl | "prices":{"label":"Near Mint, Holofoil, English"},"day":100,"month":1000
    poketrace | 900004 | 999999 | Pokémon |  | "prices":{"low":27.51,"high":67.86,"label":"tcgplayer, near mint"},"day":250
    pokemonpricetracker | 900004 | 999999 | Pokémon |  | "pageUrl":"https://prices.example/900004","prices":{"low":27.51},"day":100
    tcgpricelookup | ${UUID} | 00000000-0000-4000-8000-000000009999 | Lanternfolk |  | "pageUrl":"https://tcgpricelookup.com/card/${UUID}","prices":{"low":27.51,"high":67.86,"label":"near mint, tcgplayer"},"day":100
  `.map(([name = '', id = '', unknownId = '', game = '', lacks = '', more]): [string, Shown] => {
    const facts = Object.entries(FACTS).filter(([fact]) => !lacks.includes(fact));
    return [name, { ...Object.fromEntries(facts), id, unknownId, game, ...JSON.parse(`{${more}}`) }];
  }),
);

/** A server that answers as the service does, and the bot's own client of it, as `CARD_SERVICE` makes it. */
async function startNamed(name: string, variables: Record<string, string> = {}) {
  const { service: options, env, shape } = sandboxAs(name);
  const server = await startService({ ...options, nowMs: () => NOW_MS, nextResetMs: () => NOW_MS + DAY_MS / 2 });
  const own = { DISCORD_TOKEN: 'token', CARD_SERVICE_URL: server.url, CARD_SERVICE_API_KEY: SANDBOX_API_KEY };
  const all = Object.entries({ ...own, ...env, ...variables });
  const bot = Object.fromEntries(all.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
  const others = options.cards.filter(({ id }) => id !== SHOWN[name]?.id).map(({ id }) => id);
  const answerWith = (card: object) => server.script({ body: shape.alone?.(card) ?? card });
  const written = (id: string, more: Partial<ServiceCard> = {}) =>
    shape.card({ ...(options.cards.find((card) => card.id === id) as ServiceCard), ...more });
  return { ...reporting(readConfig(bot).cardService), server, bot, others, answerWith, written };
}

describe.each(Object.entries(SHOWN))('%s', (name, shown) => {
  const { day, month, pauseSeconds = 7, unknownId: _, ...card } = shown;

  it('a card has what the service tells of it, the row of its price a label, and the answer what remains of the day', async () => {
    const { client, lines, readings } = await startNamed(name);
    const { rows: _, ...found } = (await cardOf(client, card.id)) as { rows?: unknown };
    const missing = { set: undefined, number: undefined, rarity: undefined, imageUrl: undefined, pageUrl: undefined };
    const none = { low: undefined, high: undefined, label: undefined };
    const prices = { ...none, market: 36.33, currency: 'USD', ...card.prices };
    expect(found).toEqual({ ...missing, ...card, name: 'Emberwing Drake', prices });
    expect(lines).toEqual([]);
    const resetInMs = month ? undefined : DAY_MS / 2;
    expect(readings).toMatchObject([
      day ? { limit: day, remaining: day - 1, resetInMs } : { limit: undefined, remaining: undefined },
      ...(month ? [{ per: 'month', limit: month, remaining: month - 1 }] : []),
    ]);
  });

  it('another card than the one that was asked for is not shown, and a 429 pauses for as long as it says, or the service shuts out', async () => {
    const { client, server, answerWith, written, others, readings } = await startNamed(name);
    answerWith(written(others[0] ?? ''));
    await expect(cardOf(client, card.id)).rejects.toThrow('another card');
    server.storm(STORM_MS);
    await expect(cardOf(client, card.id)).rejects.toMatchObject({ name: 'RateLimited', seconds: pauseSeconds });
    expect(readings).toHaveLength(month ? 4 : 2); // both answers' own
  });

  it('npm run doctor finds key, path, a card, a missing one, its lists and the day right', async () => {
    const { bot, server } = await startNamed(name);
    const found = await diagnosed(bot, card.id);
    const missing = found.find((line) => line.includes('has no card'));
    expect(found).toEqual([
      '✓ card service: it answers with a card',
      day ? `✓ plan: free: ${day} requests a day, ${day - 1} left` : '✓ plan: the service tells nothing of one',
      missing,
      ...(SERVICE_SHAPES[name]?.list ? ['✓ bulk requests: it lists the card'] : []),
    ]);
    expect(missing).toMatch(/^✓/);
    expect(server.requests).toHaveLength(found.length - 1);
  });
});

/** What the doctor says of the card service; nothing answers as Discord. */
async function diagnosed(bot: Record<string, string>, id: string) {
  const env = { ...bot, DISCORD_API_URL: 'http://127.0.0.1:10901', DATA_DIR: temporaryFolder() };
  const { out } = await run(['doctor', '--id', id], { env });
  return out.split('\n').filter((line) => /^. (card service|API key|plan|bulk requests|card)\b/.test(line));
}

/** The services that are so. */
const withShape = (has: 'list' | 'refused') => Object.entries(SHOWN).filter(([name]) => SERVICE_SHAPES[name]?.[has]);

it.each(withShape('list'))('%s lists several cards with one request', async (name, { id, unknownId }) => {
  const { client, server, others, readings } = await startNamed(name);
  const asked = [id, ...others.slice(0, 2)];
  const { cards } = await client.fetch([...asked, unknownId]);
  expect([...cards].filter(([, found]) => found !== 'noSuchCard').map(([key]) => key)).toEqual(asked);
  expect(cards.get(id)).toMatchObject({ id, name: 'Emberwing Drake', prices: { market: 36.33 } });
  // Only Scryfall says which of them do not exist; of the others an id that is left out is asked for by itself.
  expect(cards.get(unknownId)).toBe(name === 'scryfall' ? 'noSuchCard' : undefined);
  expect([server.requests.length, readings.length]).toEqual([1, name === 'justtcg' ? 2 : 1]);
});

it.each(withShape('refused'))('%s refuses a key that is wrong', async (name, { id }) => {
  const { client } = await startNamed(name, { CARD_SERVICE_API_KEY: 'another' });
  await expect(cardOf(client, id)).rejects.toMatchObject({ name: 'KeyRefused', status: 401 });
});

type Written = Awaited<ReturnType<typeof startNamed>>['written'];

it.each<[string, string, (written: Written) => object, id: string, found: object]>([
  [
    'an alternate art with the main card, which is shown as it is',
    'ygoprodeck',
    (written) => ({
      data: [{ ...written('900004'), card_images: [{ id: 900004, image_url: IMAGE }, { id: 900104 }] }],
    }),
    '900104',
    { id: '900004', name: 'Emberwing Drake' },
  ],
  [
    'with a record for each variant, of which the first of the product counts',
    'poketrace',
    (written) => {
      const variants = [written('900004'), written('900004', { prices: { market: 1 } })];
      return { data: [written('900005'), ...variants] };
    },
    '900004',
    { id: '900004', prices: { market: 36.33 } },
  ],
  [
    'with a card in an envelope',
    'tcgpricelookup',
    (written) => ({ data: written(UUID) }),
    UUID,
    { id: UUID, prices: { label: 'near mint, tcgplayer' } },
  ],
])('an answer %s, by %s', async (_, name, body, id, found) => {
  const { client, server, written } = await startNamed(name);
  server.script({ body: body(written) });
  expect(await cardOf(client, id)).toMatchObject(found);
});

const SPENT = { remaining: 0, limit: 250, resetsAt: new Date(NOW_MS + 3_600_000).toISOString() };

it.each([
  ['poketrace', { usage: { daily: SPENT } }, { seconds: 3_600 }],
  ['justtcg', { code: 'DAILY_LIMIT_EXCEEDED' }, { per: 'day' }],
  ['justtcg', { code: 'REQUEST_LIMIT_EXCEEDED' }, { per: 'month' }],
  ['justtcg', { code: 'RATE_LIMIT_EXCEEDED' }, { per: undefined }],
])('a refusal by %s says until when, or which window is spent: %j', async (name, said, found) => {
  const { client, server } = await startNamed(name);
  server.script({ status: 429, body: { error: 'Too many', ...said } });
  await expect(cardOf(client, '900004')).rejects.toMatchObject({ name: 'RateLimited', ...found });
});
