import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { ServiceDown, UnexpectedAnswer } from '../model/errors.ts';
import { Source } from '../model/field-source.ts';
import type { QuotaReading } from '../model/quota.ts';
import type { ServiceDescription, WindowSources } from '../model/service-description.ts';
import { readRateLimits } from './rate-limit-headers.ts';

/** One answer, read to its end. */
export interface ServiceResponse {
  status: number;
  headers: Headers;
  /** Parsed JSON; `undefined` when the body is not JSON, or that of an error is too long. */
  body: unknown;
  sentAtMs: number;
  receivedAtMs: number;
}

export interface RequestOptions {
  fetch?: typeof fetch;
  /** How a key is sent, and what answers state of the day; absent: neither. */
  description?: ServiceDescription | undefined;
  apiKey?: string | undefined;
  /** Further headers. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** For the whole attempt, the body included. */
  timeoutMs: number;
  /** Given the rate-limit headers of every response as soon as they arrive, 429s and errors too, whatever the body. */
  limiter: { observe(reading: QuotaReading): void };
}

export interface RequestDetails {
  /** Ends the request. */
  signal?: AbortSignal | undefined;
  /** Sent as the body of a POST; `undefined`: a GET. */
  json?: object | undefined;
}

interface Departure {
  neverLeft: boolean;
}

/** A card is about 1 kB; a body a thousand times larger is neither one nor a list of some. */
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * One HTTP request. Costs one request of the quota, unless it never leaves.
 *
 * @throws ServiceDown on silence or a broken connection, UnexpectedAnswer on a body over 1 MiB,
 *   and the reason of `signal` when the caller aborted.
 */
export async function request(
  url: URL,
  options: RequestOptions,
  { signal, json }: RequestDetails = {},
): Promise<ServiceResponse> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), options.timeoutMs);
  const departure: Departure = { neverLeft: false };
  try {
    const whenToStop = signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal;
    return await exchange(url, options, departure, { signal: whenToStop, json });
  } catch (error) {
    if (error instanceof UnexpectedAnswer) throw error;
    if (signal?.aborted) throw signal.reason;
    const { neverLeft } = departure;
    if (timeout.signal.aborted)
      throw new ServiceDown({ reason: `no answer within ${options.timeoutMs} ms`, neverLeft });
    throw new ServiceDown({ reason: 'connection failed', neverLeft }, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

async function exchange(
  url: URL,
  { fetch = globalThis.fetch, description, apiKey, headers: more, limiter }: RequestOptions,
  departure: Departure,
  { signal, json }: RequestDetails & { signal: AbortSignal },
): Promise<ServiceResponse> {
  const sentAtMs = Date.now();
  const response = await watchDeparture(departure, () =>
    fetch(url, {
      headers: {
        accept: 'application/json',
        ...more,
        ...(description && keyHeader(description, apiKey)),
        ...(json && { 'content-type': 'application/json' }),
      },
      ...(json && { method: 'POST', body: JSON.stringify(json) }),
      redirect: 'manual', // a redirect could carry the key to another host
      signal,
    }),
  );
  const receivedAtMs = Date.now();
  const { status, headers } = response;
  const isInBody = description?.quota.some(isOfBody);
  const observe = (body?: unknown) => {
    for (const reading of readRateLimits({ headers, body }, description?.quota, sentAtMs, receivedAtMs))
      limiter.observe(reading);
  };
  if (!isInBody) observe();

  // Read even when only the status matters: an unread body keeps its socket.
  const text = await readCapped(response, MAX_BODY_BYTES).catch((error: unknown) => {
    if (status !== 429) throw error;
    return undefined; // a 429 however its body ends: otherwise no pause would follow
  });
  if (text === undefined && response.ok) throw new UnexpectedAnswer({ detail: `a body over ${MAX_BODY_BYTES} bytes` });
  const body = parseJson(text ?? '');
  if (isInBody) observe(body);
  return { status, headers, body, sentAtMs, receivedAtMs };
}

/** The key as the description sends it; none where it is not set. */
export function keyHeader({ key }: ServiceDescription, apiKey: string | undefined): Record<string, string> {
  if (key === false || !apiKey) return {};
  const { header, prefix = header.toLowerCase() === 'authorization' ? 'Bearer ' : '' } = key;
  return { [header]: prefix + apiKey };
}

function isOfBody(window: WindowSources): boolean {
  return Object.values(window).some((source) => source instanceof Source && !source.isOfHeaders);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Reads a body as text, whatever its encoding on the wire.
 *
 * @returns `undefined` when it is longer than `maxBytes` after decompression; the rest is not downloaded
 */
async function readCapped(response: Response, maxBytes: number): Promise<string | undefined> {
  if (response.body === null) return '';

  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return undefined; // leaving the loop cancels the stream
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

// These are channels of undici, which is Node's `fetch`: https://undici.nodejs.org/#/docs/api/DiagnosticsChannel
const CREATED = 'undici:request:create';
const LEAVES = 'undici:client:sendHeaders';

/**
 * Notes of a request that fails whether it left: one whose connection was never made (refused, no such host, no TLS, or
 * aborted before) has cost nothing. A `fetch` that is not Node's publishes no events, and its requests count as having left.
 */
async function watchDeparture<T>(departure: Departure, fetching: () => Promise<T>): Promise<T> {
  let request: unknown;
  let hasLeft = false;
  const onCreated = (message: unknown) => {
    request = requestOf(message);
  };
  const onLeaves = (message: unknown) => {
    hasLeft ||= requestOf(message) === request;
  };
  subscribe(CREATED, onCreated);
  subscribe(LEAVES, onLeaves);
  try {
    const response = fetching();
    unsubscribe(CREATED, onCreated); // undici creates the request before `fetch` returns its promise
    return await response;
  } catch (error) {
    departure.neverLeft = request !== undefined && !hasLeft;
    throw error;
  } finally {
    unsubscribe(LEAVES, onLeaves);
  }
}

function requestOf(message: unknown): unknown {
  return (message as { request: unknown }).request;
}
