import type { IncomingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { aborted, stalled } from '../service-fetch.ts';
import { ApiError } from './api-error.ts';
import { apiVersion, isBlocked } from './client-rules.ts';
import { type ExternalImage, externalUrl } from './external-images.ts';
import { type Faults, type RestOutcome, type ScriptedFault, spoilt } from './faults.ts';
import type { FileStore } from './file-store.ts';
import { type Exchange, exchanges } from './observation.ts';
import { readBody } from './request-body.ts';
import type { RequestLog } from './request-log.ts';
import { type RestAnswer, type Routes, routeFinder } from './route.ts';

export interface RestOptions {
  routes: Routes;
  /** Whether this is the bot's token and not revoked. */
  isBotToken: (token: string) => boolean;
  faults: Faults;
  image: (url: string) => ExternalImage | undefined;
  files: Pick<FileStore, 'at'>;
  log: RequestLog;
}

/** A request with its body; what `IncomingMessage` has of one. */
export interface RestCall extends AsyncIterable<Buffer> {
  method?: string | undefined;
  /** Path and query. */
  url?: string | undefined;
  headers: IncomingHttpHeaders;
  /** Why its body broke off. */
  errored?: Error | null;
}

type BodyReader = () => ReturnType<typeof readBody>;

const API = /^\/api(?:\/v(\d+))?(?=\/)/;

/** Answers as Discord's API does, and serves the pictures of embeds. */
export function restAnswers({ routes, isBotToken, faults, image, files, log }: RestOptions) {
  const find = routeFinder(routes);

  const isAuthorized = ({ headers: { authorization = '' } }: RestCall) =>
    authorization.startsWith('Bot ') && isBotToken(authorization.slice('Bot '.length));

  async function answer(
    request: RestCall,
    path: string,
    query: URLSearchParams,
    seen: Partial<Exchange>,
    read: BodyReader,
  ): Promise<RestAnswer> {
    if (isBlocked(request)) throw new ApiError('blockedUserAgent');
    if (apiVersion(API.exec(request.url ?? '')?.[1]) === undefined) throw new ApiError('invalidApiVersion');
    const { route, params } = find(request.method ?? '', path);
    seen.route = route.path;
    if (route.needsBotToken && !isAuthorized(request)) throw new ApiError('unauthorized');
    const body = await read();
    seen.sent = body.json;
    const answered = await route.answer({ params, query, ...body });
    return { ...answered, headers: { ...rateLimitHeaders(route.bucket, Date.now()), ...answered.headers } };
  }

  /** What a request says that is not processed, because its answer is dictated. */
  async function overhear(request: RestCall, path: string, read: BodyReader): Promise<void> {
    const { route } = find(request.method ?? '', path);
    const { json } = await read();
    exchanges.publish({ method: route.method, route: route.path, sent: json } satisfies Exchange);
  }

  return async (request: RestCall): Promise<RestOutcome> => {
    const [path = '', query = ''] = (request.url ?? '').split('?', 2);
    if (!API.test(path)) {
      const file = request.method === 'GET' ? fileAt(path, image, files) : undefined;
      return file ? servedFile(file) : { status: 404, body: undefined };
    }

    const { method = '', url = '' } = request;
    const route = path.replace(API, '');
    const fault = faults.take(method, route);
    const read = bodyReader(request, fault);
    const process = async () => {
      const seen = {};
      const answered = await answer(request, route, new URLSearchParams(query), seen, read).catch(refusal);
      if (!request.errored) exchanges.publish({ method, ...seen, answered } satisfies Exchange);
      return answered;
    };
    if (typeof fault?.answer === 'object') overhear(request, route, read).catch(() => undefined);
    const outcome = await (fault ? spoilt(fault, process) : process());
    const status = typeof outcome === 'string' ? 0 : outcome.status;
    log.add({ atMs: Date.now(), method, path: url, status });
    return outcome;
  };
}

/** The same over HTTP. */
export function restListener(answer: (call: RestCall) => Promise<RestOutcome>): RequestListener {
  return (request, response) => {
    answer(request)
      .then((outcome) => send(response, outcome))
      .catch(() => response.writeHead(500).end());
  };
}

const BROKEN = { close: ['UND_ERR_SOCKET', 'other side closed'], reset: ['ECONNRESET', 'read ECONNRESET'] } as const;

/** The same without a socket. Rejects as undici does where a connection would break. */
export function answersRequests(answer: (call: RestCall) => Promise<RestOutcome>) {
  return async (request: Request): Promise<Response> => {
    const { method, headers, signal } = request;
    signal.throwIfAborted();
    const { pathname, search } = new URL(request.url);
    const body = Buffer.from(await request.arrayBuffer());
    const call = Readable.from([body], { objectMode: false });
    const asked = Object.assign(call, { method, url: pathname + search, headers: Object.fromEntries(headers) });
    const outcome = await Promise.race([answer(asked), aborted(signal)]);
    if (outcome === 'hang') return aborted(signal);
    if (typeof outcome === 'string') {
      const [code, message] = BROKEN[outcome];
      throw Object.assign(new Error(message), { code });
    }
    const { status, stalls, ...rest } = outcome;
    const { bytes, headers: answered } = written(rest);
    const sent = stalls ? stalled(bytes.subarray(0, 1), signal) : bytes;
    return new Response(outcome.body === undefined ? null : sent, { status, headers: answered });
  };
}

/** What arrived before a delay is processed after it, even if the client has given up meanwhile. */
function bodyReader(request: RestCall, fault: ScriptedFault | undefined): BodyReader {
  if (fault?.delayMs === undefined) return () => readBody(request);
  const body = readBody(request);
  body.catch(() => undefined);
  return () => body;
}

function refusal(error: unknown): RestAnswer {
  if (!(error instanceof ApiError)) return { status: 500, body: { message: `500: ${error}`, code: 0 } };
  return { status: error.status, body: error };
}

/** Rate limit headers with limits that no bot reaches here; topics/rate-limits. */
function rateLimitHeaders(bucket: string, nowMs: number): Record<string, string> {
  return {
    'X-RateLimit-Limit': '1000',
    'X-RateLimit-Remaining': '999',
    'X-RateLimit-Reset': String(nowMs / 1_000 + 1),
    'X-RateLimit-Reset-After': '1',
    'X-RateLimit-Bucket': bucket,
  };
}

function send(response: ServerResponse, outcome: RestOutcome): void {
  if (typeof outcome === 'string') {
    suffer(response, outcome);
    return;
  }
  const { status, stalls } = outcome;
  const { bytes, headers } = written(outcome);
  response.writeHead(status, headers);
  if (stalls) response.write(bytes.subarray(0, 1));
  else response.end(bytes);
}

/** The body on its way; strings and bytes are sent as they are, other values as JSON. */
function written({ body, headers = {} }: Pick<RestAnswer, 'body' | 'headers'>) {
  if (body === undefined) return { bytes: new Uint8Array(), headers };
  const isSentAsItIs = typeof body === 'string' || body instanceof Uint8Array;
  const bytes = new Uint8Array(Buffer.from(isSentAsItIs ? body : JSON.stringify(body)));
  return { bytes, headers: { 'Content-Type': 'application/json', ...headers } };
}

function suffer({ req, socket }: ServerResponse, fault: Extract<RestOutcome, string>): void {
  if (fault === 'reset') socket?.resetAndDestroy();
  if (fault !== 'close') return;
  // Closing with unread bytes would send a TCP reset.
  if (req.readableEnded) socket?.destroySoon();
  else req.resume().once('end', () => socket?.destroySoon());
}

/** Serves a proxied picture or a file of a message. */
function fileAt(path: string, image: RestOptions['image'], files: RestOptions['files']): ExternalImage | undefined {
  const url = externalUrl(path);
  if (url !== undefined) return image(url);
  const file = files.at(path);
  return file && { contentType: file.attachment.content_type ?? 'application/octet-stream', body: file.bytes };
}

function servedFile({ contentType, body }: ExternalImage): RestAnswer {
  const headers = {
    'Content-Type': contentType,
    'Content-Security-Policy': 'sandbox', // an SVG or HTML file that is opened directly must not run scripts
    'X-Content-Type-Options': 'nosniff',
  };
  return { status: 200, body, headers };
}
