import { idFault } from '../model/card-id.ts';
import type { Requester } from '../model/quota.ts';
import type { CardIndex } from './card-index.ts';
import { type LineMeaning, MOST_FOUND } from './catalog.ts';
import type { CatalogCard } from './catalog-card.ts';
import type { ListLine } from './list-line.ts';
import { called } from './printings.ts';
import { exactlyIn, resolve, unsearched } from './resolution.ts';

/** What each line of a pasted list means. A printing that a line names is never replaced by another. */
export function resolveLines(index: CardIndex, lines: readonly ListLine[], who: Requester): LineMeaning[] {
  return lines.map((line) => {
    const exact = exactlyIn(index, line);
    if (exact?.by === 'otherPrinting') return UNCLEAR;
    if (exact?.by === 'name' && line.set === undefined) return newest(called(index, line.name));
    if (exact) return newest(exact.cards);
    const meant = line.set === undefined ? resolve(index, line.name, who) : undefined;
    if (meant?.kind === 'one') return { cards: [meant.card] };
    return meant?.kind === 'id' ? asId(line) : UNCLEAR;
  });
}

/** The same while the catalog cannot be searched. */
export function linesUnsearched(lines: readonly ListLine[]): LineMeaning[] {
  return lines.map((line) => (unsearched(line.text).kind === 'id' ? asId(line) : UNCLEAR));
}

const UNCLEAR: LineMeaning = { cards: [] };

function asId({ name }: ListLine): LineMeaning {
  return idFault(name) ? UNCLEAR : { cards: [{ id: name, name }] };
}

function newest(cards: readonly CatalogCard[]): LineMeaning {
  return { cards: cards.slice(0, MOST_FOUND).map(({ id, name, set, number }) => ({ id, name, set, number })) };
}
