import { parentPort, workerData } from 'node:worker_threads';
import { resolveList, searchInList } from '../../../catalog/list.ts';
import { mentions } from '../../../catalog/mentions.ts';
import { resolve } from '../../../catalog/resolution.ts';
import { printings, search } from '../../../catalog/search.ts';
import type { Question } from '../../../catalog/search-queue.ts';
import type { Logger } from '../../../log.ts';
import { CatalogChanges } from './changes.ts';
import { CatalogFile } from './file.ts';
import type { CatalogWorkerData, FromWorker, ToWorker } from './messages.ts';
import { CatalogUpkeep } from './upkeep.ts';

const ANSWERS = { search, searchInList, resolve, resolveList, printings, mentions } as const;

const { dataDir, keepsMembers, cardKeys, sharedName } = workerData as CatalogWorkerData;
const post = (message: FromWorker) => parentPort?.postMessage(message);
const logAs = (level: 'info' | 'warn' | 'error') => (fields: object, message: string) =>
  post({ kind: 'log', level, fields, message });
const log = { info: logAs('info'), warn: logAs('warn'), error: logAs('error') } as unknown as Logger;

const file = new CatalogFile({
  dataDir,
  log,
  onSucceeded: () => post({ kind: 'succeeded' }),
  onFailed: (err) => post({ kind: 'failed', err }),
  onReplaced: () => {
    postReached();
    void upkeep.learnFromCache();
  },
});
const changes = new CatalogChanges({
  file,
  keepsMembers,
  sharedName,
  onNews: (change) => post({ kind: 'news', change }),
  onReached: (cursor) => post({ kind: 'reached', cursor }),
  onWithdrawn: (source) =>
    log.warn(
      { source },
      'the card service knows none of the cards that were looked up from an import: its cards are no longer offered',
    ),
  onOfferedAgain: (source) =>
    log.info({ source }, 'the card service knows a card of an import after all: its cards are offered again'),
});
const upkeep = new CatalogUpkeep({ file, dataDir, cardKeys, keepsMembers, log });

parentPort?.on('message', (message: ToWorker) => {
  if (message.kind === 'close') close();
  else if (message.kind === 'changes') changes.take(message.changes);
  else post({ kind: 'answer', answer: answer(message) });
});
post({ kind: 'opened' });
postReached();
void upkeep.run();

function answer({ kind, text, who }: Question): unknown {
  return file.attempt(({ index }) => ANSWERS[kind](index, text, who));
}

/** How far the catalog has what other processes have learned. */
function postReached(): void {
  file.attempt(({ positions }) => post({ kind: 'reached', cursor: positions.get(sharedName) ?? '' }));
}

function close(): void {
  file.close(() => changes.end());
  process.exit();
}
