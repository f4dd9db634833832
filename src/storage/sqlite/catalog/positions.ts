import type { DatabaseSync, StatementSync } from 'node:sqlite';

export const POSITIONS_SCHEMA = 'CREATE TABLE IF NOT EXISTS positions (name TEXT PRIMARY KEY, position TEXT NOT NULL);';

/** How far each source has been read into the catalog, by name. */
export class CatalogPositions {
  readonly #get: StatementSync;
  readonly #set: StatementSync;

  constructor(database: DatabaseSync) {
    this.#get = database.prepare('SELECT position FROM positions WHERE name = ?');
    this.#set = database.prepare(
      'INSERT INTO positions VALUES (?, ?) ON CONFLICT DO UPDATE SET position = excluded.position',
    );
  }

  /** `undefined` at first. */
  get(name: string): string | undefined {
    const found = this.#get.get(name);
    return found && String(found.position);
  }

  set(name: string, position: string): void {
    this.#set.run(name, position);
  }
}
