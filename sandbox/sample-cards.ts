import type { CatalogCard } from '../src/catalog/text.ts';
import { RARITIES, type Rarity, SAMPLE_SETS, type SampleSet } from './sample-sets.ts';
import { seededRandom } from './seeded-random.ts';

/** A card as the service sends it (its interface, "Card"). */
export interface ServiceCard {
  id: string;
  name: string;
  tcg: string;
  set: { id: string; name: string };
  number?: string;
  rarity?: string;
  imageUrl?: string;
  backImageUrl?: string;
  prices?: { market?: number; low?: number; high?: number };
}

/** Optional fields of the interface that some cards lack. */
const ABSENT: Readonly<Record<string, readonly (keyof ServiceCard | 'low' | 'high')[]>> = {
  'base1-17': ['prices'],
  'base1-70': ['rarity'],
  'dusk2-20': ['low', 'high'],
  'dusk2-77': ['number', 'rarity', 'imageUrl', 'prices'],
  'tide-63': ['imageUrl'],
  'tide-120': ['high'],
  'deep-6': ['low', 'high'],
  'deep-47': ['prices'],
  'clock-61': ['number'],
  'clock-110': ['low'],
  'comet-9': ['prices', 'imageUrl'],
};

/** Market prices, lowest and highest, in no currency. */
const MARKET: Readonly<Record<Rarity, readonly [low: number, high: number]>> = {
  Common: [0.05, 0.6],
  Uncommon: [0.3, 2.5],
  Rare: [2, 18],
  'Holo Rare': [15, 140],
  'Secret Rare': [90, 900],
};

/** A promotional card whose id needs encoding. */
const PROMO: ServiceCard = {
  id: 'promo 1/2',
  name: 'Travelling Lamplighter',
  tcg: 'Lanternfolk',
  set: { id: 'promo', name: 'Fair Promos' },
  number: '1/2',
  rarity: 'Rare',
  imageUrl: 'https://images.cards.example/promo/1.png',
  prices: { market: 12, low: 8.5, high: 20 },
};

/** Another printing of a card of two sets. */
const PROMO_DRAKE: ServiceCard = {
  ...PROMO,
  id: 'promo-7',
  name: 'Emberwing Drake',
  number: '7',
  rarity: 'Holo Rare',
  imageUrl: 'https://images.cards.example/promo/7.png',
  prices: { market: 58.4, low: 41, high: 92.5 },
};

/** More cards of one name than a menu holds. */
const REPRINTS = Array.from({ length: 40 }, (_, at) => ({ ...PROMO, id: `fair${at + 1}-1`, number: `${at + 1}` }));

export const SAMPLE_CARDS: readonly ServiceCard[] = [...SAMPLE_SETS.flatMap(cardsOf), PROMO, PROMO_DRAKE, ...REPRINTS];

/** Cards as a catalogue for search, which an operator would import from a file. */
export function catalogOf(cards: readonly ServiceCard[]): readonly CatalogCard[] {
  return cards.map(({ id, name, tcg, set, number }) => ({ id, name, set: set.name, number, game: tcg }));
}

export const SAMPLE_CATALOG = catalogOf(SAMPLE_CARDS);

/** With prices so many percent higher. */
export function withPricesMoved(card: ServiceCard, percent: number): ServiceCard {
  if (!card.prices || percent === 0) return card;
  const moved = Object.entries(card.prices).map(([name, price]) => [name, toCents(price * (1 + percent / 100))]);
  return { ...card, prices: Object.fromEntries(moved) };
}

function cardsOf(set: SampleSet): ServiceCard[] {
  const numbered = RARITIES.flatMap((rarity) =>
    Object.entries(set.cards[rarity] ?? {}).map(([number, name]) => ({ number: Number(number), name, rarity })),
  );
  return numbered
    .sort((a, b) => a.number - b.number)
    .map(({ number, name, rarity }) => {
      const id = `${set.id}-${number}`;
      const absent = ABSENT[id] ?? [];
      const card = {
        id,
        name,
        tcg: set.game,
        set: { id: set.id, name: set.name },
        number: `${number}/${set.size}`,
        rarity,
        imageUrl: `https://images.cards.example/${set.id}/${number}.png`,
        // The picture of another card is its other side.
        ...(id === 'deep-72' && { backImageUrl: 'https://images.cards.example/deep/13.png' }),
        prices: keep(pricesOf(id, rarity), absent),
      };
      return keep(card, absent);
    });
}

function pricesOf(id: string, rarity: Rarity): { market: number; low: number; high: number } {
  const random = seededRandom(id);
  const [lowest, highest] = MARKET[rarity];
  const market = lowest + (highest - lowest) * random() ** 2;
  return {
    market: toCents(market),
    low: toCents(market * (0.6 + 0.25 * random())),
    high: toCents(market * (1.3 + random())),
  };
}

function toCents(price: number): number {
  return Math.max(1, Math.round(price * 100)) / 100;
}

function keep<T extends object>(object: T, absent: readonly string[]): T {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !absent.includes(name))) as T;
}
