import { z } from 'zod';
import { CatalogCard } from './catalog-card.ts';

/** What one process learned of the catalog, for the others. Applying it twice changes nothing. */
export const SharedChange = z.discriminatedUnion('kind', [
  /** `source`: the import that they came from; absent when the service answered with them. */
  z.object({ kind: z.literal('cards'), cards: z.array(CatalogCard), source: z.string().optional() }),
  z.object({ kind: z.literal('denied'), id: z.string(), isKept: z.boolean() }),
  /** An import that was withdrawn begins anew: cards that follow belong to the new one. */
  z.object({ kind: z.literal('import'), source: z.string() }),
]);
export type SharedChange = z.infer<typeof SharedChange>;

/** What several processes know of the catalog, in the order in which they learned it; each keeps an index of its own. */
export interface SharedCatalog {
  /** Tells apart the places that cursors belong to. Holds no secret. */
  readonly name: string;
  /** @throws when it cannot be reached; it may have been stored all the same */
  publish(changes: readonly SharedChange[]): Promise<void>;
  /**
   * What was published after a cursor, of this process too.
   *
   * @param cursor of an earlier call; '' for everything
   * @returns at most `limit` changes, and where they end; none: this is all for now
   * @throws when it cannot be reached
   */
  changesAfter(cursor: string, limit: number): Promise<{ changes: SharedChange[]; cursor: string }>;
}

/** Cards in one change, so that applying it takes some milliseconds: searches wait for it. */
const CARDS_IN_CHANGE = 100;

/** The cards of an import as changes. */
export function* changesOf(cards: readonly CatalogCard[], source: string): Generator<SharedChange> {
  for (let at = 0; at < cards.length; at += CARDS_IN_CHANGE) {
    yield { kind: 'cards', cards: cards.slice(at, at + CARDS_IN_CHANGE), source };
  }
}

/** Two changes with cards of the same source as one; `undefined` when they are something else, or too many cards. */
export function joinedChange(first: SharedChange, second: SharedChange): SharedChange | undefined {
  if (first.kind !== 'cards' || second.kind !== 'cards' || first.source !== second.source) return undefined;
  const cards = [...first.cards, ...second.cards];
  return cards.length > CARDS_IN_CHANGE ? undefined : { ...second, cards };
}
