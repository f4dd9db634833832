import { DatabaseSync } from 'node:sqlite';
import type { Logger } from '../../log.ts';
import type { MemberHistory } from '../../privacy/member-data.ts';
import { filesIn } from './file.ts';

/** The catalog's own thread takes a fraction of this to write. */
const BUSY_TIMEOUT_MS = 500;

/**
 * What members looked up last, in the catalogs of a `DATA_DIR`, those of other card services too, by a connection of
 * its own: it is wanted rarely, and the catalog's thread may be busy with a search.
 */
export function sqliteMemberHistory(dataDir: string, log: Pick<Logger, 'warn'>): MemberHistory {
  const attempt = <T>(work: (database: DatabaseSync) => T): T[] | undefined => {
    try {
      return filesIn(dataDir, /^(names-[^/]*\/)?catalog\.sqlite$/).map((file) => {
        using database = new DatabaseSync(file);
        database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA secure_delete = ON`);
        return work(database);
      });
    } catch (err) {
      log.warn({ err }, "members' last lookups cannot be read or deleted");
      return undefined;
    }
  };
  return {
    async lastCards(memberId) {
      const latestFirst =
        'SELECT coalesce(cards.name, asked.id) AS card FROM asked_by_member AS asked LEFT JOIN cards USING (id_key, id) WHERE member = ? ORDER BY at DESC';
      const rows = attempt((database) => database.prepare(latestFirst).all(memberId));
      return rows?.flat().map(({ card }) => String(card));
    },
    async forget(memberId) {
      const forgotten = attempt((database) => {
        database.prepare('DELETE FROM asked_by_member WHERE member = ?').run(memberId);
        // Otherwise the write-ahead log holds the rows until it is written over.
        database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      });
      return forgotten !== undefined;
    },
  };
}
