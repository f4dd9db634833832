import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import type { Bot } from '../bot.ts';
import type {
  CommandOption,
  HalfTypedCommand,
  SubmittedModal,
  TypedCommand,
  UsedComponent,
  Whereabouts,
} from '../discord/chat.ts';
import type { EmulatedDiscord } from '../discord/emulated-discord.ts';
import type { Guide } from '../guide.ts';
import { closeServer, listenAtOrAfter } from '../listen.ts';
import type { RequestReasons } from '../request-reasons.ts';
import type { CardServiceSwitches, EmbeddedCardService } from '../service/service.ts';
import { bytesOf, unlessMalformed } from '../transport.ts';

/** What the page shows and controls. */
interface PageSources {
  discord: EmulatedDiscord;
  cardService: EmbeddedCardService;
  /** What runs and tells the story; absent when the bot is somebody else's. */
  story?: { bot: Bot; guide: Guide; reasons: RequestReasons } | undefined;
}

export interface PageServerOptions extends PageSources {
  /** The next free one is taken when this one is not; 0 = any. */
  port: number;
}

/** What the page can do: `POST /api/NAME` with a list of the arguments. Who is asked says in one sentence what is wrong with them. */
export type Actions = ReturnType<typeof actionsOf>;

function actionsOf({ discord, cardService, story }: PageSources) {
  return {
    /** What a member can use there: after typing `/`, and in the context menu of a message. */
    commands: (at: Whereabouts) => ({
      commands: discord.commandsFor(at).map(({ name, description, options = [] }) => {
        return { name, description, options: options as CommandOption[] };
      }),
      menu: discord.menuCommandsFor(at).map(({ name }) => name),
    }),
    type: (typed: TypedCommand) => void discord.type(typed),
    complete: (typed: HalfTypedCommand) => discord.complete(typed),
    use: (used: UsedComponent) => void discord.choose(used),
    submit: (form: SubmittedModal) => void discord.submit(form),
    post: (written: Whereabouts & { content: string }) => void discord.post(written),
    dropGateway: () => discord.gateway.drop(),
    set: (switches: Partial<CardServiceSwitches>) => cardService.set(switches),
    /** 0 ends a storm. */
    storm: (durationMs: number) => cardService.storm(durationMs),
    exhaustDay: () => cardService.exhaustDay(),
    refillDay: () => cardService.refillDay(),
    step: (id: string) => story?.guide.press(id),
    reset: () => story?.guide.reset(),
    startBot: () => story?.bot.start(),
    killBot: () => story?.bot.end('SIGKILL'),
  };
}

/** The complete state of the page: one Server-Sent Event of `GET /api/events`. Lists have the oldest first. */
export type Snapshot = ReturnType<typeof snapshotOf>;

const SHOWN_MESSAGES = 100;
const SHOWN_REQUESTS = 50;

function snapshotOf({ discord, cardService, story }: PageSources) {
  const { guilds, members } = discord;
  return {
    guilds,
    members,
    messages: discord.messages().slice(-SHOWN_MESSAGES),
    service: cardService.state(),
    requests: cardService.requests
      .slice(-SHOWN_REQUESTS)
      .map((request) => ({ ...request, reason: story?.reasons.of(request) })),
    requestCount: cardService.counts.total,
    isConnected: discord.gateway.sessions > 0,
    /** `undefined`: the bot is not the sandbox's own. */
    bot: story?.bot.shown,
    guide: story?.guide.shown,
  };
}

/**
 * Serves the sandbox's page on 127.0.0.1.
 *
 * @throws Error when no port is free, or the page's script cannot be bundled.
 */
export async function startPageServer({ port, ...sources }: PageServerOptions) {
  bundling ??= bundleFiles();
  const files = await bundling;
  const actions = new Map<string, (...args: never[]) => unknown>(
    Object.entries(actionsOf(sources)).map(([name, action]) => [`/api/${name}`, action]),
  );
  const headers = pageHeaders(sources.discord.origin);
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    answer(request, response).catch((error: unknown) => {
      const { status, message } =
        error instanceof Refusal ? error : new Refusal(500, 'Something broke in the sandbox.');
      if (response.headersSent) response.destroy();
      else sendJson(response, status, { error: message });
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '/' } = request;
    const refused = refusal(request, ownPort);
    if (refused) throw refused;

    const path = URL.parse(url, 'http://127.0.0.1')?.pathname ?? '';
    const [action, file] = [actions.get(path), files.get(path)];
    if (!action && !file && path !== EVENTS) throw new Refusal(404, 'There is nothing here.');
    const allowed = action ? 'POST' : 'GET';
    if (method !== allowed) {
      response.setHeader('Allow', allowed);
      throw new Refusal(405, `Only ${allowed} is answered here.`);
    }
    if (action) {
      const args = await argumentsIn(request);
      const result = await Promise.try(action, ...args).catch((error: Error) => {
        throw new Refusal(422, error.message);
      });
      return sendJson(response, 200, { result });
    }
    if (!file) return events.open(response);
    response.writeHead(200, { 'Content-Type': file.contentType, 'Cache-Control': 'no-cache' }).end(file.body);
  }

  const ownPort = await listenAtOrAfter(server, port);
  const events = new Events(sources);
  return {
    port: ownPort,
    url: `http://127.0.0.1:${ownPort}`,
    close() {
      events.close();
      return closeServer(server);
    },
  };
}

/** Is told to the page: a status, and a sentence. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify(body));
}

const LONGEST_BODY_BYTES = 64 * 1024;

async function argumentsIn(request: IncomingMessage): Promise<never[]> {
  const bytes = await bytesOf(request, LONGEST_BODY_BYTES);
  if (!bytes) throw new Refusal(413, 'The body is longer than 64 KiB.');
  const args = unlessMalformed((): never[] => JSON.parse(bytes.toString()));
  if (args === undefined) throw new Refusal(400, 'The body is not JSON.');
  if (!Array.isArray(args)) throw new Refusal(400, 'The body is not a list of arguments.');
  return args;
}

/**
 * Whether the page's own origin sent this request. A foreign web page can reach a loopback port in two ways:
 * under its own host name that resolves to 127.0.0.1 (seen in `Host`), or by a cross-site request (seen in `Origin`,
 * which browsers send with every POST).
 *
 * @returns `undefined` when the request may be answered.
 */
export function refusal(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  port: number,
): Refusal | undefined {
  const { host, origin, 'content-type': contentType } = headers;
  const ownHosts = ['127.0.0.1', 'localhost'].map((name) => new URL(`http://${name}:${port}`).host);
  if (host === undefined || !ownHosts.includes(host)) {
    return new Refusal(421, `This page is served only as http://${ownHosts[0]} or http://${ownHosts[1]}.`);
  }

  const ownOrigin = `http://${host}`;
  if (origin !== undefined && origin !== ownOrigin) return new Refusal(403, 'Requests of another origin are refused.');
  if (method !== 'POST') return undefined;

  if (origin === undefined) return new Refusal(403, `A POST must carry Origin: ${ownOrigin}.`);
  if (contentType?.split(';')[0]?.trim().toLowerCase() !== 'application/json') {
    return new Refusal(415, 'Send JSON with Content-Type: application/json.');
  }
  return undefined;
}

/** What the page may load and do: its own files, and the images that the emulated Discord proxies. No text becomes markup. */
function pageHeaders(discordOrigin: string): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src data: ${discordOrigin}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  };
}

const EVENTS = '/api/events';
/** Changes within this time share one event, so that a burst of commands does not cause a flood of snapshots. */
const GATHER_MS = 30;
/** For changes without an event: the bucket refills, gateway sessions start and end. */
const LOOK_AGAIN_MS = 1_000;

/** Every open page receives a complete snapshot after each change. */
class Events {
  readonly #sources: PageSources;
  readonly #streams = new Set<ServerResponse>();
  readonly #endSubscriptions: (() => void)[];
  readonly #lookAgain: NodeJS.Timeout;
  #gathering: NodeJS.Timeout | undefined;
  #lastSent = '';

  constructor(sources: PageSources) {
    this.#sources = sources;
    const changed = () => this.#changed();
    const { discord, cardService, story } = sources;
    const ofStory = story ? [story.bot.onChange, story.guide.onChange] : [];
    const subscriptions = [discord.onMessage, cardService.onChange, ...ofStory];
    this.#endSubscriptions = subscriptions.map((subscribe) => subscribe(changed));
    this.#lookAgain = setInterval(changed, LOOK_AGAIN_MS).unref();
  }

  open(response: ServerResponse): void {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    response.write(eventOf(JSON.stringify(snapshotOf(this.#sources))));
    this.#streams.add(response);
    response.on('close', () => this.#streams.delete(response));
  }

  close(): void {
    for (const end of this.#endSubscriptions) end();
    clearInterval(this.#lookAgain);
    clearTimeout(this.#gathering);
    for (const stream of this.#streams) stream.end();
  }

  #changed(): void {
    if (this.#streams.size > 0) this.#gathering ??= setTimeout(() => this.#send(), GATHER_MS).unref();
  }

  #send(): void {
    this.#gathering = undefined;
    const json = JSON.stringify(snapshotOf(this.#sources));
    if (json === this.#lastSent) return;
    this.#lastSent = json;
    // A page that does not keep up skips snapshots, because each is complete
    for (const stream of this.#streams) if (!stream.writableNeedDrain) stream.write(eventOf(json));
  }
}

function eventOf(json: string): string {
  return `data: ${json}\n\n`;
}

interface PageFile {
  contentType: string;
  body: string;
}

let bundling: Promise<ReadonlyMap<string, PageFile>> | undefined;

/** In the order of the cascade. */
const STYLES = ['theme', 'base', 'places', 'chat', 'guide', 'message', 'composer', 'panel', 'narrow'];

/** The page's three files by path, made in memory: no build step, nothing written to disk. */
async function bundleFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const read = (name: string) => readFile(new URL(name, import.meta.url), 'utf8');
  const input = fileURLToPath(new URL('page.tsx', import.meta.url));
  const [html, { output }, ...styles] = await Promise.all([
    read('page.html'),
    build({ input, write: false, logLevel: 'silent', output: { format: 'esm', minify: true } }),
    ...STYLES.map((name) => read(`${name}.css`)),
  ]);
  return new Map([
    ['/', { contentType: 'text/html; charset=utf-8', body: html }],
    ['/page.css', { contentType: 'text/css; charset=utf-8', body: styles.join('\n') }],
    ['/page.js', { contentType: 'text/javascript; charset=utf-8', body: output[0].code }],
  ]);
}
