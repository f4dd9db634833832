import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { OFFERED } from '../../storage/sqlite/catalog/schema.ts';
import { type Finding, note } from './finding.ts';

/** A bot without names works, so this is no fault. */
export const NO_NAMES = note(
  'names',
  'The bot knows no card by name yet, so members can only type ids. Give it a list: docs/catalogues.md',
);

/** Whether a bot without Redis knows a card. Changes nothing. */
export function checkNames(dataDir: string): Finding[] {
  const file = join(dataDir, 'catalog.sqlite');
  if (!existsSync(file)) return [NO_NAMES];
  try {
    using database = new DatabaseSync(file, { readOnly: true });
    return database.prepare(`SELECT 1 FROM cards WHERE ${OFFERED} LIMIT 1`).get() ? [] : [NO_NAMES];
  } catch {
    return []; // it is of another version, or others have said that it cannot be read
  }
}
