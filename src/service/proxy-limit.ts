import type { Logger } from '../log.ts';
import type { ServiceResponse } from './request.ts';

/** With what proxies refuse by default where they limit requests: nginx with 503, HAProxy with 403, mod_qos with 500. */
const REFUSALS: readonly number[] = [403, 500, 503];
/** Such an answer that is not the service's own: that one's errors are JSON. */
export function isOfProxy({ status, body }: Pick<ServiceResponse, 'status' | 'body'>): boolean {
  return REFUSALS.includes(status) && body === undefined;
}

/** A proxy refuses by itself, so at once. */
const PROMPT_MS = 1_000;
const SERIES_MS = 10_000;
const ENOUGH_REFUSED = 3;

/** Requests that left soon after one that was answered. */
export interface Series {
  /** When that one left. */
  beganMs: number;
  requests: number;
  /** Addresses that were refused. */
  refused: readonly string[];
}

/** What one answer showed. */
export interface Seen {
  address: string;
  leftAtMs: number;
  isRefused: boolean;
}

export function seriesAfter(series: Series | undefined, { address, leftAtMs, isRefused }: Seen): Series | undefined {
  const isOver = !series || leftAtMs - series.beganMs > SERIES_MS;
  if (isRefused && isOver) return undefined;
  if (isOver || (!isRefused && series.refused.length === 0)) return { beganMs: leftAtMs, requests: 1, refused: [] };
  const refused = isRefused && !series.refused.includes(address) ? [...series.refused, address] : series.refused;
  return { ...series, requests: series.requests + 1, refused };
}

/** Different cards were refused, right after an answer, at more than the plan's rate: as by a limiter. */
export function looksLimited({ beganMs, requests, refused }: Series, nowMs: number, intervalMs: number): boolean {
  return refused.length >= ENOUGH_REFUSED && (requests - 1) * intervalMs > nowMs - beganMs;
}

export const PROXY_LIMIT =
  'a proxy in front of the card service may be limiting requests, and looks like an outage: set `limit_req_status 429` (nginx), `deny_status 429` (HAProxy) or `QS_ErrorResponseCode 429` (mod_qos) there';

/** Says once in the log that a proxy may be refusing requests in a way that cannot be told from an outage. Changes nothing else. */
export class ProxyLimit {
  readonly #intervalMs: () => number;
  readonly #log: Logger;
  #series: Series | undefined;
  #isSaid = false;

  /** @param intervalMs between two requests by the plan */
  constructor(intervalMs: () => number, log: Logger) {
    this.#intervalMs = intervalMs;
    this.#log = log;
  }

  readonly seen = ({ href: address }: URL, response: ServiceResponse): void => {
    const { status, sentAtMs: leftAtMs, receivedAtMs } = response;
    if (this.#isSaid || receivedAtMs - leftAtMs > PROMPT_MS) return;
    const isRefused = isOfProxy(response);
    this.#series = seriesAfter(this.#series, { address, leftAtMs, isRefused });
    if (!this.#series || !looksLimited(this.#series, receivedAtMs, this.#intervalMs())) return;
    this.#isSaid = true;
    this.#log.warn({ status }, PROXY_LIMIT);
  };
}
