import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { ServiceDown, UnexpectedAnswer } from '../model/errors.ts';
import { Source } from '../model/field-source.ts';
import type { QuotaReading } from '../model/quota.ts';
import type { ServiceDescription } from '../model/service-description.ts';
import { type Stating, statedLimits } from './stated.ts';

/** One answer, read to its end. */
export interface ServiceResponse extends Stating {
  status: number;
  /** Parsed JSON; `undefined` when the body is not JSON, or that of an error is too long. */
  body: unknown;
}

export interface RequestOptions {
  fetch?: typeof fetch;
  /** How a key is sent, and where answers state what remains. */
  description: ServiceDescription;
  apiKey?: string | undefined;
  /** Further headers. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** For the whole attempt, the body included. */
  timeoutMs: number;
  /** Given what every response states of windows, 429s and errors too: at once where its headers say it all. */
  limiter: { observe(reading: QuotaReading): void };
}

export interface RequestDetails {
  /** Ends the request. */
  signal?: AbortSignal | undefined;
  /** Sent as the body of a POST; `undefined`: a GET. */
  json?: object | undefined;
}

/** A card is about 1 kB; a body a thousand times larger is neither one nor a list of some. */
const MAX_BODY_BYTES = 1024 * 1024;

/** Sends requests as a description has them. */
export class Requests {
  readonly #options: RequestOptions;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #isStatedInBody: boolean;

  constructor(options: RequestOptions) {
    const { description, apiKey, headers } = options;
    this.#options = options;
    this.#headers = { accept: 'application/json', ...headers, ...keyHeader(description, apiKey) };
    const sources = description.quota.flatMap((window) => Object.values(window));
    this.#isStatedInBody = sources.some((source) => source instanceof Source && !source.isOfHeaders);
  }

  /**
   * Costs one request of the quota, unless it never leaves.
   *
   * @throws ServiceDown on silence or a broken connection, UnexpectedAnswer on a body over 1 MiB, and the reason of
   *   `signal` when the caller aborted.
   */
  async send(url: URL, { signal, json }: RequestDetails = {}): Promise<ServiceResponse> {
    const { timeoutMs, fetch = globalThis.fetch } = this.#options;
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    const departure = new Departure();
    let arrived: ServiceResponse | undefined;
    const init: RequestInit = {
      headers: { ...this.#headers, ...(json && { 'content-type': 'application/json' }) },
      ...(json && { method: 'POST', body: JSON.stringify(json) }),
      redirect: 'manual', // a redirect could carry the key to another host
      signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
    };
    try {
      const sentAtMs = Date.now();
      const response = await departure.watch(() => fetch(url, init));
      const { status, headers, ok } = response;
      arrived = { status, headers, body: undefined, sentAtMs, receivedAtMs: Date.now() };
      this.#observe(arrived, { isWhole: false });
      const text = await textOf(response);
      if (text === undefined && ok) throw new UnexpectedAnswer({ detail: `a body over ${MAX_BODY_BYTES} bytes` });
      arrived.body = parseJson(text);
      return arrived;
    } catch (error) {
      if (error instanceof UnexpectedAnswer) throw error;
      if (signal?.aborted) throw signal.reason;
      const { neverLeft } = departure;
      if (timeout.signal.aborted) throw new ServiceDown({ reason: `no answer within ${timeoutMs} ms`, neverLeft });
      throw new ServiceDown({ reason: 'connection failed', neverLeft }, { cause: error });
    } finally {
      clearTimeout(timer);
      departure.end();
      if (arrived) this.#observe(arrived, { isWhole: true });
    }
  }

  #observe(answer: ServiceResponse, { isWhole }: { isWhole: boolean }): void {
    if (isWhole !== this.#isStatedInBody) return;
    const { description, limiter } = this.#options;
    for (const reading of statedLimits(answer, description.quota)) limiter.observe(reading);
  }
}

/** The address below a base. @param query is added to a path that has no such parameter */
export function endpoint(baseUrl: string, path: string, query?: string): URL {
  const [name = ''] = query?.split('=') ?? [];
  const more = query && !path.includes(`${name}=`) ? `${path.includes('?') ? '&' : '?'}${query}` : '';
  return new URL(baseUrl.replace(/\/+$/, '') + path + more); // as text, since `searchParams` would encode commas
}

/** The key as the description sends it; none where it is not set. */
export function keyHeader({ key }: ServiceDescription, apiKey: string | undefined): Record<string, string> {
  if (key === false || !apiKey) return {};
  const { header, prefix = header.toLowerCase() === 'authorization' ? 'Bearer ' : '' } = key;
  return { [header]: prefix + apiKey };
}

/** Parsed JSON; `undefined` for any other text. */
export function parseJson(text = ''): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * A body as text, whatever its encoding on the wire. It is read even where only the status matters: an unread one keeps
 * its socket.
 *
 * @returns `undefined` when it is longer than `MAX_BODY_BYTES` after decompression: the rest is not downloaded.
 *   Of a 429 whatever has come before it broke: otherwise no pause would follow
 */
async function textOf({ status, body }: Response): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    for await (const chunk of body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > MAX_BODY_BYTES) return undefined; // leaving the loop cancels the stream
      text += decoder.decode(chunk, { stream: true });
    }
  } catch (error) {
    if (status !== 429) throw error;
  }
  return text + decoder.decode();
}

// These are channels of undici, which is Node's `fetch`: https://undici.nodejs.org/#/docs/api/DiagnosticsChannel
const CREATED = 'undici:request:create';
const LEAVES = 'undici:client:sendHeaders';

/**
 * Notes of a request whether it left: one whose connection was never made (refused, no such host, no TLS, or aborted
 * before) has cost nothing. A `fetch` that is not Node's publishes no events, and its requests count as having left.
 */
class Departure {
  #request: unknown;
  #hasLeft = false;

  readonly #onCreated = (message: unknown) => {
    this.#request = (message as { request: unknown }).request;
  };

  readonly #onLeaves = (message: unknown) => {
    this.#hasLeft ||= (message as { request: unknown }).request === this.#request;
  };

  watch<T>(fetching: () => T): T {
    subscribe(CREATED, this.#onCreated);
    subscribe(LEAVES, this.#onLeaves);
    const response = fetching();
    unsubscribe(CREATED, this.#onCreated); // undici creates the request before `fetch` returns its promise
    return response;
  }

  /** Whether a request that has failed never left. */
  get neverLeft(): boolean {
    return this.#request !== undefined && !this.#hasLeft;
  }

  end(): void {
    unsubscribe(LEAVES, this.#onLeaves);
  }
}
