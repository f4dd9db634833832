import type { ServiceCard } from '../../sandbox/sample-cards.ts';

/** How a card service that exists writes the invented cards, by its own documentation and what others recorded of it. */
export interface ServiceShape {
  /** An id as that service has them, for the n-th of the invented cards. */
  id(card: ServiceCard, at: number): string;
  /** The request for one card, its query included; the groups are the parts of the id. */
  one: RegExp;
  /** Of a GET for several cards: the group is their ids; of a POST no more than its path, with the ids in its body. */
  several?: RegExp;
  card(card: ServiceCard): object;
  /** What a card stands in, where it is not the whole answer. */
  alone?(card: object): object;
  /** @returns `undefined` when nothing of what was asked for is listed: the answer is that of a missing card */
  list?(cards: readonly object[], missing: readonly string[]): object | undefined;
  missing: { status: number; body: object };
  limited(seconds: number): object;
  /** Whether a 429 has no `Retry-After`. */
  isWaitInBodyAlone?: true;
  /** The answer to a wrong key; absent where there are no keys. */
  refused?: object;
  /** The day's figures in headers; absent where there are none. */
  figures?(day: { limit: string; remaining: string; resetSeconds: number }): Record<string, string>;
  /** The same in every answer's body. */
  bodyFigures?(day: { limit: string; remaining: string }): object;
}

const uuid = (_: ServiceCard, at: number) => `00000000-0000-4000-8000-${String(at + 1).padStart(12, '0')}`;
const digits = (_: ServiceCard, at: number) => String(900_001 + at);
const partsOf = ({ id }: ServiceCard) => id.split(/[- /]/) as [string, string];
const iso = (seconds: number) => new Date(seconds * 1000).toISOString();
const inText = (price: number | undefined) => price?.toFixed(2) ?? null;
const RELEASED = '2026-11-20';
const MONTH = 1_000;
const inData = (data: object) => ({ data });

const standard =
  (reset: (seconds: number) => string) => (day: { limit: string; remaining: string; resetSeconds: number }) => ({
    'x-ratelimit-limit': day.limit,
    'x-ratelimit-remaining': day.remaining,
    'x-ratelimit-reset': reset(day.resetSeconds),
  });

/** By the name of the description. */
export const SERVICE_SHAPES: Readonly<Record<string, ServiceShape>> = {
  scryfall: {
    id: uuid,
    one: /^\/cards\/([\da-f-]{36})$/,
    several: /^\/cards\/collection$/,
    card: ({ id, name, set, number, rarity, imageUrl, backImageUrl, prices }) => ({
      ...{ object: 'card', id, name, set: set.id, set_name: set.name, collector_number: number?.split('/')[0], rarity },
      ...{ scryfall_uri: `https://scryfall.example/card/${id}`, released_at: RELEASED },
      ...(backImageUrl
        ? { card_faces: [imageUrl, backImageUrl].map((normal) => ({ image_uris: { normal } })) }
        : { image_uris: imageUrl && { normal: imageUrl } }),
      prices: { usd: inText(prices?.market), usd_foil: null, usd_etched: null, eur: inText(prices?.low), tix: null },
    }),
    list: (data, missing) => ({ object: 'list', not_found: missing.map((id) => ({ id })), data }),
    missing: {
      status: 404,
      body: { object: 'error', code: 'not_found', status: 404, details: 'There is no such card.' },
    },
    limited: (seconds) => ({
      ...{ object: 'error', code: 'rate_limited', status: 429 },
      details: `You are being rate-limited, try again after ${seconds} seconds.`,
    }),
  },
  tcgdex: {
    id: (card) => partsOf(card).slice(0, 2).join('-'),
    one: /^\/cards\/([^/?]+)$/,
    card: ({ id, name, set, number, rarity, imageUrl, prices }) => ({
      ...{
        id,
        name,
        category: 'Pokemon',
        rarity,
        localId: number?.split('/')[0],
        image: imageUrl?.replace('.png', ''),
      },
      set: { id: set.id, name: set.name, cardCount: { official: Number(number?.split('/')[1] ?? 0), total: 201 } },
      pricing: prices?.market && {
        cardmarket: { unit: 'EUR', trend: 31, low: 20 },
        tcgplayer: {
          unit: 'USD',
          'reverse-holofoil': { lowPrice: prices.low, marketPrice: prices.market, highPrice: prices.high },
        },
      },
    }),
    missing: { status: 404, body: { type: 'https://tcgdex.dev/errors/not-found', status: 404, method: 'GET' } },
    limited: () => ({ error: 'Too many requests' }),
  },
  ygoprodeck: {
    id: digits,
    one: /^\/cardinfo\.php\?id=(\d+)$/,
    several: /^\/cardinfo\.php\?id=([\d,]+)$/,
    card: ({ id, name, set, rarity, imageUrl, prices }) => ({
      ...{ id: Number(id), name, type: 'Effect Monster', ygoprodeck_url: `https://ygoprodeck.example/card/${id}` },
      card_sets: [{ set_name: set.name, set_code: `${set.id}-EN001`, set_rarity: rarity, set_price: '1.31' }],
      card_images: [{ id: Number(id), image_url: imageUrl }],
      card_prices: [{ cardmarket_price: '30.17', tcgplayer_price: inText(prices?.market ?? 0), ebay_price: '40.00' }],
    }),
    alone: (card) => inData([card]),
    list: (cards) => (cards.length > 0 ? inData(cards) : undefined),
    missing: { status: 400, body: { error: 'No card matching your query was found in the database.' } },
    limited: () => ({ error: 'Too many requests' }),
  },
  lorcast: {
    id: (card) => partsOf(card).slice(0, 2).join(':'),
    one: /^\/cards\/([^/?]+)\/([^/?]+)$/,
    card: ({ id, name, set, rarity, imageUrl, prices }) => ({
      ...{ id: `crd_${id.replace(':', '')}`, name, version: '', collector_number: id.split(':')[1] },
      ...{ rarity: rarity?.replaceAll(' ', '_'), tcgplayer_id: Number(`90000${id.split(':')[1]}`) },
      set: { id: `set_${id.split(':')[0]}`, code: id.split(':')[0], name: set.name },
      image_uris: imageUrl && { digital: { normal: imageUrl } },
      prices: { usd: inText(prices?.market), usd_foil: inText(prices?.high) },
      released_at: RELEASED,
    }),
    missing: { status: 404, body: { error: 'Not found' } },
    limited: () => ({ error: 'Too many requests' }),
  },
  tcgapi: {
    id: digits,
    one: /^\/cards\/tcgplayer\/(\d+)$/,
    card: ({ id, name, tcg, set, number, rarity, imageUrl, prices }) => ({
      ...{ id: 123456, name, number, rarity, image_url: imageUrl, tcgplayer_id: Number(id), game_name: tcg },
      ...{ set_name: set.name, set_slug: set.id, tcgplayer_url: `https://prices.example/${id}` },
      prices: prices?.market
        ? [{ printing: 'Holofoil', market_price: prices.market, low_price: prices.low, median_price: prices.high }]
        : [],
    }),
    alone: (data) => ({ data, rate_limit: { daily_limit: 100, daily_remaining: 95 } }),
    missing: { status: 404, body: { error: { message: 'Card not found', code: 'NOT_FOUND' } } },
    limited: () => ({ error: { message: 'Too many requests', code: 'RATE_LIMIT_EXCEEDED' } }),
    refused: { error: { message: 'The key is not valid.', code: 'INVALID_API_KEY' } },
    figures: standard(iso),
  },
  justtcg: {
    id: digits,
    one: /^\/cards\?tcgplayerId=(\d+)&include_null_prices=true&include_price_history=false$/,
    several: /^\/cards\?include_null_prices=true&include_price_history=false$/,
    card: ({ id, name, tcg, set, number, rarity, prices }) => ({
      ...{ id: `lanternfolk-${id}`, name, game: tcg, set: set.id, set_name: set.name, number: number ?? 'N/A', rarity },
      tcgplayerId: id,
      variants: [{ condition: 'Near Mint', printing: 'Holofoil', language: 'English', price: prices?.market ?? null }],
    }),
    alone: (card) => ({ data: [card], meta: { total: 1 } }),
    list: (data) => ({ data, meta: { total: data.length } }),
    missing: { status: 200, body: { data: [], meta: { total: 0 } } },
    limited: () => ({ error: 'Rate limit exceeded', code: 'RATE_LIMIT_EXCEEDED' }),
    refused: { error: 'The key is not valid.', code: 'INVALID_API_KEY' },
    bodyFigures: ({ limit, remaining }) => ({
      _metadata: {
        ...{ apiPlan: 'Free Tier', apiDailyLimit: Number(limit), apiDailyRequestsRemaining: Number(remaining) },
        ...{ apiRequestLimit: MONTH, apiRequestsRemaining: MONTH - Number(limit) + Number(remaining) },
      },
    }),
  },
  poketrace: {
    id: digits,
    one: /^\/cards\?tcgplayer_ids=(\d+)&market=US&limit=20$/,
    several: /^\/cards\?tcgplayer_ids=([\d,]+)&market=US&limit=20$/,
    card: ({ id, name, set, number, rarity, imageUrl, prices }) => ({
      ...{
        id: `019bff77-0000-771d-bab0-${id.padStart(12, '0')}`,
        name,
        cardNumber: number,
        variant: 'Holofoil',
        rarity,
      },
      ...{ set: { slug: set.id, name: set.name }, image: imageUrl, market: 'US', currency: 'USD' },
      refs: { tcgplayerId: id, cardmarketId: null },
      prices: prices?.market
        ? { tcgplayer: { NEAR_MINT: { avg: prices.market, low: prices.low, high: prices.high, saleCount: 12 } } }
        : {},
    }),
    alone: (card) => ({ data: [card], pagination: { hasMore: false, nextCursor: null } }),
    list: (data) => ({ data, pagination: { hasMore: false, nextCursor: null } }),
    missing: { status: 200, body: { data: [], pagination: { hasMore: false, nextCursor: null } } },
    limited: (retryAfter) => ({ error: 'Too many requests', code: 'BURST_RATE_LIMIT_EXCEEDED', retryAfter }),
    isWaitInBodyAlone: true,
    refused: { error: 'Invalid API key', code: 'INVALID_API_KEY' },
    figures: standard(iso),
  },
  pokemonpricetracker: {
    id: digits,
    one: /^\/cards\?tcgPlayerId=(\d+)&limit=1$/,
    card: ({ id, name, set, number, rarity, imageUrl, prices }) => ({
      ...{ tcgPlayerId: id, setId: set.id, setName: set.name, name, rarity, imageCdnUrl400: imageUrl },
      ...{ cardNumber: number?.split('/')[0], totalSetNumber: number?.split('/')[1] ?? null },
      tcgPlayerUrl: `https://prices.example/${id}`,
      prices: { market: prices?.market, low: prices?.low, sellers: 12, primaryPrinting: 'Holofoil' },
    }),
    alone: inData,
    missing: { status: 200, body: { data: [], metadata: { total: 0 } } },
    limited: () => ({ error: 'Rate limit exceeded' }),
    refused: { error: 'Invalid API key' },
    figures: ({ limit, remaining, resetSeconds }) => ({
      ...{ 'x-ratelimit-daily-limit': limit, 'x-ratelimit-daily-remaining': remaining },
      ...{ 'x-ratelimit-daily-reset': String(resetSeconds), 'x-ratelimit-minute-remaining': '59' },
    }),
  },
  tcgpricelookup: {
    id: uuid,
    one: /^\/cards\/([\da-f-]{36})$/,
    several: /^\/cards\/search\?ids=([\da-f,-]+)&limit=20$/,
    card: ({ id, name, tcg, set, number, rarity, imageUrl, prices }) => ({
      ...{ id, tcgplayer_id: 900001, name, number, rarity, variant: 'Holofoil', image_url: imageUrl },
      ...{ set: { id: '0195', slug: set.id, name: set.name }, game: { id: '0195', slug: 'game', name: tcg } },
      prices: { raw: prices?.market ? { near_mint: { tcgplayer: { ...prices, mid: prices.market } } } : {} },
    }),
    list: (data) => ({ data, total: data.length, limit: 20, offset: 0 }),
    missing: { status: 404, body: { error: 'Card not found' } },
    limited: () => ({ error: 'Rate limit exceeded' }),
    refused: { error: 'Invalid API key' },
    figures: standard(String),
  },
};
