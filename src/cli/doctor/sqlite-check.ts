import { DatabaseSync } from 'node:sqlite';
import { type Finding, wrong } from './finding.ts';

/** Whether this Node's SQLite can search: one that is built by a distribution may lack it. In memory, in a millisecond. */
export function checkSqlite(): Finding[] {
  const database = new DatabaseSync(':memory:');
  try {
    database.exec('CREATE VIRTUAL TABLE words USING fts5 (word)');
    return [];
  } catch {
    const cure = 'It lacks FTS5, so cards cannot be found by name. Run the bot by npm start, with the Node of npm ci.';
    return [wrong(`SQLite of Node ${process.version}`, cure)];
  } finally {
    database.close();
  }
}
