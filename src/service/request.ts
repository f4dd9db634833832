import { ServiceDown, UnexpectedAnswer } from '../model/errors.ts';
import { readCapped } from './capped-body.ts';
import { Departure } from './departure.ts';

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
  fetch: typeof fetch;
  apiKey: string | undefined;
  /** For the whole attempt, the body included. */
  timeoutMs: number;
  /** The headers of every response, as soon as they are there, whatever becomes of the body. */
  onHeaders: (headers: Headers, sentAtMs: number, receivedAtMs: number) => void;
}

/** A card is about 1 kB; a body a thousand times larger is not one. */
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * One HTTP GET. Costs one request of the quota, unless it never leaves.
 *
 * @throws ServiceDown on silence or a broken connection, UnexpectedAnswer on an endless body,
 *   and the reason of `signal` when the caller gave up.
 */
export async function request(url: URL, options: RequestOptions, signal?: AbortSignal): Promise<ServiceResponse> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), options.timeoutMs);
  const departure = new Departure();
  try {
    const whenToStop = signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal;
    return await exchange(url, options, departure, whenToStop);
  } catch (error) {
    if (error instanceof UnexpectedAnswer) throw error;
    if (signal?.aborted) throw signal.reason;
    const { neverLeft } = departure;
    if (timeout.signal.aborted) throw new ServiceDown(`no answer within ${options.timeoutMs} ms`, { neverLeft });
    throw new ServiceDown('connection failed', { cause: error, neverLeft });
  } finally {
    departure.close();
    clearTimeout(timer);
  }
}

async function exchange(
  url: URL,
  options: RequestOptions,
  departure: Departure,
  signal: AbortSignal,
): Promise<ServiceResponse> {
  const sentAtMs = Date.now();
  const response = await departure.watch(() =>
    options.fetch(url, {
      headers: { accept: 'application/json', ...(options.apiKey && { authorization: `Bearer ${options.apiKey}` }) },
      redirect: 'manual', // a redirect could carry the key to another host
      signal,
    }),
  );
  const receivedAtMs = Date.now();
  options.onHeaders(response.headers, sentAtMs, receivedAtMs);

  const { status, headers } = response;
  // Read even when only the status matters: an unread body keeps its socket.
  const text = await readCapped(response, MAX_BODY_BYTES).catch((error: unknown) => {
    if (status !== 429) throw error;
    return undefined; // it counts as a 429 however its body ends: else nobody would pause
  });
  if (text === undefined && response.ok) throw new UnexpectedAnswer(`a body over ${MAX_BODY_BYTES} bytes`);
  return { status, headers, body: parseJson(text ?? ''), sentAtMs, receivedAtMs };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
