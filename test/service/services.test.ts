import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import verified from '../../.github/verified.json' with { type: 'json' };
import type { ServiceCard } from '../../sandbox/sample-cards.ts';
import { SANDBOX_API_KEY } from '../../sandbox/service/service.ts';
import { readConfig } from '../../src/config/config.ts';
import type { AnsweredCard } from '../../src/service/answers.ts';
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
  prices?: { low?: number; high?: number; label?: string; pathLabel?: string };
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
    poketrace | 900004 | 999999 | Pokémon |  | "prices":{"low":27.51,"high":67.86,"label":"tcgplayer, near mint, Holofoil","pathLabel":"tcgplayer, near mint"},"day":250
    pokemonpricetracker | 900004 | 999999 | Pokémon |  | "pageUrl":"https://prices.example/900004","prices":{"low":27.51,"label":"Holofoil","pathLabel":""},"day":100
    tcgpricelookup | ${UUID} | 00000000-0000-4000-8000-000000009999 | Lanternfolk |  | "pageUrl":"https://tcgpricelookup.com/card/${UUID}","prices":{"low":27.51,"high":67.86,"label":"near mint, tcgplayer, Holofoil","pathLabel":"near mint, tcgplayer"},"day":100
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

it.each(Object.entries(SHOWN))(
  'npm run doctor --json has an entry for all that %s names, a missing card and a list of two',
  async (name, { id }) => {
    const { bot, server } = await startNamed(name);
    const { out } = await run(['doctor', '--service', name, '--id', id, '--yes', '--json'], { env: bot });
    const { fields, prices, list } = JSON.parse(await readFile(`src/service/descriptions/${name}.json`, 'utf8'));
    const { rows, ...figures } = prices;
    const ofRows = rows.flatMap((row: string | object, at: number) => {
      const { at: _, ...own } = typeof row === 'string' ? { at: row } : { at: '', ...row };
      return [at, ...Object.keys({ ...figures, ...own }).map((figure) => `${at}.${figure}`)];
    });
    const named = [
      ...['card service', 'missing card', ...(list ? ['bulk requests'] : [])],
      ...Object.keys(fields).map((field) => `fields.${field}`),
      ...ofRows.map((row: string | number) => `prices.rows.${row}`),
    ];
    const checks = JSON.parse(out).map(({ check }: { check: string }) => check);
    expect(checks).toEqual(expect.arrayContaining(named));
    expect(named).toEqual(expect.arrayContaining(Object(verified)[name]?.had ?? []));
    expect(server.requests.map(({ cardIds = [] }) => cardIds.length)).toEqual(list ? [1, 1, 2] : [1, 1]);
  },
);

it('a service that refuses a list for the card that it does not have may list others all the same', async () => {
  const { bot, server } = await startNamed('ygoprodeck');
  server.script({ path: /,/, status: 400, body: SERVICE_SHAPES.ygoprodeck?.missing.body });
  expect(await diagnosed(bot, '900004')).toContainEqual(expect.stringMatching(/^\? bulk requests: .*status 400/));
});

/** What the doctor says of the card service; nothing answers as Discord. */
async function diagnosed(bot: Record<string, string>, id: string) {
  const env = { ...bot, DISCORD_API_URL: 'http://127.0.0.1:10901', DATA_DIR: temporaryFolder() };
  const { out } = await run(['doctor', '--id', id], { env });
  return out.split('\n').filter((line) => /^. (card service|API key|plan|missing card|bulk requests)\b/.test(line));
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
    { id: UUID, prices: { label: 'near mint, tcgplayer, Holofoil' } },
  ],
])('an answer %s, by %s', async (_, name, body, id, found) => {
  const { client, server, written } = await startNamed(name);
  server.script({ body: body(written) });
  expect(await cardOf(client, id)).toMatchObject(found);
});

/** What it shows of prices as the service sends them, and as others have recorded of it. */
it.each(table`
  scryfall | {"prices":{"usd":null,"usd_foil":"2.96","usd_etched":null,"eur":"0.84","eur_foil":"3.75","tix":"0.02"}}
    | USD 2.96 foil; EUR 0.84 Cardmarket; EUR 3.75 Cardmarket foil
  tcgdex | {"pricing":{"cardmarket":{"unit":"EUR","trend":0.13,"trend-holo":0.28},"tcgplayer":{"unit":"USD",
    "1st-edition-holofoil":{"marketPrice":9},"normal":{"marketPrice":0.09},"reverse-holofoil":{"marketPrice":0.36}}}}
    | USD 0.09 normal; USD 0.36 reverse holofoil; USD 9 1st edition holofoil; EUR 0.13 Cardmarket;
    EUR 0.28 Cardmarket holo
  ygoprodeck | {"card_prices":[{"cardmarket_price":"0.09","tcgplayer_price":"0.16"}]} | USD 0.16; EUR 0.09 Cardmarket
  lorcast | {"prices":{"usd":"0.12","usd_foil":"0.3"}} | USD 0.12; USD 0.3 foil
  tcgapi | {"prices":[{"printing":"Foil","market_price":5},{"printing":"Normal","market_price":3}]}
    | USD 3 Normal; USD 5 Foil
  justtcg | {"variants":[{"condition":"Near Mint","printing":"Normal","grading":"PSA 10","price":900},
    {"condition":"Damaged","printing":"Foil","price":2},{"condition":"Near Mint","printing":"Foil","price":4},
    {"condition":"Near Mint","printing":"Normal","price":3}]}
    | USD 3 Near Mint, Normal; USD 4 Near Mint, Foil; USD 2 Damaged, Foil
  poketrace | {"prices":{"tcgplayer":{"NEAR_MINT":{"avg":118.45}},"ebay":{"NEAR_MINT":{"avg":9},"PSA_10":{"avg":640}}}}
    | USD 118.45 tcgplayer, near mint, Holofoil; USD 9 ebay, near mint, Holofoil
  pokemonpricetracker | {"prices":{"market":420,"primaryPrinting":"Reverse Holofoil"}} | USD 420 Reverse Holofoil
  tcgpricelookup | {"prices":{"raw":{"damaged":{"tcgplayer":{"market":5}},"near_mint":{"tcgplayer":{"market":48.97}}}}}
    | USD 48.97 near mint, tcgplayer, Holofoil; USD 5 damaged, tcgplayer, Holofoil
`)('%s says which prices are which: %s', async (name, changes = '', shown) => {
  const { client, answerWith, written } = await startNamed(name);
  const id = SHOWN[name]?.id ?? '';
  answerWith({ ...written(id), ...JSON.parse(changes) });
  const { prices, rows = [prices] } = (await cardOf(client, id)) as AnsweredCard;
  expect(rows.map((row) => [row?.currency, row?.market, row?.label].join(' ').trim()).join('; ')).toBe(shown);
});

it('a list has of each card the rows of all its members', async () => {
  const { client, server, written, others } = await startNamed('poketrace');
  const reverse = { ...written('900004', { prices: { market: 12 } }), variant: 'Reverse' };
  server.script({ body: { data: [reverse, written(others[0] ?? ''), written('900004')] } });
  const found = (await client.fetch(['900004', others[0] ?? ''])).cards.get('900004');
  expect(found).toMatchObject({
    prices: { market: 12, pathLabel: undefined },
    rows: [{ market: 12 }, { market: 36.33 }],
  });
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
