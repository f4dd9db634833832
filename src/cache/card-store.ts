import { createHash } from 'node:crypto';
import { Keyv } from 'keyv';
import { LRUCache } from 'lru-cache';
import { ZodError } from 'zod';
import { Incident, type Logger } from '../log.ts';
import { CardRecord, isFromClockAhead } from '../model/card.ts';
import type { Events } from '../model/events.ts';

export interface CardStoreOptions {
  log: Logger;
  /** Told when the lasting store fails. */
  events?: Events;
  /** The lasting store below the memory: a Keyv storage adapter. */
  store: object;
  memoryBytes: number;
  keepMs: number;
  /** The service and its path template: cards of another are not shared. */
  origin: string;
  /** Before every key, in a store that others use, too. */
  keyPrefix?: string;
}

/**
 * What is known of cards: Keyv twice, memory bounded in bytes over a lasting store. A broken store is a miss and a
 * warning in the log, never a failed command: no method rejects. Freshness is the reader's decision; a record that is
 * past its keeping time is gone.
 */
export class CardStore {
  readonly #options: CardStoreOptions;
  readonly #outage: Incident;
  readonly #prefix: string;
  readonly #memory: Keyv<CardRecord>;
  readonly #lasting: Keyv<CardRecord>;

  constructor(options: CardStoreOptions) {
    const { keyPrefix = '', origin, memoryBytes, store } = options;
    this.#options = options;
    this.#outage = new Incident(options.log, {
      level: 'warn',
      begins: 'card store failed: cards are kept in memory only',
      ends: 'card store works again',
      report: (works) => options.events?.publish('store', { store: 'cards', works }),
    });
    this.#prefix = keyPrefix + keysOf(origin);
    this.#memory = jsonKeyv(new BoundedMemory(memoryBytes));
    this.#lasting = jsonKeyv(store);
  }

  /**
   * @param enough the record in memory is given only if this accepts it; otherwise the lasting store is read, too,
   * where
   *   another process may have written. The best record known, accepted or not.
   */
  async get(id: string, enough: (record: CardRecord) => boolean = () => true): Promise<CardRecord | undefined> {
    const key = this.#prefix + id;
    const remembered = await this.#memory.get(key);
    if (remembered !== undefined && enough(remembered)) return remembered;

    const stored = await this.#read(key);
    const ttlMs = stored && this.#ttlMs(stored);
    if (!ttlMs || (remembered !== undefined && saidAtMs(stored) <= saidAtMs(remembered))) return remembered;
    await this.#memory.set(key, stored, ttlMs);
    return stored;
  }

  async set(id: string, record: CardRecord): Promise<void> {
    const key = this.#prefix + id;
    const ttlMs = this.#ttlMs(record);
    if (ttlMs === undefined) return;
    await this.#memory.set(key, record, ttlMs);
    await this.#lasting.set(key, record, ttlMs).then(
      () => this.#outage.succeeded(),
      (err) => this.#outage.failed({ key, err }),
    );
  }

  async close(): Promise<void> {
    await this.#lasting.disconnect().catch((err) => this.#options.log.warn({ err }, 'card store failed to close'));
  }

  async #read(key: string): Promise<CardRecord | undefined> {
    try {
      const stored = await this.#lasting.get(key);
      return stored === undefined ? undefined : CardRecord.parse(stored);
    } catch (err) {
      const isInvalid = err instanceof SyntaxError || err instanceof ZodError;
      if (isInvalid) this.#options.log.warn({ key, err }, 'invalid row in the card store: it is ignored');
      else this.#outage.failed({ key, err });
      return undefined;
    }
  }

  /** What is left of the keeping time; whole, because stores refuse fractions; `undefined` when nothing is. */
  #ttlMs({ fetchedAtMs }: CardRecord): number | undefined {
    const ttlMs = Math.ceil(fetchedAtMs + this.#options.keepMs - Date.now());
    return ttlMs > 0 ? ttlMs : undefined;
  }
}

/** Raised by each change of the form of a card that is kept. */
export const CARDS_VERSION = 'v1';

/** How the keys of an origin's cards begin, after any `keyPrefix`. */
export function keysOf(origin: string): string {
  return `${CARDS_VERSION}:${createHash('sha256').update(origin).digest('hex').slice(0, 12)}:`;
}

/** When the service last said something about the card; what a clock ahead has dated counts as oldest. */
function saidAtMs({ fetchedAtMs, delistedAtMs = 0 }: CardRecord): number {
  const nowMs = Date.now();
  return Math.max(0, ...[fetchedAtMs, delistedAtMs].filter((atMs) => !isFromClockAhead(atMs, nowMs)));
}

// Keyv's own serializer builds strings that take three times the memory; without `throwOnErrors` a read that failed
// looks like a miss, and is not logged.
function jsonKeyv(store: object): Keyv<CardRecord> {
  const asJson = { serialize: JSON.stringify, deserialize: JSON.parse };
  return new Keyv<CardRecord>({ store, useKeyPrefix: false, throwOnErrors: true, ...asJson });
}

/** V8's string header and the map entry around key and value. */
const ENTRY_OVERHEAD_BYTES = 200;

/**
 * A Keyv store that forgets the least recently used entries beyond a number of bytes: `calculatedSize`, two a
 * character, so never less than what is really held.
 */
export class BoundedMemory extends LRUCache<string, string> {
  constructor(maxBytes: number) {
    super({
      maxSize: maxBytes,
      sizeCalculation: (value, key) => 2 * (key.length + value.length) + ENTRY_OVERHEAD_BYTES,
    });
  }

  /** Expiry is Keyv's own, inside the value: with the time to live that Keyv adds, LRUCache loses every write. */
  override set(key: string, value: string): this {
    return super.set(key, value);
  }
}
