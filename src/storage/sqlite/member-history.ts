import { DatabaseSync } from 'node:sqlite';
import type { Logger } from '../../log.ts';
import type { MemberHistory } from '../../members/member-data.ts';
import { databasesIn } from './file.ts';

/** An import of names takes a fraction of this to write. */
const BUSY_TIMEOUT_MS = 500;

/**
 * What members looked up last, in the catalogs of a `DATA_DIR`, those of other card services too, by connections of
 * its own: it is wanted rarely.
 *
 * @param writeAll writes what this process has not written yet
 */
export function sqliteMemberHistory(dataDir: string, log: Pick<Logger, 'warn'>, writeAll: () => void): MemberHistory {
  const attempt = <T>(work: (database: DatabaseSync) => T): T[] | undefined => {
    writeAll();
    try {
      return databasesIn(dataDir, ['catalog.sqlite']).map((file) => {
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
        "SELECT coalesce(cards.name, asked.id) AS card FROM asked LEFT JOIN cards USING (id_key, id) WHERE who = '@' || ? ORDER BY at DESC";
      const rows = attempt((database) => database.prepare(latestFirst).all(memberId));
      return rows?.flat().map(({ card }) => String(card));
    },
    async forget(memberId) {
      const forgotten = attempt((database) => {
        database.prepare("DELETE FROM asked WHERE who = '@' || ?").run(memberId);
        // Otherwise the write-ahead log holds the rows until it is written over.
        database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      });
      return forgotten !== undefined;
    },
  };
}
