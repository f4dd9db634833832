import type { ReadCardId } from '../model/card-id.ts';
import type { ListedCard } from '../model/invocation.ts';
import type { Catalog } from './catalog.ts';
import { inOneMenu } from './list.ts';

/** The catalogue for a service whose ids have a form: a text of another is no id, whatever it resembles. */
export function withFittingIds(catalog: Catalog, readCardId: ReadCardId): Catalog {
  const { search, searchInList, printings, shown } = catalog;
  return {
    ...{ search, searchInList, printings, shown },
    learn: (card) => catalog.learn(card),
    deny: (id, isKept) => catalog.deny(id, isKept),
    close: () => catalog.close(),
    async resolve(text, who) {
      const meant = await catalog.resolve(text, who);
      const id = meant.kind === 'one' ? meant.card.id : meant.kind === 'id' ? text : undefined;
      return id === undefined || readCardId(id) !== undefined ? meant : { kind: 'none', similar: [] };
    },
    async resolveList(list, who) {
      const { ids, unclear, ...rest } = await catalog.resolveList(list, who);
      const others = ids.filter((id) => readCardId(id) === undefined).map((text) => ({ text, cards: [], total: 0 }));
      return { ...rest, ids: read(ids, readCardId), unclear: inOneMenu([...unclear, ...others]) };
    },
    async resolveLines(lines, who) {
      const meant = await catalog.resolveLines(lines, who);
      const fitting = (card: ListedCard) => read([card.id], readCardId).map((id) => ({ ...card, id }));
      return meant.map((each) => ({ ...each, cards: each.cards.flatMap(fitting) }));
    },
    async mentions(text, who) {
      const mentioned = await catalog.mentions(text, who);
      return mentioned && { ...mentioned, ids: read(mentioned.ids, readCardId) };
    },
  };
}

function read(ids: readonly string[], readCardId: ReadCardId): string[] {
  return [...new Set(ids.flatMap((id) => readCardId(id) ?? []))];
}
