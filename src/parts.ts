import { join } from 'node:path';
import { KeyvCardStore } from './cache/keyv-card-store.ts';
import { CARDS_SCHEMA, SqliteStore } from './cache/sqlite-store.ts';
import type { Config } from './config.ts';
import { openDatabase, openExclusively } from './database.ts';
import type { Parts } from './discord/command.ts';
import type { Logger } from './log.ts';
import { NO_LEASE } from './lookup/card-lease.ts';
import { CardLookup } from './lookup/card-lookup.ts';
import { NO_PEERS } from './lookup/peers.ts';
import { UsageDesk } from './lookup/usage-desk.ts';
import { WaitingLine } from './lookup/waiting-line.ts';
import { Budget } from './quota/budget.ts';
import { LEDGER_SCHEMA, LocalLedger } from './quota/local-ledger.ts';
import { LocalPacer } from './quota/local-pacer.ts';
import { plannedDay } from './quota/pace.ts';
import { PACING_SCHEMA, PacingRows } from './quota/pacing-rows.ts';
import { NumberFormats } from './render/numbers.ts';
import type { DebtJournal } from './replies/debt-journal.ts';
import { JOURNAL_SCHEMA, SqliteJournal } from './replies/sqlite-journal.ts';
import { CardService } from './service/card-service.ts';

const MEMORY_BYTES = 32 * 1024 * 1024;
/** A process that was told to stop takes at most 8 s; twice that, and it hangs. */
const OWNER_PATIENCE_MS = 15_000;

const STATE_LOSS = 'pacing and counts start anew, and replies that were owed stay at "thinking…"';

/** The parts that answer questions, whoever asks them. */
export interface OpenParts {
  parts: Parts;
  journal: DebtJournal;
  /** Closes the stores. What waits and what is under way is ended before, by `line.close()` and `usage.close()`. */
  close(): Promise<void>;
}

/**
 * All that knows nothing of Discord, joined: cards, quota and the waiting line.
 *
 * @param options.fetch reaches the card service; global `fetch` unless given
 * @throws DatabaseInUse when another process owns `DATA_DIR`, and the error of the file system when it is unusable
 */
export async function openParts(
  config: Config,
  log: Logger,
  { signal, fetch }: { signal?: AbortSignal; fetch?: typeof globalThis.fetch } = {},
): Promise<OpenParts> {
  const { baseUrl, apiKey, cardPath } = config.cardService;

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

  const pacing = new PacingRows(state, baseUrl, apiKey, log);
  const pacer = new LocalPacer({
    setting: config.plan,
    state: pacing.load(),
    save: (latest) => pacing.save(latest),
    warn: (share, { limit, remaining }) => log.warn({ share, limit, remaining }, "the day's requests run low"),
  });
  const ledger = new LocalLedger(state);
  const service = new CardService({
    ...config.cardService,
    ...(fetch && { fetch }),
    onQuota: (reading) => pacer.hear(reading),
  });
  const store = new KeyvCardStore({
    log,
    store: new SqliteStore(cards),
    memoryBytes: MEMORY_BYTES,
    keepMs: config.freshness.keepMs,
    origin: `${baseUrl} ${cardPath}`,
  });

  const lookup = new CardLookup({ store, service, pacer, lifetimes: config.freshness });
  const budget = new Budget({ ledger, pacer, setting: config.shares, plannedDay: plannedDay(config.plan) });
  const line = new WaitingLine({
    lookup,
    pacer,
    ledger,
    budget,
    peers: NO_PEERS,
    lease: NO_LEASE,
    log,
    longestWaitMs: config.longestWaitMs,
  });
  const usage = new UsageDesk({ service, pacer, ledger, log, hasKey: apiKey !== undefined });
  const numbers = new NumberFormats(config.currency);
  const parts = { lookup, line, usage, budget, pacer, ledger, numbers, longestWaitMs: config.longestWaitMs };

  return {
    parts,
    journal: new SqliteJournal(state, log),
    async close() {
      await store.close();
      await ledger.close();
      state.close();
    },
  };
}
