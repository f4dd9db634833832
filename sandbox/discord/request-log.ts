import { Listeners } from '../listeners.ts';

/** One REST request to the emulated Discord. */
export interface SeenRestRequest {
  atMs: number;
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
  readonly #requests = new Listeners<SeenRestRequest>();
  readonly onRequest = this.#requests.add;

  add(request: SeenRestRequest): void {
    const redacted = { ...request, path: withoutToken(request.path) };
    this.seen.push(redacted);
    if (this.seen.length > KEPT) this.seen.shift();
    this.#requests.tell(redacted);
  }
}

function withoutToken(path: string): string {
  return path.replace(/\/(interactions|webhooks)\/(\w+)\/[^/?]+/, '/$1/$2/[token]');
}
