import { createHash } from 'node:crypto';
import { Keyv } from 'keyv';
import type { Logger } from '../log.ts';
import { Incident } from '../log.ts';
import type { CardRecord } from '../model/card.ts';
import { BoundedMemory } from './bounded-memory.ts';
import type { CardStore } from './card-store.ts';
import { StoredAnswer } from './stored-answer.ts';

/** A Keyv storage adapter that can also be looked through. */
export interface LastingStore {
  /** All that begin so, in no order. */
  keys(prefix: string): AsyncIterable<string>;
}

export interface KeyvCardStoreOptions {
  log: Logger;
  /** The lasting store below the memory. */
  store: LastingStore;
  memoryBytes: number;
  keepMs: number;
  /** What the ids belong to: another service or path template shares no card with this one. */
  origin: string;
  /** Before every key, for a store that others use, too. */
  keyPrefix?: string;
}

/** A read costs some 20 µs in a file, and a round trip in Redis. */
const MOST_LOOKED_THROUGH = 1_000;

/** Keyv twice: memory bounded in bytes over a lasting store. */
export class KeyvCardStore implements CardStore {
  readonly #log: Logger;
  readonly #trouble: Incident;
  readonly #keepMs: number;
  readonly #prefix: string;
  readonly #memory: Keyv<CardRecord>;
  readonly #store: LastingStore;
  readonly #lasting: Keyv<CardRecord>;
  #hasHeldCard = false;

  constructor({ log, store, memoryBytes, keepMs, origin, keyPrefix = '' }: KeyvCardStoreOptions) {
    this.#log = log;
    this.#trouble = new Incident(log, {
      level: 'warn',
      begins: 'card store failed: cards are remembered in memory alone',
      ends: 'card store works again',
    });
    this.#keepMs = keepMs;
    this.#prefix = `${keyPrefix}v1:${createHash('sha256').update(origin).digest('hex').slice(0, 12)}:`;
    this.#memory = jsonKeyv(new BoundedMemory(memoryBytes));
    this.#store = store;
    this.#lasting = jsonKeyv(store);
    this.#lasting.on('error', (err) => this.#trouble.failed({ err })); // writes and connections
  }

  async get(id: string, enough: (answer: CardRecord) => boolean = () => true): Promise<CardRecord | undefined> {
    const key = this.#prefix + id;
    const remembered = await this.#memory.get(key);
    if (remembered !== undefined && enough(remembered)) return remembered;

    const answer = await this.#read(key);
    const ttlMs = answer && this.#ttlMs(answer);
    if (!answer || !ttlMs) return remembered;
    if (remembered !== undefined && saidAtMs(answer) <= saidAtMs(remembered)) return remembered;
    await this.#memory.set(key, answer, ttlMs);
    return answer;
  }

  async set(id: string, answer: CardRecord): Promise<void> {
    const key = this.#prefix + id;
    const ttlMs = this.#ttlMs(answer);
    if (ttlMs === undefined) return;
    this.#hasHeldCard ||= answer.card !== undefined;
    await this.#memory.set(key, answer, ttlMs);
    // A failure has been heard by the listener.
    await this.#lasting.set(key, answer, ttlMs).then(
      () => this.#trouble.succeeded(),
      () => {},
    );
  }

  async holdsCards(): Promise<boolean | undefined> {
    if (this.#hasHeldCard) return true;
    try {
      let looked = 0;
      for await (const key of this.#store.keys(this.#prefix)) {
        if ((await this.#read(key))?.card) return true;
        if (++looked === MOST_LOOKED_THROUGH) return undefined;
      }
      return false;
    } catch (err) {
      this.#log.warn({ err }, 'card store failed to read');
      return undefined;
    }
  }

  async close(): Promise<void> {
    await this.#lasting.disconnect().catch((err) => this.#log.warn({ err }, 'card store failed to close'));
  }

  async #read(key: string): Promise<CardRecord | undefined> {
    try {
      const stored = await this.#lasting.get(key);
      if (stored === undefined) return undefined;
      const read = StoredAnswer.safeParse(stored);
      if (read.success) return read.data;
      this.#log.warn({ key, err: read.error }, 'card store holds a row that does not fit');
    } catch (err) {
      if (err instanceof SyntaxError) this.#log.warn({ key, err }, 'card store holds a row that does not fit');
      else this.#trouble.failed({ key, err });
    }
    return undefined;
  }

  /** What is left of the keeping time; whole, because stores refuse fractions; `undefined` when nothing is. */
  #ttlMs({ fetchedAtMs }: CardRecord): number | undefined {
    const ttlMs = Math.ceil(fetchedAtMs + this.#keepMs - Date.now());
    return ttlMs > 0 ? ttlMs : undefined;
  }
}

/** When the service last said something about it. */
function saidAtMs({ fetchedAtMs, delistedAtMs = 0 }: CardRecord): number {
  return Math.max(fetchedAtMs, delistedAtMs);
}

// Keyv's own serializer builds strings that take three times the memory; without `throwOnErrors` a read that failed
// looks like a miss, and nobody hears of it.
function jsonKeyv(store: object): Keyv<CardRecord> {
  const asJson = { serialize: JSON.stringify, deserialize: JSON.parse };
  return new Keyv<CardRecord>({ store, useKeyPrefix: false, throwOnErrors: true, ...asJson });
}
