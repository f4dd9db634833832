import { LRUCache } from 'lru-cache';

/** V8's string header and the map entry around key and value. */
const ENTRY_OVERHEAD_BYTES = 200;

/**
 * A Keyv store that forgets the least recently used entries beyond a number of bytes. Expiry is Keyv's own, inside
 * the value: an LRUCache handed to Keyv directly loses every write that carries a time to live.
 */
export class BoundedMemory {
  readonly #entries: LRUCache<string, string>;

  constructor(maxBytes: number) {
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (value, key) => 2 * (key.length + value.length) + ENTRY_OVERHEAD_BYTES,
    });
  }

  get(key: string): string | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: string): void {
    this.#entries.set(key, value);
  }

  delete(key: string): boolean {
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** As counted: two bytes a character, so never less than what is really held. */
  get bytes(): number {
    return this.#entries.calculatedSize;
  }
}
