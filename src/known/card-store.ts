import { hash } from 'node:crypto';
import { Keyv } from 'keyv';
import { LRUCache } from 'lru-cache';
import { ZodError } from 'zod';
import { Incident, type Logger } from '../log.ts';
import { CARDS_VERSION, CardRecord, isFromClockAhead } from '../model/card.ts';
import type { Events } from '../model/events.ts';

export interface CardStoreOptions {
  log: Logger;
  /** Told when the lasting store fails. */
  events?: Events;
  /** The lasting store below the memory: a Keyv storage adapter. */
  store: object;
  memoryBytes: number;
  keepMs: number;
  /** Before the id of every card: those of another service are not shared. */
  keyPrefix: string;
}

/** Never less than what a string really holds. */
const BYTES_PER_CHARACTER = 2;
/** V8's string header and the map entry around key and value. */
const ENTRY_OVERHEAD_BYTES = 200;

/**
 * What is known of cards: memory bounded in bytes over a lasting store. A broken store is a miss and a warning in the
 * log, never a failed command: no method rejects. Freshness is the reader's decision; a record that is past its keeping
 * time is gone.
 */
export class CardStore {
  readonly #options: CardStoreOptions;
  readonly #outage: Incident;
  readonly #memory: LRUCache<string, string>;
  readonly #lasting: Keyv<CardRecord>;

  constructor(options: CardStoreOptions) {
    const { memoryBytes, store } = options;
    this.#options = options;
    this.#outage = new Incident(options.log, {
      level: 'warn',
      begins: 'card store failed: cards are kept in memory only',
      ends: 'card store works again',
      report: (works) => options.events?.publish('store', { store: 'cards', works }),
    });
    this.#memory = new LRUCache({
      maxSize: memoryBytes,
      sizeCalculation: (json, id) => BYTES_PER_CHARACTER * (id.length + json.length) + ENTRY_OVERHEAD_BYTES,
    });
    // Without `throwOnErrors` a read that failed looks like a miss, and is not logged.
    const asJson = { serialize: JSON.stringify, deserialize: JSON.parse };
    this.#lasting = new Keyv<CardRecord>({ store, useKeyPrefix: false, throwOnErrors: true, ...asJson });
  }

  /** What this process remembers of a card: another may have written since, or it may be in the lasting store alone. */
  remembered(id: string): CardRecord | undefined {
    const json = this.#memory.get(id);
    const record: CardRecord | undefined = json && JSON.parse(json);
    return record && this.#leftMs(record) > 0 ? record : undefined;
  }

  /** The newest that is kept of a card, by whichever process. */
  async newest(id: string): Promise<CardRecord | undefined> {
    const stored = await this.#stored(this.#options.keyPrefix + id);
    const remembered = this.remembered(id);
    if (!stored || this.#leftMs(stored) <= 0) return remembered;
    const nowMs = Date.now();
    if (remembered && saidAtMs(stored, nowMs) <= saidAtMs(remembered, nowMs)) return remembered;
    this.#memory.set(id, JSON.stringify(stored));
    return stored;
  }

  async set(id: string, record: CardRecord): Promise<void> {
    const key = this.#options.keyPrefix + id;
    const ttlMs = this.#leftMs(record);
    if (ttlMs <= 0) return;
    this.#memory.set(id, JSON.stringify(record));
    await this.#lasting.set(key, record, ttlMs).then(
      () => this.#outage.succeeded(),
      (err) => this.#outage.failed({ key, err }),
    );
  }

  async #stored(key: string): Promise<CardRecord | undefined> {
    try {
      const stored = await this.#lasting.get(key);
      return stored && CardRecord.parse(stored);
    } catch (err) {
      const isInvalid = err instanceof SyntaxError || err instanceof ZodError;
      if (isInvalid) this.#options.log.warn({ key, err }, 'invalid row in the card store: it is ignored');
      else this.#outage.failed({ key, err });
      return undefined;
    }
  }

  /** What is left of the keeping time; whole, because stores refuse fractions. */
  #leftMs({ fetchedAtMs }: CardRecord): number {
    return Math.ceil(fetchedAtMs + this.#options.keepMs - Date.now());
  }
}

/** When the service last said something about the card; what a clock ahead has dated counts as oldest. */
export function saidAtMs({ fetchedAtMs, delistedAtMs = fetchedAtMs }: CardRecord, nowMs: number): number {
  return isFromClockAhead(delistedAtMs, nowMs) ? 0 : delistedAtMs;
}

/** How the keys of a service's cards begin, after any prefix. @param origin its address and its path template */
export function keysOf(origin: string): string {
  return `${CARDS_VERSION}:${hash('sha256', origin).slice(0, 12)}:`;
}
