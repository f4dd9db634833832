import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { bytesOf } from '../body-bytes.ts';
import { Listeners } from '../listeners.ts';
import { aborted, stalled } from '../service/transport.ts';
import { ApiError } from './api-error.ts';
import { type Faults, type RestAnswer, type RestOutcome, type ScriptedFault, spoilt } from './faults.ts';
import type { FileStore, Upload } from './file-store.ts';
import { type Exchange, exchanges } from './observation.ts';

/** A request's JSON, and the files that came with it. */
export interface RequestBody {
  json: unknown;
  files: Upload[];
}

export interface RestRequest extends RequestBody {
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
}

type Answer = (request: RestRequest) => RestAnswer | Promise<RestAnswer>;

/** The calls by method and path below `/api/v10`, such as `POST /webhooks/:application/:token`. */
export type Routes = Readonly<Record<string, Answer>>;

export function ok(body: unknown): RestAnswer {
  return { status: 200, body };
}

export const NO_CONTENT: RestAnswer = { status: 204 };

/** A picture that the emulated Discord serves instead of an external one. */
export interface ExternalImage {
  contentType: string;
  body: string | Uint8Array;
}

/** One REST request to the emulated Discord. */
export interface SeenRestRequest {
  atMs: number;
  method: string;
  /** Path and query; an interaction's token is replaced by `[token]`. */
  path: string;
  /** 0 = the connection broke before an answer. */
  status: number;
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

export interface RestOptions {
  routes: Routes;
  isBotToken(token: string): boolean;
  faults: Faults;
  image(url: string): ExternalImage | undefined;
  files: Pick<FileStore, 'at'>;
}

const KEPT_REQUESTS = 1_000;
const API = /^\/api\/v10(?=\/)/;
const BROKEN = { close: ['UND_ERR_SOCKET', 'other side closed'], reset: ['ECONNRESET', 'read ECONNRESET'] } as const;

/** Answers as Discord's API does, and serves the pictures of embeds and the files of messages. */
export class Rest {
  /** The last thousand requests, oldest first. */
  readonly requests: SeenRestRequest[] = [];
  readonly #seen = new Listeners<SeenRestRequest>();
  readonly onRequest = this.#seen.add;
  readonly #options: RestOptions;
  readonly #routes: readonly Route[];

  constructor(options: RestOptions) {
    this.#options = options;
    this.#routes = Object.entries(options.routes).map(([name, answer]) => routeOf(name, answer));
  }

  /** Over HTTP. */
  readonly listener: RequestListener = (request, response) => {
    this.#outcomeOf(request)
      .then((outcome) => (typeof outcome === 'string' ? suffer(response, outcome) : send(response, outcome)))
      .catch(() => response.writeHead(500).end());
  };

  /** Like `fetch` without a socket. Rejects as undici does where a connection would break. */
  readonly answer = async (request: Request): Promise<Response> => {
    const { method, headers, signal } = request;
    signal.throwIfAborted();
    const { pathname, search } = new URL(request.url);
    const body = Readable.from([Buffer.from(await request.arrayBuffer())], { objectMode: false });
    const call = Object.assign(body, { method, url: pathname + search, headers: Object.fromEntries(headers) });
    const outcome = await Promise.race([this.#outcomeOf(call), aborted(signal)]);
    if (outcome === 'hang') return aborted(signal);
    if (typeof outcome === 'string') {
      const [code, message] = BROKEN[outcome];
      throw Object.assign(new Error(message), { code });
    }
    const { bytes, headers: answered } = written(outcome);
    const sent = outcome.stalls ? stalled(bytes.subarray(0, 1), signal) : bytes;
    return new Response(outcome.body === undefined ? null : sent, { status: outcome.status, headers: answered });
  };

  async #outcomeOf(request: RestCall): Promise<RestOutcome> {
    const { method = '', url = '' } = request;
    const [path = '', query = ''] = url.split('?', 2);
    if (!API.test(path)) return this.#file(method, path);

    const route = path.replace(API, '');
    const fault = this.#options.faults.take(method, route);
    const read = bodyReader(request, fault);
    const process = async () => {
      const seen = {};
      const answered = await this.#answer(request, route, new URLSearchParams(query), seen, read).catch(refusal);
      if (!request.errored) exchanges.publish({ method, ...seen, answered } satisfies Exchange);
      return answered;
    };
    if (typeof fault?.answer === 'object') this.#overhear(method, route, read).catch(() => undefined);
    const outcome = await (fault ? spoilt(fault, process) : process());
    this.#note({ atMs: Date.now(), method, path: url, status: typeof outcome === 'string' ? 0 : outcome.status });
    return outcome;
  }

  async #answer(
    request: RestCall,
    path: string,
    query: URLSearchParams,
    seen: Partial<Exchange>,
    read: () => Promise<RequestBody>,
  ): Promise<RestAnswer> {
    if (isBlocked(request.headers)) throw new ApiError('blockedUserAgent');
    const { route, params } = this.#find(request.method ?? '', path);
    seen.route = route.path;
    if (route.needsBotToken && !this.#isAuthorized(request)) throw new ApiError('unauthorized');
    const body = await read();
    seen.sent = body.json;
    const answered = await route.answer({ params, query, ...body });
    return { ...answered, headers: { ...rateLimitHeaders(route.bucket, Date.now()), ...answered.headers } };
  }

  #isAuthorized({ headers: { authorization = '' } }: RestCall): boolean {
    return authorization.startsWith('Bot ') && this.#options.isBotToken(authorization.slice('Bot '.length));
  }

  /** What a request says that is not processed, because its answer is dictated. */
  async #overhear(method: string, path: string, read: () => Promise<RequestBody>): Promise<void> {
    const { route } = this.#find(method, path);
    const { json } = await read();
    exchanges.publish({ method, route: route.path, sent: json } satisfies Exchange);
  }

  /** @throws ApiError 404, or 405 when the path exists with other methods only */
  #find(method: string, path: string): { route: Route; params: Record<string, string> } {
    const known = this.#routes.filter(({ pattern }) => pattern.test(path));
    const route = known.find((each) => each.method === method);
    if (!route) throw new ApiError(known.length > 0 ? 'methodNotAllowed' : 'notFound');
    const segments = Object.entries(route.pattern.exec(path)?.groups ?? {});
    return {
      route,
      params: Object.fromEntries(segments.map(([name, value]) => [name, unlessMalformed(value) ?? value])),
    };
  }

  /** Serves a proxied picture or a file of a message. */
  #file(method: string, path: string): RestAnswer {
    const file = method === 'GET' ? this.#fileAt(path) : undefined;
    if (!file) return { status: 404 };
    const headers = {
      'Content-Type': file.contentType,
      'Content-Security-Policy': 'sandbox', // an SVG or HTML file that is opened directly must not run scripts
      'X-Content-Type-Options': 'nosniff',
    };
    return { ...ok(file.body), headers };
  }

  #fileAt(path: string): ExternalImage | undefined {
    const { image, files } = this.#options;
    if (path.startsWith(EXTERNAL)) return image(unlessMalformed(path.slice(EXTERNAL.length)) ?? '');
    const file = files.at(path);
    return file && { contentType: file.attachment.content_type ?? 'application/octet-stream', body: file.bytes };
  }

  #note(request: SeenRestRequest): void {
    const path = request.path.replace(/\/(interactions|webhooks)\/(\w+)\/[^/?]+/, '/$1/$2/[token]');
    const noted = { ...request, path };
    this.requests.push(noted);
    if (this.requests.length > KEPT_REQUESTS) this.requests.shift();
    this.#seen.tell(noted);
  }
}

const EXTERNAL = '/external/';

/** The address at which Discord proxies a picture, so that browsers load nothing external; undefined = not proxied. */
export function proxyUrl(url: string, origin: string): string | undefined {
  return /^https?:/i.test(url) ? `${origin}${EXTERNAL}${encodeURIComponent(url)}` : undefined;
}

/** Browsers send the page's origin with every request that could do harm; no web page may act as the bot. */
export function isWebPage({ origin }: IncomingHttpHeaders): boolean {
  return origin !== undefined;
}

// discord-api-docs#4908, #6473 and #1504: these are blocked, while `curl/7.68.0` and `node` are served. The form in
// reference.md, "User Agent" (`DiscordBot (url, version)`), is not enforced.
const SHUT_OUT = /^(?:$|Mozilla\/|Java\/1\.|Python-urllib\/)/;

/** Whether Discord's firewall blocks a client: it has no user agent, or that of a browser. */
function isBlocked(headers: IncomingHttpHeaders): boolean {
  return SHUT_OUT.test(headers['user-agent'] ?? '') || isWebPage(headers);
}

interface Route {
  method: string;
  path: string;
  answer: Answer;
  pattern: RegExp;
  /** Identifies its rate limit. */
  bucket: string;
  /** Interaction calls carry their own token in the path. */
  needsBotToken: boolean;
}

function routeOf(name: string, answer: Answer): Route {
  const [method = '', path = ''] = name.split(' ');
  const pattern = new RegExp(`^${path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
  const bucket = createHash('md5').update(name).digest('hex');
  return { method, path, answer, pattern, bucket, needsBotToken: !path.includes(':token') };
}

function unlessMalformed(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

/** What arrived before a delay is processed after it, even if the client has given up meanwhile. */
function bodyReader(request: RestCall, fault: ScriptedFault | undefined): () => Promise<RequestBody> {
  if (fault?.delayMs === undefined) return () => readBody(request);
  const body = readBody(request);
  body.catch(() => undefined);
  return () => body;
}

const LARGEST_BODY_BYTES = 25 * 1_024 * 1_024; // reference.md, "Uploading Files"
const LARGEST_FILE_BYTES = 10 * 1_024 * 1_024; // the same page, without boosts
const MOST_FILES = 10; // topics/opcodes-and-status-codes, 30015

/** @throws ApiError 40005, 50109 or 30015; 50035 for parts that are none */
async function readBody(request: RestCall): Promise<RequestBody> {
  const bytes = await bytesOf(request, LARGEST_BODY_BYTES);
  if (!bytes) throw new ApiError('requestTooLarge');
  const contentType = request.headers['content-type'] ?? '';
  if (contentType.startsWith('multipart/form-data')) return readMultipart(bytes, contentType);
  return { json: bytes.length === 0 ? {} : parseJson(bytes.toString()), files: [] };
}

async function readMultipart(bytes: Buffer, contentType: string): Promise<RequestBody> {
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } })
    .formData()
    .catch(() => {
      throw new ApiError('invalidForm');
    });
  const payload = form.get('payload_json');
  const parts = Array.from(form.entries()).filter((part): part is [string, File] => typeof part[1] !== 'string');
  if (parts.length > MOST_FILES) throw new ApiError('tooManyAttachments');
  const files = await Promise.all(parts.map(([field, file], index) => upload(field, file, index)));
  return { json: typeof payload === 'string' ? parseJson(payload) : {}, files };
}

async function upload(field: string, file: File, index: number): Promise<Upload> {
  if (file.size > LARGEST_FILE_BYTES) throw new ApiError('requestTooLarge');
  const number = Number(/^files\[(\d+)\]$/.exec(field)?.[1] ?? index);
  return { number, filename: file.name, contentType: file.type || undefined, bytes: await file.bytes() };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError('invalidJson');
  }
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

function send(response: ServerResponse, { stalls, status, ...answer }: Exclude<RestOutcome, string>): void {
  const { bytes, headers } = written(answer);
  response.writeHead(status, headers);
  if (stalls) response.write(bytes.subarray(0, 1));
  else response.end(bytes);
}

/** The body on its way. */
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
