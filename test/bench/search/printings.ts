import type { CatalogCard } from '../../../src/catalog/catalog-card.ts';
import { seededRandom } from '../../../src/sandbox/seeded-random.ts';

const SYLLABLES =
  'ba cha ri zar dra gon mew pi ka chu bla sto ise ven u saur ken zo lu gi ton mar el fir wa ter sha dow li ght no vi rex tor gla mi se ur kor thun'.split(
    ' ',
  );
const PRINTINGS_PER_NAME = 4.5;
const CARDS_PER_SET = 180;
const GAMES = ['Pokémon', 'Magic: The Gathering', 'Yu-Gi-Oh!'];

/** Cards in the proportions of the public catalogues: each name several times, in sets of some 180 numbered cards. */
export function printings(count: number): CatalogCard[] {
  const { random, pick, capital } = seeded('printings');
  const word = () => capital(Array.from({ length: 2 + Math.floor(random() * 3) }, () => pick(SYLLABLES)).join(''));
  const vocabulary = Array.from({ length: 20_000 }, word);
  const phrase = (most: number) =>
    Array.from({ length: 1 + Math.floor(random() * most) }, () => pick(vocabulary)).join(' ');
  const names = Array.from({ length: Math.ceil(count / PRINTINGS_PER_NAME) }, () => phrase(3));
  const sets = Array.from({ length: Math.ceil(count / CARDS_PER_SET) }, (_, at) => ({
    ...{ code: `${pick(SYLLABLES)}${at}`, name: phrase(3), size: 60 + Math.floor(random() * 240) },
    game: pick(GAMES),
  }));
  return Array.from({ length: count }, (_, at) => {
    const { code, name: set, size, game } = sets[at % sets.length] as (typeof sets)[number];
    const number = 1 + Math.floor(at / sets.length);
    return { id: `${code}-${number}`, name: pick(names), set, number: `${number}/${size}`, game };
  });
}

/** What a member types, and the name that is meant. */
export interface TypedQuery {
  typed: string;
  meant: string;
}

/** Of each kind. */
export const QUERIES = 300;

export const KINDS = ['prefix', 'words', 'number', 'typo'] as const;
export type Kind = (typeof KINDS)[number];

/** Queries of one kind for cards at random. */
export function queries(cards: readonly CatalogCard[], kind: Kind, count: number): TypedQuery[] {
  const { random, pick } = seeded(kind);
  const firstWord = (text = '') => text.split(' ')[0] ?? '';
  const typed: Record<Kind, (card: CatalogCard) => string> = {
    prefix: ({ name }) => name.slice(0, 1 + Math.floor(random() * 8)),
    words: ({ name, set }) => `${firstWord(set)} ${name.slice(0, 4 + Math.floor(random() * 8))}`,
    number: ({ name, number }) => `${firstWord(name)} ${number}`,
    typo: ({ name }) => mistyped(name, random),
  };
  const long = cards.filter(({ name }) => name.length >= 5);
  return Array.from({ length: count }, () => {
    const card = pick(long);
    return { typed: typed[kind](card), meant: card.name };
  });
}

/** One letter missing, doubled, swapped or wrong. */
function mistyped(name: string, random: () => number): string {
  const at = 1 + Math.floor(random() * (name.length - 2));
  const [before, letter, next, after] = [name.slice(0, at), name.charAt(at), name.charAt(at + 1), name.slice(at + 2)];
  const forms = [
    before + next + after,
    before + letter + letter + next + after,
    before + next + letter + after,
    `${before}x${next}${after}`,
  ];
  return forms[Math.floor(random() * forms.length)] ?? name;
}

function seeded(seed: string) {
  const random = seededRandom(seed);
  return {
    random,
    pick: <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T,
    capital: (word: string) => word.charAt(0).toUpperCase() + word.slice(1),
  };
}
