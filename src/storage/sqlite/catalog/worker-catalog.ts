import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Catalog } from '../../../catalog/catalog.ts';
import { meaningOfList } from '../../../catalog/list.ts';
import { linesUnsearched } from '../../../catalog/list-lines.ts';
import { unsearched } from '../../../catalog/resolution.ts';
import { type Question, SearchQueue } from '../../../catalog/search-queue.ts';
import { Incident, type Logger } from '../../../log.ts';
import type { Card } from '../../../model/card.ts';
import type { EventsByName } from '../../../model/events.ts';
import { backOffMs } from '../../../time/back-off.ts';
import { withTimeout } from '../../../time/timers.ts';
import type { CatalogChange } from './changes.ts';
import type { CatalogWorkerData, FromWorker, ToWorker } from './worker.ts';

export interface WorkerCatalogOptions extends CatalogWorkerData {
  log: Logger;
}

/**
 * The worker takes 50 MB, and begins with the first question; after this, so that a first search rarely waits for it.
 * What is learned until then waits in memory.
 */
const START_AFTER_MS = 30_000;
/** A message to another thread costs 0.1 ms and more, which a command would wait for: several changes go in one. */
const GATHER_MS = 50;
/** Changes that are kept while there is no worker that has opened the file. The oldest are dropped. */
const MOST_UNSENT = 1_000;
/** A card that is known is shown without a word of its other printings rather than later. */
const PRINTINGS_MS = 1_000;
/** A long list is resolved behind a reply that says "thinking…", a few lines at a time so that nobody waits for it. */
const LINES_MS = 30_000;
const LINES_AT_ONCE = 10;
const CLOSE_MS = 650;
const TERMINATE_MS = 50;
/** A lock on the file, or a full disk, may be gone at any moment. */
const RESTART = { firstMs: 1_000, longestMs: 5_000 };

/**
 * The catalog in a worker thread, because SQLite in Node is synchronous. Neither start nor end of the process waits for
 * it.
 */
export class WorkerCatalog implements Catalog {
  readonly #options: WorkerCatalogOptions;
  readonly #outage: Incident;
  readonly #queue = new SearchQueue((question) => this.#send(question));
  /** What the worker is still to be told. */
  readonly #unsent: CatalogChange[] = [];
  #gathering: NodeJS.Timeout | undefined;
  #worker: Worker | undefined;
  /** The worker has opened the file: one that cannot would lose what it is sent. */
  #isOpen = false;
  #start: NodeJS.Timeout | undefined;
  /** Since a worker has opened the file. */
  #failures = 0;
  #isClosed = false;

  constructor(options: WorkerCatalogOptions) {
    this.#options = options;
    this.#outage = new Incident(options.log, {
      level: 'warn',
      begins: 'catalog failed: suggestions may be empty until it works again',
      ends: 'catalog works again',
    });
    this.#startIn(START_AFTER_MS);
  }

  readonly search: Catalog['search'] = async (text, who, deadlineMs) =>
    (await this.#ask('search', { text, who }, deadlineMs)) ?? [];

  readonly searchInList: Catalog['searchInList'] = async (text, who, deadlineMs) =>
    (await this.#ask('searchInList', { text, who }, deadlineMs)) ?? [];

  readonly resolve: Catalog['resolve'] = async (text, who) =>
    this.#isEmpty() ? { kind: 'id' } : ((await this.#ask('resolve', { text, who })) ?? unsearched(text));

  readonly resolveList: Catalog['resolveList'] = async (text, who) => {
    if (this.#isEmpty()) return meaningOfList(text, () => ({ kind: 'id' }));
    return (await this.#ask('resolveList', { text, who })) ?? meaningOfList(text, unsearched);
  };

  readonly resolveLines: Catalog['resolveLines'] = async (lines, who) => {
    if (lines.length === 0) return [];
    const [first, rest] = [lines.slice(0, LINES_AT_ONCE), lines.slice(LINES_AT_ONCE)];
    const question = { text: '', who, lines: first };
    const isUnsearched = !this.#isEmpty() && { isUnsearched: true as const };
    const meant =
      (await this.#ask('resolveLines', question, Date.now() + LINES_MS)) ??
      linesUnsearched(first).map((each) => ({ ...each, ...isUnsearched }));
    return [...meant, ...(await this.resolveLines(rest, who))];
  };

  readonly printings: Catalog['printings'] = async (id, part, who) => {
    if (this.#isEmpty()) return { cards: [], page: 0, total: 0 };
    return this.#ask('printings', { text: id, who, part }, Date.now() + PRINTINGS_MS);
  };

  readonly mentions: Catalog['mentions'] = async (text, who) =>
    this.#isEmpty() ? { ids: [], ambiguous: [] } : this.#ask('mentions', { text, who });

  learn(card: Card): void {
    this.#tell({ kind: 'answered', card });
  }

  deny(id: string, isKept: boolean): void {
    this.#tell({ kind: 'denied', id, isKept });
  }

  readonly shown = ({ cardIds, isPrivate, ...who }: EventsByName['shown']): void => {
    for (const id of cardIds) this.#tell({ kind: 'asked', id, who, isPrivate, atMs: Date.now() });
  };

  /** Does not wait for a native call that is under way, such as one that waits for a locked file. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#start);
    this.#queue.abandon();
    const worker = this.#worker;
    if (worker) {
      const ended = new Promise((resolve) => worker.once('exit', () => resolve(true)));
      worker.ref();
      this.#send({ kind: 'close' });
      if (!(await withTimeout(CLOSE_MS, ended))) await withTimeout(TERMINATE_MS, worker.terminate());
      worker.unref();
    } else if (this.#unsent.length > 0 && this.#failures === 0) {
      const { writeLastChanges } = await import('./last-changes.ts');
      const onFailed = (err: unknown) => this.#outage.failed({ err });
      writeLastChanges(this.#unsent.splice(0), { ...this.#options, onFailed });
    }
  }

  #workerData(): CatalogWorkerData {
    const { dataDir, cardsDir, keepsMembers, cardKeys } = this.#options;
    return { dataDir, cardsDir, keepsMembers, cardKeys };
  }

  async #ask<K extends Question['kind']>(kind: K, question: Omit<Question, 'kind'>, deadlineMs?: number) {
    if (this.#isClosed || this.#isEmpty()) return undefined;
    if (!this.#worker && this.#failures === 0) this.#startNow();
    return this.#worker && this.#queue.ask<Awaited<ReturnType<Catalog[K]>>>({ ...question, kind }, deadlineMs);
  }

  /**
   * On the very first start, before anything is learned: a member's first lookup need not wait for a worker to say so.
   */
  #isEmpty(): boolean {
    if (this.#worker || this.#failures > 0 || this.#unsent.length > 0) return false;
    return !existsSync(join(this.#options.dataDir, 'catalog.sqlite'));
  }

  #tell(change: CatalogChange): void {
    if (this.#unsent.length >= MOST_UNSENT) this.#unsent.shift();
    this.#unsent.push(change);
    if (this.#isOpen) this.#gathering ??= setTimeout(() => this.#send(), GATHER_MS).unref(); // the end sends it, too
  }

  /** Sends the changes before anything else, which may depend on them. */
  #send(...messages: ToWorker[]): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    const changes = this.#unsent.splice(0);
    if (changes.length > 0) messages.unshift({ kind: 'changes', changes });
    if (messages.length > 0) this.#worker?.postMessage(messages);
  }

  #startIn(delayMs: number): void {
    clearTimeout(this.#start);
    this.#start = setTimeout(() => this.#startNow(), delayMs).unref();
  }

  #startNow(): void {
    clearTimeout(this.#start);
    if (this.#worker || this.#isClosed) return;
    try {
      this.#worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: this.#workerData() });
    } catch (err) {
      this.#outage.failed({ err }); // the process may have no further thread
      this.#ended();
      return;
    }
    this.#worker.on('message', (message: FromWorker) => this.#received(message));
    this.#worker.on('error', (err) => this.#outage.failed({ err }));
    this.#worker.on('exit', () => this.#ended());
    this.#worker.unref();
  }

  #received(message: FromWorker): void {
    if (message.kind === 'answer') this.#queue.freed(message.answer);
    else if (message.kind === 'log') this.#options.log[message.level](message.fields, message.message);
    else if (message.kind === 'opened') this.#opened();
    else if (message.kind === 'failed') this.#outage.failed({ err: message.err });
    else this.#outage.succeeded();
  }

  #opened(): void {
    this.#isOpen = true;
    this.#failures = 0;
    this.#send();
    this.#queue.freed();
  }

  #ended(): void {
    this.#worker = undefined;
    this.#isOpen = false;
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#queue.abandon();
    if (this.#isClosed) return;
    this.#startIn(backOffMs(++this.#failures, RESTART));
  }
}
