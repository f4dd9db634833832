import { join } from 'node:path';
import { KeyvCardStore } from './cache/keyv-card-store.ts';
import { CARDS_SCHEMA, SqliteStore } from './cache/sqlite-store.ts';
import type { Config } from './config.ts';
import { openDatabase, openExclusively } from './database.ts';
import { LocalIdentifyTurns } from './discord/identify-turns.ts';
import type { Logger } from './log.ts';
import { NO_LEASE } from './lookup/card-lease.ts';
import { NO_PEERS } from './lookup/peers.ts';
import { LocalReportBoard } from './lookup/report-board.ts';
import { LEDGER_SCHEMA, LocalLedger } from './quota/local-ledger.ts';
import { LocalPacer } from './quota/local-pacer.ts';
import { PACING_SCHEMA, PacingRows } from './quota/pacing-rows.ts';
import { JOURNAL_SCHEMA, SqliteJournal } from './replies/sqlite-journal.ts';
import { cardStoreSetting, type State, warnOfSpentDay, warnOfUnknownLimit } from './state.ts';
import { StateWrites } from './state-writes.ts';

/** A process that was told to stop takes at most 8 s; twice that, and it hangs. */
const OWNER_PATIENCE_MS = 15_000;

const STATE_LOSS = 'pacing and counts start anew, and replies that were owed stay at "thinking…"';

/**
 * The state of a single process, in the files of its `DATA_DIR`.
 *
 * @throws DatabaseInUse when another process owns `DATA_DIR`, and the error of the file system when it is unusable
 */
export async function openLocalState(config: Config, log: Logger, signal?: AbortSignal): Promise<State> {
  const { baseUrl, apiKey } = config.cardService;
  const state = await openExclusively(
    join(config.dataDir, 'state.sqlite'),
    { log, schema: PACING_SCHEMA + LEDGER_SCHEMA + JOURNAL_SCHEMA, lossMeans: STATE_LOSS },
    OWNER_PATIENCE_MS,
    signal,
  );
  const cards = openDatabase(join(config.dataDir, 'cards.sqlite'), {
    log,
    schema: CARDS_SCHEMA,
    lossMeans: 'remembered cards are asked for again',
  });

  const writes = new StateWrites(log);
  const pacing = new PacingRows(state, baseUrl, apiKey, log, writes);
  const store = new KeyvCardStore({ ...cardStoreSetting(config), log, store: new SqliteStore(cards) });
  const ledger = new LocalLedger(state);
  const journal = new SqliteJournal(state, log, writes);

  return {
    cards: store,
    pacer: new LocalPacer({
      setting: config.plan,
      longestWaitMs: config.longestWaitMs,
      state: pacing.load(),
      save: (latest) => pacing.save(latest),
      warn: warnOfSpentDay(log),
      warnOfLimit: warnOfUnknownLimit(log),
    }),
    ledger,
    journal,
    peers: NO_PEERS,
    lease: NO_LEASE,
    board: new LocalReportBoard(),
    identifyTurns: new LocalIdentifyTurns(),
    async close() {
      await store.close();
      await journal.close();
      await ledger.close();
      state.close();
    },
  };
}
