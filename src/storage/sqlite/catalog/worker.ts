import { parentPort, workerData } from 'node:worker_threads';
import { resolveList, searchInList } from '../../../catalog/list.ts';
import { resolveLines } from '../../../catalog/list-lines.ts';
import { mentions } from '../../../catalog/mentions.ts';
import { printings } from '../../../catalog/printings.ts';
import { resolve } from '../../../catalog/resolution.ts';
import { search } from '../../../catalog/search.ts';
import type { Question } from '../../../catalog/search-queue.ts';
import type { Logger } from '../../../log.ts';
import { deleteFilesAside } from '../file.ts';
import { type CatalogChange, CatalogChanges } from './changes.ts';
import { CatalogFile } from './file.ts';
import { learnFromCache } from './upkeep.ts';

/** What the worker is started with. */
export interface CatalogWorkerData {
  dataDir: string;
  /** Where `cards.sqlite` is, if not beside it. */
  cardsDir?: string | undefined;
  /** Whether what a member asked for may be kept. */
  keepsMembers: boolean;
  /** How the keys of this service's cards begin in `cards.sqlite`. */
  cardKeys: string;
}

/** One question at a time, after the worker has opened the file. */
export type ToWorker = Question | { kind: 'changes'; changes: readonly CatalogChange[] } | { kind: 'close' };

export type FromWorker =
  | { kind: 'log'; level: 'info' | 'warn' | 'error'; fields: object; message: string }
  /** The file is open: no change is lost from here on. */
  | { kind: 'opened' }
  /** `undefined`: the question failed. */
  | { kind: 'answer'; answer: unknown }
  | { kind: 'failed'; err: unknown }
  | { kind: 'succeeded' };

const ANSWERS = { search, searchInList, resolve, resolveList, printings, mentions } as const;

const SWEEP_EVERY_MS = 3_600_000;

/** What it needs of the thread that it is in. */
export interface CatalogThread {
  post(message: FromWorker): void;
  onMessages(listener: (messages: readonly ToWorker[]) => void): void;
  exit(): void;
}

/** Answers for one data directory until it is told to close. */
export function serveCatalog(
  { dataDir, cardsDir = dataDir, keepsMembers, cardKeys }: CatalogWorkerData,
  thread: CatalogThread,
): void {
  const { post } = thread;
  const logAs = (level: 'info' | 'warn' | 'error') => (fields: object, message: string) =>
    post({ kind: 'log', level, fields, message });
  const log = { info: logAs('info'), warn: logAs('warn'), error: logAs('error') } as unknown as Logger;

  /** What the other thread was told last; it hears of changes alone. */
  let worksAsTold = false;

  const file = new CatalogFile({
    dataDir,
    log,
    onSucceeded() {
      if (!worksAsTold) post({ kind: 'succeeded' });
      worksAsTold = true;
    },
    onFailed(err) {
      post({ kind: 'failed', err });
      worksAsTold = false;
    },
    onReplaced: () => void learnFromCache(file, { cardsDir, cardKeys, log }),
  });
  const changes = new CatalogChanges({ file, keepsMembers, log });

  thread.onMessages((messages) => {
    for (const message of messages) {
      if (message.kind === 'close') close();
      else if (message.kind === 'changes') changes.take(message.changes);
      else post({ kind: 'answer', answer: answer(message) });
    }
  });
  post({ kind: 'opened' });
  void learnFromCache(file, { cardsDir, cardKeys, log }).then(sweepHourly);

  function answer({ kind, text, who, part, lines = [] }: Question): unknown {
    if (kind === 'resolveLines') return file.attempt(({ index }) => resolveLines(index, lines));
    return file.attempt(({ index }) => ANSWERS[kind](index, text, who, part));
  }

  function sweepHourly(): void {
    file.attempt((catalog) => catalog.asked.sweep(Date.now(), keepsMembers));
    deleteFilesAside(cardsDir, Date.now());
    setTimeout(sweepHourly, SWEEP_EVERY_MS);
  }

  function close(): void {
    file.close(() => changes.end());
    thread.exit();
  }
}

const port = parentPort;
if (port)
  serveCatalog(workerData as CatalogWorkerData, {
    post: (message) => port.postMessage(message),
    onMessages: (listener) => void port.on('message', listener),
    exit: () => process.exit(),
  });
