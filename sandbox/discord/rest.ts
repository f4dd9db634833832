import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import { Listeners } from '../listeners.ts';
import { aborted, bytesOf, type Outcome, responseOf, send, unlessMalformed } from '../transport.ts';
import { ApiError } from './api-error.ts';
import { type Faults, type RestAnswer, spoilt } from './faults.ts';
import type { FileStore, ServedFile, Upload } from './file-store.ts';
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

/** One REST request to the emulated Discord. */
export interface SeenRestRequest {
  atMs: number;
  method: string;
  /** Path and query; an interaction's token is replaced by `[token]`. */
  path: string;
  /** 0 = the connection broke before an answer. */
  status: number;
}

/** A request with its body. */
type RestCall = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'errored'> & AsyncIterable<Buffer>;

interface RestOptions {
  routes: Routes;
  isBotToken(token: string): boolean;
  faults: Faults;
  /** A picture that the emulated Discord serves instead of an external one. */
  image(url: string): ServedFile | undefined;
  files: FileStore;
}

const KEPT_REQUESTS = 1_000;
const API = /^\/api\/v10(?=\/)/;

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
    this.#routes = Object.entries(options.routes).map(([name, answer]) => {
      const [method = '', path = ''] = name.split(' ');
      const pattern = new RegExp(`^${path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
      const bucket = createHash('md5').update(name).digest('hex');
      return { method, path, answer, pattern, bucket, needsBotToken: !path.includes(':token') };
    });
  }

  /** Over HTTP. */
  readonly listener: RequestListener = (request, response) => {
    this.#outcomeOf(request)
      .then((outcome) => send(response, outcome))
      .catch(() => response.writeHead(500).end());
  };

  /** Without a socket. Rejects as undici does where a connection would break. */
  readonly answer = async (request: Request): Promise<Response> => {
    const { method, headers, signal } = request;
    signal.throwIfAborted();
    const { pathname, search } = new URL(request.url);
    const body = Readable.from([Buffer.from(await request.arrayBuffer())], { objectMode: false });
    const call = Object.assign(body, { method, url: pathname + search, headers: Object.fromEntries(headers) });
    return responseOf(await Promise.race([this.#outcomeOf(call), aborted(signal)]), signal);
  };

  async #outcomeOf(request: RestCall): Promise<Outcome> {
    const { method = '', url = '' } = request;
    const [path = '', query = ''] = url.split('?', 2);
    if (!API.test(path)) return written(this.#file(method, path));

    const route = path.replace(API, '');
    const fault = this.#options.faults.of(method, route);
    // What arrived before a delay is processed after it, even if the client has given up meanwhile
    const arrived = fault?.delayMs === undefined ? undefined : readBody(request);
    arrived?.catch(() => undefined);
    const read = () => arrived ?? readBody(request);
    const process = async () => {
      const seen = {};
      const answered = await this.#answer(request, route, new URLSearchParams(query), seen, read).catch(refusal);
      if (!request.errored) exchanges.publish({ method, ...seen, answered } satisfies Exchange);
      return answered;
    };
    const overhear = async () => {
      const { path: named } = this.#find(method, route).route;
      exchanges.publish({ method, route: named, sent: (await read()).json } satisfies Exchange);
    };
    // What a request says that is not processed, because its answer is dictated
    if (typeof fault?.answer === 'object') overhear().catch(() => undefined);
    const outcome = await (fault ? spoilt(fault, process) : process());
    const shown = url.replace(/\/(interactions|webhooks)\/(\w+)\/[^/?]+/, '/$1/$2/[token]');
    const noted = { atMs: Date.now(), method, path: shown, status: outcome.status };
    this.requests.push(noted);
    if (this.requests.length > KEPT_REQUESTS) this.requests.shift();
    this.#seen.tell(noted);
    return written(outcome);
  }

  async #answer(
    request: RestCall,
    path: string,
    query: URLSearchParams,
    seen: Partial<Exchange>,
    read: () => Promise<RequestBody>,
  ): Promise<RestAnswer> {
    const { headers, method = '' } = request;
    const { authorization = '', 'user-agent': client = '' } = headers;
    if (SHUT_OUT.test(client) || isWebPage(headers)) throw new ApiError('blockedUserAgent');
    const { route, params } = this.#find(method, path);
    seen.route = route.path;
    const [, token = ''] = /^Bot (.*)/.exec(authorization) ?? [];
    if (route.needsBotToken && !this.#options.isBotToken(token)) throw new ApiError('unauthorized');
    const body = await read();
    seen.sent = body.json;
    const answered = await route.answer({ params, query, ...body });
    return { ...answered, headers: { ...rateLimitHeaders(route.bucket, Date.now()), ...answered.headers } };
  }

  /** @throws ApiError 404, or 405 when the path exists with other methods only */
  #find(method: string, path: string): { route: Route; params: Record<string, string> } {
    const known = this.#routes.filter(({ pattern }) => pattern.test(path));
    const route = known.find((each) => each.method === method);
    if (!route) throw new ApiError(known.length > 0 ? 'methodNotAllowed' : 'notFound');
    const segments = Object.entries(route.pattern.exec(path)?.groups ?? {});
    return {
      route,
      params: Object.fromEntries(
        segments.map(([name, value]) => [name, unlessMalformed(() => decodeURIComponent(value)) ?? value]),
      ),
    };
  }

  /** Serves a proxied picture or a file of a message. */
  #file(method: string, path: string): RestAnswer {
    const { image, files } = this.#options;
    const external = path.startsWith(EXTERNAL) ? path.slice(EXTERNAL.length) : undefined;
    const file =
      external === undefined ? files.at(path) : image(unlessMalformed(() => decodeURIComponent(external)) ?? '');
    if (method !== 'GET' || !file) return { status: 404 };
    const headers = {
      'Content-Type': file.contentType,
      'Content-Security-Policy': 'sandbox', // an SVG or HTML file that is opened directly must not run scripts
      'X-Content-Type-Options': 'nosniff',
    };
    return { ...ok(file.body), headers };
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

// Of Discord's firewall; discord-api-docs#4908, #6473 and #1504: no user agent and those of browsers are blocked, while `curl/7.68.0` and `node` are served. The form in
// reference.md, "User Agent" (`DiscordBot (url, version)`), is not enforced.
const SHUT_OUT = /^(?:$|Mozilla\/|Java\/1\.|Python-urllib\/)/;

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
  const json = unlessMalformed(() => JSON.parse(text));
  if (json === undefined) throw new ApiError('invalidJson');
  return json;
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

function written({ body, headers = {}, ...answer }: RestAnswer): Outcome {
  if (body === undefined) return { ...answer, headers, body: '' };
  const isSentAsItIs = typeof body === 'string' || body instanceof Uint8Array;
  const type = { 'Content-Type': 'application/json' };
  return { ...answer, headers: { ...type, ...headers }, body: isSentAsItIs ? body : JSON.stringify(body) };
}
