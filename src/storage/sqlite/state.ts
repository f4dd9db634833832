import { join } from 'node:path';
import { CardStore } from '../../cache/card-store.ts';
import { NO_OTHER_QUEUES } from '../../lookup/fair-order.ts';
import { LocalClaims } from '../../model/claims.ts';
import { Ledger } from '../../quota/ledger.ts';
import { LocalCell } from '../../quota/limiter-cell.ts';
import { RateLimiter } from '../../quota/rate-limiter.ts';
import {
  accountOf,
  cardStoreOptions,
  catalogOptions,
  limiterOptions,
  type State,
  type StateOptions,
} from '../state.ts';
import { CARDS_SCHEMA, SqliteStore } from './cards.ts';
import { WorkerCatalog } from './catalog/worker-catalog.ts';
import { LEDGER_SCHEMA, SqliteCounters } from './counters.ts';
import { DailyCopies } from './daily-copies.ts';
import { openDatabase, openExclusively } from './database.ts';
import { LISTS_SCHEMA, sqliteLists } from './lists.ts';
import { OpenFiles } from './open-files.ts';
import { SETTINGS_SCHEMA, sqliteSettings } from './server-settings.ts';
import {
  DELETION_REQUESTS_SCHEMA,
  JOURNAL_SCHEMA,
  LIMITER_SCHEMA,
  SqliteJournal,
  StateWrites,
  sqliteDeletionRequests,
  sqliteLimiterStore,
} from './state-rows.ts';
import { sqliteWatches, WATCHES_SCHEMA } from './watches.ts';

export interface SqliteStateOptions extends StateOptions {
  /** Ends the wait for the previous owner of `dataDir`. */
  signal?: AbortSignal | undefined;
}

/** A process that was told to stop takes at most 8 s; twice that, and it hangs. */
const OWNER_TIMEOUT_MS = 15_000;

export const STATE_SCHEMA =
  LIMITER_SCHEMA +
  LEDGER_SCHEMA +
  JOURNAL_SCHEMA +
  DELETION_REQUESTS_SCHEMA +
  SETTINGS_SCHEMA +
  WATCHES_SCHEMA +
  LISTS_SCHEMA;

const CARD_LOSS = 'cached cards are requested again';
const STATE_LOSS = 'the limiter and all counts start anew, and deferred replies stay at "thinking…"';

/**
 * The state of a single process, in the files of its `DATA_DIR`.
 *
 * @throws DatabaseInUse when another process owns `DATA_DIR`, and the error of the file system when it is unusable
 */
export async function openSqliteState(options: SqliteStateOptions): Promise<State> {
  const { cardService, dataDir, log, events, signal } = options;
  const { baseUrl, apiKey } = cardService;
  const stateFile = join(dataDir, 'state.sqlite');
  const state = await openExclusively(
    stateFile,
    { log, schema: STATE_SCHEMA, lossMeans: STATE_LOSS },
    OWNER_TIMEOUT_MS,
    signal,
  );
  state.exec('PRAGMA secure_delete = ON'); // what is deleted is about members, or interaction tokens
  const cardFile = join(dataDir, 'cards.sqlite');
  const cardStore = openDatabase(cardFile, { log, schema: CARDS_SCHEMA, lossMeans: CARD_LOSS });

  const writes = new StateWrites(log, events);
  const openFiles = new OpenFiles({
    [stateFile]: (reason) => writes.lost(reason),
    [cardFile]: (reason) => log.error(`${reason}: after a restart ${CARD_LOSS}`),
  });
  const store = new CardStore({ ...cardStoreOptions(options), store: new SqliteStore(cardStore) });
  const ledger = new Ledger(new SqliteCounters(state, cardService.scope));
  const listStore = sqliteLists(state, writes);
  const copies = new DailyCopies({ database: state, dataDir, log });

  const catalog = new WorkerCatalog(catalogOptions(options));

  const limiter = limiterOptions(options);
  const limiterStore = sqliteLimiterStore(state, accountOf(baseUrl, apiKey), log, writes);

  const closeOthers = async () => {
    openFiles.close();
    listStore.close();
    copies.close();
    await store.close();
    await ledger.close();
  };

  return {
    cardStore: store,
    catalog,
    limiter: new RateLimiter(new LocalCell(limiterStore, limiter), limiter),
    ledger,
    journal: new SqliteJournal(state, log, writes),
    deletionRequests: sqliteDeletionRequests(state, writes),
    settingsStore: sqliteSettings(state, writes),
    watchStore: sqliteWatches(state, writes),
    listStore,
    otherQueues: NO_OTHER_QUEUES,
    claims: new LocalClaims(),
    refused: new Promise(() => {}),
    async close() {
      await Promise.all([catalog.close(), closeOthers()]);
      state.close();
    },
  };
}
