import { type AnswerRequest, keyIn, type ServiceOutcome } from './service-answers.ts';

/** Statuses whose responses have no body (Fetch standard, "null body status"). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 204, 205, 304]);

const RESET = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

/** `fetch` for an embedded service: the same requests, answers and failures, without a socket. */
export function fetchFrom(answer: AnswerRequest): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    // Not that of the copy, which may be collected before it hears of an abort.
    const signal = init?.signal ?? (input instanceof Request ? input : request).signal;
    signal.throwIfAborted();
    const { pathname, search } = new URL(request.url);
    const authorization = keyIn(request.headers.get('authorization'), request.headers.get('x-api-key'));
    const { method } = request;
    const body = method === 'POST' ? await request.text() : '';
    const outcome = await answer({ method, path: pathname + search, authorization, body }, signal);
    signal.throwIfAborted();

    if (outcome.fault === 'reset') throw new TypeError('fetch failed', { cause: RESET });
    if (outcome.fault === 'hang') await aborted(signal);
    if (isRedirect(outcome) && request.redirect !== 'manual') {
      throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') });
    }
    return toResponse(outcome, signal);
  };
}

function isRedirect({ status, headers }: ServiceOutcome): boolean {
  return status >= 300 && status < 400 && status !== 304 && headers.location !== undefined;
}

function toResponse({ status, headers, body, fault }: ServiceOutcome, signal: AbortSignal): Response {
  if (WITHOUT_BODY.has(status)) return new Response(null, { status, headers });
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body);
  if (fault === 'stall') return new Response(stalled(bytes.subarray(0, bytes.length / 2), signal), { status, headers });
  if (headers['content-encoding'] !== 'gzip') return new Response(bytes, { status, headers });
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')), { status, headers });
}

/** A body of which nothing comes after its start. */
export function stalled(start: Uint8Array, signal: AbortSignal): ReadableStream {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(start);
      signal.addEventListener('abort', () => controller.error(signal.reason), { once: true });
    },
  });
}

/** Never resolves. */
export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
