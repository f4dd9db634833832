import { subscribe, unsubscribe } from 'node:diagnostics_channel';

// Of undici, which is Node's `fetch`: https://undici.nodejs.org/#/docs/api/DiagnosticsChannel
const CREATED = 'undici:request:create';
const LEAVES = 'undici:client:sendHeaders';

/**
 * Watches whether a request leaves: one whose connection was never made (refused, no such host, no TLS, or given up
 * before) has reached nobody. A `fetch` that is not Node's says nothing of that, and counts as having left.
 */
export class Departure {
  #request: unknown;
  #left = false;
  readonly #created = (message: unknown) => {
    this.#request = requestOf(message);
  };
  readonly #leaves = (message: unknown) => {
    if (requestOf(message) === this.#request) this.#left = true;
  };

  /** undici makes the request before `fetch` returns its promise. */
  watch<T>(fetching: () => Promise<T>): Promise<T> {
    subscribe(CREATED, this.#created);
    subscribe(LEAVES, this.#leaves);
    try {
      return fetching();
    } finally {
      unsubscribe(CREATED, this.#created);
    }
  }

  get neverLeft(): boolean {
    return this.#request !== undefined && !this.#left;
  }

  close(): void {
    unsubscribe(LEAVES, this.#leaves);
  }
}

function requestOf(message: unknown): unknown {
  return (message as { request: unknown }).request;
}
