import { hash } from 'node:crypto';
import { join } from 'node:path';
import { Catalog } from '../catalog/catalog.ts';
import type { Config } from '../config/config.ts';
import { CardStore, type CardStoreOptions, keysOf } from '../known/card-store.ts';
import type { Logger } from '../log.ts';
import { StateUnusable } from '../model/errors.ts';
import type { Events } from '../model/events.ts';
import { Claims } from '../model/store/claims.ts';
import { Processes } from '../model/store/processes.ts';
import type { Rows } from '../model/store/rows.ts';
import { Ledger } from '../quota/ledger.ts';
import { Limiter } from '../quota/limiter.ts';
import { LimiterDocument } from '../quota/limiter-document.ts';
import { Journal } from '../replies/journal.ts';
import { cardIdReader } from '../service/service-description.ts';
import type { RedisLink } from './redis/connection.ts';
import { CARDS_SCHEMA, SqliteStore } from './sqlite/cards.ts';
import { copyDaily } from './sqlite/daily-copies.ts';
import { catalogFolder, openExclusively, openFile, watchFile } from './sqlite/file.ts';
import { ROWS_SCHEMA, SqliteRows } from './sqlite/rows.ts';

export interface StateOptions extends Config {
  log: Logger;
  /** Told of stores that fail, and of what the limiter knows. */
  events: Events;
  /** Ends the wait for the previous owner of `dataDir`. */
  signal?: AbortSignal | undefined;
}

/** Where everything but names is: in files that this process owns, or in a Redis that several processes share. */
export interface Place {
  rows: Rows;
  cards: Pick<CardStoreOptions, 'store' | 'keyPrefix'>;
  /** Resolves when it turns out that it can never be used, or no longer, with the reason. */
  refused: Promise<StateUnusable>;
  close(): void;
}

/** Everything that is stored. */
export type State = Awaited<ReturnType<typeof openState>>;

/** @throws DatabaseUnusable, also when another process owns `dataDir`; StateUnusable */
export async function openState(options: StateOptions) {
  const { cardService, dataDir, redis, plan, longestWaitMs, memberHistory, log } = options;
  const shared = redis && (await openRedis(redis, options));
  const place = shared ?? (await openFiles(options));
  const { rows, refused } = place;
  /** The account at the card service, to which a quota belongs. */
  const account = accountOf(cardService.baseUrl, cardService.apiKey);
  const processes = new Processes(rows);
  // It is seen before anything names it to the others.
  shared?.link.onHealth((health) => health === 'usable' && void processes.look({ isEarly: true }));
  const limited = { terms: { setting: plan, longestWaitMs }, log };
  const document = new LimiterDocument({ ...limited, rows, account, processes, ...(shared && { link: shared.link }) });
  if (!shared) await document.written();
  const cardStore = openCardStore(options, place.cards);
  const ledger = new Ledger(rows, cardService.scope);
  const journal = new Journal(rows, processes, log);
  const catalog = new Catalog({
    dataDir: catalogFolder(dataDir, cardService.scope),
    cardsDir: dataDir,
    keepsMembers: memberHistory,
    cardKeys: cardKeysOf(cardService),
    readCardId: cardIdReader(cardService.description.card),
    log,
  });
  return {
    ...{ rows, account, cardStore, catalog, ledger, journal, refused },
    limiter: new Limiter(document, limited),
    otherQueues: processes,
    claims: new Claims(shared && { rows, processes }),
    /** Writes what is not written yet, and leaves deferred replies to other processes or the next start. */
    async close(): Promise<void> {
      await journal.close();
      await processes.leave();
      await ledger.close();
      await catalog.close();
      place.close();
    },
  };
}

/** What a quota belongs to: a hash of the address and the key, which does not reveal the key. */
export function accountOf(baseUrl: string, apiKey = ''): string {
  return hash('sha256', `${baseUrl} ${apiKey}`);
}

/**
 * What several processes share; the code for it is loaded for them alone. Opens, whatever Redis does.
 *
 * @throws StateUnusable
 */
async function openRedis(
  { url, keyPrefix }: NonNullable<StateOptions['redis']>,
  { discord, log, events }: StateOptions,
): Promise<Place & { link: RedisLink }> {
  const [{ RedisLink, redisPrefix, warnOfSettings }, { RedisRows }, { RedisStore }] = await Promise.all([
    import('./redis/connection.ts'),
    import('./redis/rows.ts'),
    import('./redis/cards.ts'),
  ]);
  const link = new RedisLink({ url, prefix: redisPrefix(keyPrefix), log, botId: discord.botId, events });
  const { refused } = link;
  const rows = new RedisRows(link);
  const cards = { store: new RedisStore(link), keyPrefix: `${keyPrefix}:cards:` };
  warnOfSettings(link, log);
  const refusal = await Promise.race([link.opened, refused]);
  if (refusal) throw refusal;
  return { rows, cards, link, refused, close: () => link.close() };
}

/** A process that was told to stop takes at most 8 s; twice that, and it hangs. */
const OWNER_TIMEOUT_MS = 15_000;

/** The files of a `DATA_DIR`, which this process owns from then on. */
async function openFiles({ dataDir, log, events, signal }: StateOptions): Promise<Place> {
  const [file, cardFile] = [join(dataDir, 'state.sqlite'), join(dataDir, 'cards.sqlite')];
  const { database } = await openExclusively(file, { log, schema: ROWS_SCHEMA }, OWNER_TIMEOUT_MS, signal);
  database.exec('PRAGMA secure_delete = ON'); // what is deleted is about members, or interaction tokens
  const lossMeans = 'cached cards are requested again';
  const cards = openFile(cardFile, { log, schema: CARDS_SCHEMA, lossMeans }).database;
  const rows = new SqliteRows(database, log, events);
  const { promise: refused, resolve: refuse } = Promise.withResolvers<StateUnusable>();
  const cure = 'put the newest of backups/ in its place, delete state.sqlite-wal, and start the bot again';
  const ends = [
    watchFile(file, (reason) => {
      rows.lost();
      refuse(new StateUnusable(`${reason}: ${cure}.`));
    }),
    watchFile(cardFile, (reason) => log.error(`${reason}: after a restart ${lossMeans}`)),
    copyDaily(database, dataDir, log),
  ];
  return {
    ...{ rows, refused, cards: { store: new SqliteStore(cards), keyPrefix: '' } },
    close() {
      for (const end of ends) end();
      rows.close();
      database.close();
      cards.close();
    },
  };
}

const MEMORY_BYTES = 32 * 1024 * 1024;

/** The cards of the configured service. */
export function openCardStore({ cardService, freshness, log, events }: StateOptions, place: Place['cards']): CardStore {
  const { keepMs } = freshness;
  const keyPrefix = place.keyPrefix + cardKeysOf(cardService);
  return new CardStore({ store: place.store, keyPrefix, log, events, keepMs, memoryBytes: MEMORY_BYTES });
}

function cardKeysOf({ baseUrl, description }: Config['cardService']): string {
  return keysOf(`${baseUrl} ${description.card.path}`);
}
