import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ReadCardId } from '../model/card-id.ts';
import type { ServiceDescription } from '../model/service-description.ts';
import { OFFERED } from '../storage/sqlite/catalog/schema.ts';

/** For the default service any id does: one that says properly that it has no such card is reached. */
export const DEFAULT_ID = 'base1-4';

/** An id in the form that the service's ids have, of a card that it should not have. */
export function madeUpId({ ids, idSeparator }: ServiceDescription['card']): string {
  if (ids === undefined) return 'cardbot-check-no-such-card';
  if (ids === 'uuid') return '00000000-0000-4000-8000-000000000000';
  if (ids === 'digits') return '99999999';
  const { chars, longest, segments } = ids;
  const each = ([...'a0A'].find((char) => chars.test(char)) ?? '-').repeat(
    Math.min(8, Math.max(1, Math.floor(longest / segments) - 1)),
  );
  return Array(segments).fill(each).join(idSeparator);
}

/**
 * The id of a card that members can find by name, the likeliest first; `undefined` where there is none, or none is
 * read.
 */
export function knownId(dataDir: string, readId: ReadCardId): string | undefined {
  try {
    using database = new DatabaseSync(join(dataDir, 'catalog.sqlite'), { readOnly: true });
    const rows = database.prepare(`SELECT id FROM cards WHERE ${OFFERED} ORDER BY confirmed DESC, row LIMIT 100`).all();
    return rows.map(({ id }) => readId(String(id))).find((id) => id !== undefined);
  } catch {
    return undefined;
  }
}
