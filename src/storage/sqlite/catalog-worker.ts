import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { mentions } from '../../catalog/mentions.ts';
import { printings } from '../../catalog/printings.ts';
import { resolve } from '../../catalog/resolution.ts';
import { search } from '../../catalog/search.ts';
import type { Question } from '../../catalog/search-queue.ts';
import type { SharedChange } from '../../catalog/shared-catalog.ts';
import type { Logger } from '../../log.ts';
import { applyShared } from './apply-shared.ts';
import { type CachedCards, cachedCards } from './cached-cards.ts';
import { CatalogDatabase } from './catalog-database.ts';
import type { CatalogChange, CatalogWorkerData, FromWorker, ToWorker } from './catalog-messages.ts';
import { BUSY_CODE, isCorruption, sqliteCode } from './database.ts';

/** Between two pieces of work in the background, so that it takes no more than a part of a core. */
const PAUSE_MS = 20;
const RETRY_MS = 1_000;
/** Searches wait meanwhile. */
const BUSY_TIMEOUT_MS = 500;
/** The process cannot end meanwhile: Node waits for a thread in a native call. */
const LAST_WRITE_MS = 200;
/** The name of a position. */
const SHARED = 'shared';
const SWEEP_EVERY_MS = 3_600_000;
const ROWS_AT_ONCE = 200;
/** Changes that wait while the disk is full; the oldest are dropped. */
const MOST_UNWRITTEN = 1_000;

const ANSWERS = { search, resolve, printings, mentions } as const;

const { dataDir, keepsMembers, cardKeys } = workerData as CatalogWorkerData;
const post = (message: FromWorker) => parentPort?.postMessage(message);
const logAs = (level: 'info' | 'warn' | 'error') => (fields: object, message: string) =>
  post({ kind: 'log', level, fields, message });
const log = { info: logAs('info'), error: logAs('error') } as unknown as Pick<Logger, 'info' | 'error'>;

let catalog = CatalogDatabase.open(dataDir, log, BUSY_TIMEOUT_MS);
let unwritten: CatalogChange[] = [];
let retry: NodeJS.Timeout | undefined;
/** What is done once the changes of a transaction are in the file: they may be taken back, and made again. */
let onceWritten: (() => void)[] = [];
let isClosing = false;

parentPort?.on('message', (message: ToWorker) => {
  if (message.kind === 'close') close();
  else if (message.kind === 'change') take(message.change);
  else post({ kind: 'answer', answer: answer(message) });
});
post({ kind: 'opened' });
attempt(postReached);
void inBackground();

function answer({ kind, text, who }: Question): unknown {
  return attempt(() => ANSWERS[kind](catalog.index, text, who));
}

function take(change: CatalogChange): void {
  unwritten = [...unwritten.slice(1 - MOST_UNWRITTEN), change];
  write();
}

/** All or nothing; what cannot be written now is tried again, with what comes until then. */
function write(): void {
  if (retry !== undefined || unwritten.length === 0) return;
  onceWritten = [];
  const written = attempt(() => catalog.inTransaction(() => unwritten.forEach(apply)) ?? true);
  if (written) {
    unwritten = [];
    for (const follow of onceWritten) follow();
  } else if (!isClosing)
    retry = setTimeout(() => {
      retry = undefined;
      write();
    }, RETRY_MS);
}

function apply(change: CatalogChange): void {
  if (change.kind === 'asked') catalog.asked.add(change.id, change.who, change.atMs, keepsMembers, change.isPrivate);
  else if (change.kind === 'shared') applyAll(change.changes, change.cursor);
  else if (change.kind === 'learn') {
    const cards = [change.card];
    if (catalog.upsert(cards, undefined) > 0) tellOthers({ kind: 'cards', cards });
  } else {
    const { id, isKept } = change;
    if (catalog.isKnown(id)) tellOthers({ kind: 'denied', id, isKept });
    withdrawn(catalog.deny(id, isKept));
  }
}

function applyAll(changes: readonly SharedChange[], cursor: string): void {
  for (const change of changes) withdrawn(applyShared(catalog, change));
  catalog.setPosition(SHARED, cursor);
  onceWritten.push(() => post({ kind: 'reached', cursor }));
}

function tellOthers(change: SharedChange): void {
  onceWritten.push(() => post({ kind: 'news', change }));
}

/** How far the catalog has what other processes have learned. */
function postReached(): void {
  post({ kind: 'reached', cursor: catalog.position(SHARED) ?? '' });
}

function withdrawn(source: string | undefined): void {
  if (source === undefined) return;
  onceWritten.push(() => {
    logAs('warn')(
      { source },
      'the service knows none of the cards of an import that were looked up: it is no longer offered',
    );
    void removeWithdrawn();
  });
}

/** @returns `undefined` when it failed */
function attempt<T>(work: () => T): T | undefined {
  try {
    const result = work();
    post({ kind: 'succeeded' });
    return result;
  } catch (err) {
    if (isCorruption(err)) startAnew(err);
    else post({ kind: 'failed', err });
    return undefined;
  }
}

function startAnew(corruption: unknown): void {
  catalog.discard(corruption);
  catalog = CatalogDatabase.open(dataDir, log, BUSY_TIMEOUT_MS);
  postReached();
  void learnFromCache();
}

/** What the cache holds, a little at a time; then what is past its time. */
async function inBackground(): Promise<void> {
  await learnFromCache();
  if (catalog.hasWithdrawn()) await removeWithdrawn();
  while (!isClosing) {
    attempt(() => catalog.asked.sweep(Date.now(), keepsMembers));
    await sleep(SWEEP_EVERY_MS);
  }
}

async function learnFromCache(): Promise<void> {
  const position = `cards ${cardKeys}`;
  await inSlices(Number(catalog.position(position) ?? 0), (after) => {
    const { cards, next } = cached(after);
    if (next === undefined) return 'end';
    return catalog.inTransaction(() => {
      for (const { card, isDelisted } of cards) {
        catalog.upsert([card], undefined);
        if (isDelisted) catalog.deny(card.id, true);
      }
      catalog.setPosition(position, String(next));
      return next;
    });
  });
}

/** What is wrong with the cache is not wrong with the catalog: nothing is learned from a file that cannot be read. */
function cached(after: number): CachedCards {
  try {
    return cachedCards(dataDir, cardKeys, after);
  } catch (err) {
    if (sqliteCode(err) === BUSY_CODE) throw err; // it can be read later
    logAs('warn')({ err }, 'cached cards cannot be read: each is found by its name once it is looked up again');
    return { cards: [], next: undefined };
  }
}

async function removeWithdrawn(): Promise<void> {
  await inSlices(0, (after) => catalog.removeWithdrawn(after, ROWS_AT_ONCE) ?? 'end');
}

/** @param slice does a little after a row, and gives the row that it came to */
async function inSlices(after: number, slice: (after: number) => number | 'end'): Promise<void> {
  for (let at: number | 'end' = after; at !== 'end' && !isClosing; ) {
    const from: number = at;
    const to: number | 'end' | undefined = attempt(() => slice(from));
    await sleep(to === undefined ? RETRY_MS : PAUSE_MS);
    at = to ?? from;
  }
}

function close(): void {
  isClosing = true;
  clearTimeout(retry);
  retry = undefined;
  catalog.waitAtMost(LAST_WRITE_MS);
  write();
  catalog.close();
  process.exit();
}
