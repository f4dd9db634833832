/** One REST request to the emulated Discord. */
export interface SeenRestRequest {
  atMs: number;
  /** When its head arrived, on the clock of `performance.now()`. */
  arrivedAtMs: number;
  method: string;
  /** Path and query; an interaction's token is replaced by `[token]`. */
  path: string;
  /** 0 = the connection broke before an answer. */
  status: number;
}

const KEPT = 1_000;

/** The last requests, oldest first. */
export class RequestLog {
  readonly seen: SeenRestRequest[] = [];
  readonly #listeners = new Set<(request: SeenRestRequest) => void>();

  add(request: SeenRestRequest): void {
    const redacted = { ...request, path: withoutToken(request.path) };
    this.seen.push(redacted);
    if (this.seen.length > KEPT) this.seen.shift();
    for (const listener of this.#listeners) listener(redacted);
  }

  onRequest(listener: (request: SeenRestRequest) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

function withoutToken(path: string): string {
  return path.replace(/\/(interactions|webhooks)\/(\w+)\/[^/?]+/, '/$1/$2/[token]');
}
