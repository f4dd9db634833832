import type { Catalog, Resolution } from '../src/catalog/catalog.ts';
import type { CatalogCard } from '../src/catalog/catalog-card.ts';
import { parseCardId } from '../src/model/card.ts';
import { InvalidCardId } from '../src/model/errors.ts';
import type { Requester } from '../src/model/quota.ts';

/** Discord's limit of embeds in one message. */
export const MOST_CARDS = 10;

/** Between two ids or names. */
const SEPARATOR = /[,;\r\n]+/;

/** What a member listed: ids or names, each once. */
export function partsOf(text: string): string[] {
  const parts = text.split(SEPARATOR).map((part) => part.trim());
  return [...new Set(parts.filter((part) => part !== ''))];
}

/** The part that is being typed, and what stands before it. */
export function completing(typed: string): { before: string; last: string } {
  const [, before = '', last = ''] = /^(.*[,;\r\n]\s*)?(.*)$/s.exec(typed) ?? [];
  return { before, last };
}

/** What the parts mean, each once, in their order; more than `MOST_CARDS` in all may not be complete. */
export interface CardsMeant {
  ids: string[];
  /** What is no id, and the name of no card or of several. */
  unclear: string[];
}

/** Costs no request. A part that is no known card as a whole is split at its blanks if each piece may be an id. */
export async function cardsMeant(
  parts: readonly string[],
  who: Requester,
  catalog: Pick<Catalog, 'resolve'>,
): Promise<CardsMeant> {
  const ids = new Set<string>();
  const unclear: string[] = [];
  // Several parts may mean one card; what comes after too many cards is refused anyway.
  for (let at = 0; at < parts.length && ids.size + unclear.length <= MOST_CARDS; at += MOST_CARDS) {
    const next = parts.slice(at, at + MOST_CARDS);
    const meant = await Promise.all(next.map((part) => idsMeant(part, who, catalog)));
    for (const id of meant.flat()) if (id !== undefined) ids.add(id);
    unclear.push(...next.filter((_, index) => meant[index] === undefined));
  }
  return { ids: [...ids], unclear };
}

async function idsMeant(
  part: string,
  who: Requester,
  catalog: Pick<Catalog, 'resolve'>,
): Promise<string[] | undefined> {
  const whole = await meaningOf(part, who, catalog);
  if (whole?.isKnown) return [whole.id];
  return (await idsOfPieces(part.split(/\s+/), who, catalog)) ?? (whole && [whole.id]);
}

async function idsOfPieces(
  pieces: readonly string[],
  who: Requester,
  catalog: Pick<Catalog, 'resolve'>,
): Promise<string[] | undefined> {
  if (pieces.length === 1 || pieces.length > MOST_CARDS + 1) return undefined;
  const meant = await Promise.all(pieces.map((piece) => meaningOf(piece, who, catalog)));
  return meant.every(mayBeId) ? meant.map(({ id }) => id) : undefined;
}

/** While any form may be that of an id, a piece without a digit is rather a word of a name. */
function mayBeId(meaning: Meaning | undefined): meaning is Meaning {
  return meaning?.isId ? meaning.isKnown || /\p{N}/u.test(meaning.id) : false;
}

interface Meaning {
  id: string;
  /** The text is this id, not the name of a card. */
  isId: boolean;
  /** The catalog has the card. */
  isKnown: boolean;
}

async function meaningOf(
  text: string,
  who: Requester,
  catalog: Pick<Catalog, 'resolve'>,
): Promise<Meaning | undefined> {
  const id = validId(text);
  if (id === undefined) return undefined;
  const resolution = await catalog.resolve(id, who);
  if (resolution.kind === 'id') return { id, isId: true, isKnown: resolution.isKnown ?? false };
  const [only, ...others] = cardsOf(resolution);
  return only && others.length === 0 ? { id: only.id, isId: false, isKnown: true } : undefined;
}

function cardsOf(resolution: Resolution): readonly CatalogCard[] {
  if (resolution.kind === 'one') return [resolution.card];
  return resolution.kind === 'several' ? resolution.cards : [];
}

function validId(text: string): string | undefined {
  try {
    return parseCardId(text);
  } catch (error) {
    if (error instanceof InvalidCardId) return undefined;
    throw error;
  }
}
