import type { Catalog } from '../src/catalog/catalog.ts';
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

/** What the parts mean, each once, in their order. */
export interface CardsMeant {
  ids: string[];
  /** What is no id, and the name of no card or of several. */
  unclear: string[];
}

/** Costs no request. A part that means no card as a whole is split at its blanks if each piece may be an id. */
export async function cardsMeant(
  parts: readonly string[],
  who: Requester,
  catalog: Pick<Catalog, 'resolve'>,
): Promise<CardsMeant> {
  // More parts are refused anyway.
  const meant = await Promise.all(parts.slice(0, MOST_CARDS + 1).map((part) => idsMeant(part, who, catalog)));
  const ids = new Set(meant.flatMap((found) => found ?? []));
  const unclear = parts.filter((_, at) => at < meant.length && meant[at] === undefined);
  return { ids: [...ids], unclear };
}

async function idsMeant(
  part: string,
  who: Requester,
  catalog: Pick<Catalog, 'resolve'>,
): Promise<string[] | undefined> {
  const whole = await idMeant(part, who, catalog);
  if (whole !== undefined) return [whole];
  const pieces = part.split(/\s+/);
  if (pieces.length === 1 || pieces.length > MOST_CARDS + 1) return undefined;
  const ids = await Promise.all(pieces.map((piece) => idMeant(piece, who, catalog, true)));
  return ids.every((id) => id !== undefined) ? ids : undefined;
}

async function idMeant(
  text: string,
  who: Requester,
  catalog: Pick<Catalog, 'resolve'>,
  isOnlyId = false,
): Promise<string | undefined> {
  const id = validId(text);
  if (id === undefined) return undefined;
  const resolution = await catalog.resolve(id, who);
  if (resolution.kind === 'id') return id;
  if (isOnlyId) return undefined;
  if (resolution.kind === 'one') return resolution.card.id;
  const [only, ...others] = resolution.kind === 'several' ? resolution.cards : [];
  return others.length === 0 ? only?.id : undefined;
}

function validId(text: string): string | undefined {
  try {
    return parseCardId(text);
  } catch (error) {
    if (error instanceof InvalidCardId) return undefined;
    throw error;
  }
}
