import { seededRandom } from '../../../sandbox/seeded-random.ts';
import type { CatalogCard } from '../../../src/catalog/text.ts';

const SYLLABLES =
  'ba cha ri zar dra gon mew pi ka chu bla sto ise ven u saur ken zo lu gi ton mar el fir wa ter sha dow li ght no vi rex tor gla mi se ur kor thun'.split(
    ' ',
  );
const PRINTINGS_PER_NAME = 4.5;
const CARDS_PER_SET = 180;
const GAMES = ['Pokémon', 'Magic: The Gathering', 'Yu-Gi-Oh!'];

/** Cards in the proportions of the public catalogues: each name several times, in sets of some 180 numbered cards. */
export function printings(count: number): CatalogCard[] {
  const random = seededRandom('printings');
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T;
  const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
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
