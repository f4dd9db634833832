import { SAMPLE_CATALOG } from '../../sandbox/sample-cards.ts';
import { seededRandom } from '../../sandbox/seeded-random.ts';
import type { CatalogCard } from '../../src/catalog/text.ts';

const WORDS = SAMPLE_CATALOG.flatMap(({ name }) => name.split(' '));

/** Cards in the proportions of the public catalogues: each name several times, in sets of some 180 numbered cards. */
export function manyCards(count: number): CatalogCard[] {
  const random = seededRandom('many cards');
  const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)] ?? '';
  const word = () => pick(WORDS).slice(0, 3) + pick(WORDS).slice(-3);
  const phrase = () => Array.from({ length: 1 + Math.floor(random() * 3) }, word).join(' ');
  const names = Array.from({ length: Math.ceil(count / 4.5) }, phrase);
  const sets = Array.from({ length: Math.ceil(count / 180) }, (_, at) => ({ code: `many${at}`, set: phrase() }));
  return Array.from({ length: count }, (_, at) => {
    const { code, set } = sets[at % sets.length] as (typeof sets)[number];
    const number = 1 + Math.floor(at / sets.length);
    return { id: `${code}-${number}`, name: pick(names), set, number: `${number}/180`, game: 'Many' };
  });
}
