import { SAMPLE_CATALOG } from '../../sandbox/sample-cards.ts';
import { seededRandom } from '../../sandbox/seeded-random.ts';
import type { CatalogCard } from '../../src/catalog/text.ts';

const WORDS = [...new Set(SAMPLE_CATALOG.flatMap(({ name }) => name.split(' ')))];
const GAMES = ['Pokémon', 'Magic: The Gathering', 'Yu-Gi-Oh!'];

/**
 * Cards in the proportions of the public catalogues: each name several times, in sets of some 180 numbered cards.
 *
 * @param words of which theirs are made
 */
export function manyCards(count: number, words: readonly string[] = WORDS): CatalogCard[] {
  const random = seededRandom('many cards');
  const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)] ?? '';
  const word = () => pick(words).slice(0, 3) + pick(words).slice(-3);
  const phrase = () => Array.from({ length: 1 + Math.floor(random() * 3) }, word).join(' ');
  const names = Array.from({ length: Math.ceil(count / 4.5) }, phrase);
  const sets = Array.from({ length: Math.ceil(count / 180) }, (_, at) => ({
    ...{ code: `many${at}`, set: phrase(), game: pick(GAMES) },
  }));
  return Array.from({ length: count }, (_, at) => {
    const { code, set, game } = sets[at % sets.length] as (typeof sets)[number];
    const number = 1 + Math.floor(at / sets.length);
    return { id: `${code}-${number}`, name: pick(names), set, number: `${number}/180`, game };
  });
}
