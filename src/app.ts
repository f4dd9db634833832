import { join } from 'node:path';
import { commands } from '../commands/index.ts';
import { KeyvCardStore } from './cache/keyv-card-store.ts';
import { CARDS_SCHEMA, SqliteStore } from './cache/sqlite-store.ts';
import type { Config } from './config.ts';
import { openDatabase, openExclusively } from './database.ts';
import { createClient, onInteraction } from './discord/connect.ts';
import { Dispatch } from './discord/dispatch.ts';
import { login, shutOut } from './discord/login.ts';
import { payDebt } from './discord/payment.ts';
import { Replies } from './discord/replies.ts';
import type { Logger } from './log.ts';
import { Budget } from './lookup/budget.ts';
import { CardLookup } from './lookup/card-lookup.ts';
import { UsageDesk } from './lookup/usage-desk.ts';
import { WaitingLine } from './lookup/waiting-line.ts';
import { LEDGER_SCHEMA, LocalLedger } from './quota/ledger.ts';
import { LocalPacer } from './quota/local-pacer.ts';
import { plannedDay } from './quota/pace.ts';
import { PACING_SCHEMA, PacingRows } from './quota/pacing-rows.ts';
import { words } from './render/words.ts';
import { LocalReplyQueue } from './replies/local-reply-queue.ts';
import { CardService } from './service/card-service.ts';
import { within } from './within.ts';

export interface App {
  /** Rejects with DiscordRefused when the token is not accepted. */
  ready: Promise<void>;
  /** Resolves when Discord has shut the bot out for good. */
  shutOut: Promise<Error>;
  /** Takes no more questions, finishes what is in hand, tells who still waits, closes. Under 8 s; once, however often called. */
  stop(): Promise<void>;
}

const MEMORY_BYTES = 32 * 1024 * 1024;
/** A process that was told to stop takes at most 8 s; twice that, and it hangs. */
const OWNER_PATIENCE_MS = 15_000;
// Together under the 8 s that a stop may take.
const FIRST_ANSWERS_MS = 1_600;
const GRACE_MS = 4_000;
const LAST_EDITS_MS = 1_200;
const DISCONNECT_MS = 700;

/**
 * Makes every part and joins them; read from top to bottom, this is the whole program. The bot, the sandbox and the
 * end-to-end tests differ only in `config`.
 *
 * @throws DatabaseInUse when another process owns `DATA_DIR`, and the error of the file system when it is unusable
 */
export async function startApp(config: Config, log: Logger, signal = new AbortController().signal): Promise<App> {
  const { baseUrl, apiKey, cardPath } = config.cardService;

  const state = await openExclusively(
    join(config.dataDir, 'state.sqlite'),
    { log, schema: PACING_SCHEMA + LEDGER_SCHEMA, lossMeans: 'pacing and counts start anew' },
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
  const service = new CardService({ ...config.cardService, onQuota: (reading) => pacer.hear(reading) });
  const store = new KeyvCardStore({
    log,
    store: new SqliteStore(cards),
    memoryBytes: MEMORY_BYTES,
    keepMs: config.freshness.keepMs,
    origin: `${baseUrl} ${cardPath}`,
  });

  const lookup = new CardLookup({ store, service, pacer, lifetimes: config.freshness });
  const line = new WaitingLine({ lookup, pacer, ledger, log, longestWaitMs: config.longestWaitMs });
  const usage = new UsageDesk({ service, pacer, ledger, log, hasKey: apiKey !== undefined });
  const { currency, longestWaitMs } = config;
  const budget = new Budget({ ledger, line, pacer, setting: config.shares, plannedDay: plannedDay(config.plan) });
  const parts = { lookup, line, usage, budget, pacer, ledger, currency, longestWaitMs };

  const client = createClient({ apiUrl: config.discord.apiUrl, log });
  const replies = new Replies(client.rest, log);
  const queue = new LocalReplyQueue({
    line,
    pay: (debt, outcome, waitMs) => payDebt({ commands, parts, replies, log }, debt, outcome, waitMs),
    showTurn: async (debt, turnAtMs) => void (await replies.edit(debt, { content: words.turn(turnAtMs) })),
  });
  const dispatch = new Dispatch({ commands, parts, queue, replies, log });
  onInteraction(client, (interaction) => dispatch.receive(interaction));

  const stopping = new AbortController();
  const ready = login(client, config.discord.token, log, AbortSignal.any([signal, stopping.signal]));
  ready.catch(() => {}); // for who awaits it; nobody has to

  const stop = async () => {
    stopping.abort(new Error('stopping'));
    const cutOff = new Set<string>();
    const bounded = async (what: string, limitMs: number, work: Promise<unknown>) => {
      if (
        (await within(
          limitMs,
          work.then(() => true),
        )) === undefined
      )
        cutOff.add(what);
    };
    await bounded('first answers', FIRST_ANSWERS_MS, dispatch.close());
    usage.close();
    await line.close(GRACE_MS);
    await bounded('last edits', LAST_EDITS_MS, Promise.all([queue.settled(), dispatch.corrected()]));
    // destroy() never resolves while a shard waits for READY.
    await bounded('disconnecting', DISCONNECT_MS, client.destroy());
    if (cutOff.size > 0) log.warn({ cutOff: [...cutOff] }, 'stopped before everything was done');
    await store.close();
    ledger.flush();
    state.close();
  };
  let stopped: Promise<void> | undefined;
  return {
    ready,
    shutOut: shutOut(client),
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}
