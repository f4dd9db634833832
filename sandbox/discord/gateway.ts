import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import { type WebSocket, WebSocketServer } from 'ws';

import { CURRENT_VERSION, isWebPage } from './client-rules.ts';
import { GatewayConnection } from './gateway-connection.ts';
import type { GatewayFaults } from './gateway-faults.ts';
import { GatewayIdentifyLimit, type IdentifyLimits } from './gateway-identify-limit.ts';
import { gatewayAddress, type Identify } from './gateway-rules.ts';
import { GatewaySession, type SessionLink } from './gateway-session.ts';
import { GatewaySessions } from './gateway-sessions.ts';
import { ownUser, type World } from './world.ts';

/** The "discard" port (RFC 863), on which nothing listens. */
const NOBODY_LISTENS = 'ws://127.0.0.1:9';

export interface GatewayOptions {
  world: World;
  heartbeatIntervalMs: number;
  /** `ws://127.0.0.1:PORT` */
  url: string;
  /** Read at each use. */
  faults: GatewayFaults;
  limits: IdentifyLimits;
}

/** The gateway: all connections and sessions, and the events that they receive. */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: 65_536 });
  readonly #connections = new Set<GatewayConnection>();
  readonly #wires = new Set<Socket>();
  readonly #sessions = new GatewaySessions();
  readonly #limit: GatewayIdentifyLimit;
  /** Connections that identified so far. */
  identifies = 0;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#limit = new GatewayIdentifyLimit(options.limits);
  }

  listenOn(server: Server): void {
    server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  /** Begins the session of a bot in this process, without a socket. @returns a function that ends it */
  join(link: SessionLink): () => void {
    const session = this.#open([0, 1], link, CURRENT_VERSION);
    return () => {
      session?.detach(link, Date.now());
      if (session) this.#sessions.end(session);
    };
  }

  get url(): string {
    return this.#options.url;
  }

  /** Connections that resumed a session so far. */
  get resumes(): number {
    return this.#sessions.resumes;
  }

  /** Sessions with a connection. */
  get sessions(): number {
    return this.#sessions.connected.length;
  }

  /** Identifies so far that were refused as too soon. */
  get refusedIdentifies(): number {
    return this.#limit.refused;
  }

  /** Whether a bot is connected or could still resume. */
  get isKnown(): boolean {
    return this.#sessions.size > 0;
  }

  /** Sends an event to every session of the guild's shard; null = direct messages. */
  dispatch(type: string, guildId: string | null, payload: object): void {
    this.#sessions.dispatch(type, guildId, JSON.stringify(payload));
  }

  /** Closes every connection; 1006 breaks it without a close frame. */
  drop(code = 4_000): void {
    for (const connection of this.#connections) connection.close(code);
  }

  /** Breaks every connection with a TCP reset, as after a restart of the machine. */
  reset(): void {
    for (const wire of this.#wires) wire.resetAndDestroy();
  }

  /** Op 7 to every connection. */
  requestReconnect(): void {
    for (const connection of this.#connections) connection.requestReconnect();
  }

  /** Op 9 to every connection; unless `resumable`, their sessions end. */
  invalidate(resumable: boolean): void {
    for (const connection of this.#connections) connection.invalidate(resumable);
  }

  /** Sends a raw frame to every connection, even an invalid one; sessions neither count nor store it. */
  send(frame: string | Uint8Array): void {
    for (const connection of this.#connections) connection.send(frame);
  }

  /** Resolves when a bot is connected and identified. */
  whenReady(): Promise<void> {
    return this.#sessions.when(() => this.sessions > 0);
  }

  /** Resolves when sessions have been started or resumed so many times in all, and one is connected. */
  whenUp(times: number): Promise<void> {
    return this.#sessions.when(() => this.identifies + this.resumes >= times && this.sessions > 0);
  }

  /** Resolves when all of so many shards are connected and identified. */
  whenAllReady(shardCount: number): Promise<void> {
    return this.#sessions.when(() => {
      const shards = this.#sessions.connected.map(({ shard }) => shard).filter(([, count]) => count === shardCount);
      return new Set(shards.map(([id]) => id)).size === shardCount;
    });
  }

  close(): void {
    for (const client of this.#sockets.clients) client.terminate();
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (isWebPage(request.headers)) {
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
      return;
    }
    const query = new URL(request.url ?? '/', this.#options.url).searchParams;
    const wire = request.socket;
    this.#wires.add(wire);
    wire.once('close', () => this.#wires.delete(wire));
    this.#sockets.handleUpgrade(request, socket, head, (client) => this.#accept(client, query));
  }

  #accept(client: WebSocket, query: URLSearchParams) {
    const address = gatewayAddress(query);
    if ('refusal' in address) return client.close(address.refusal);
    const { world, faults, heartbeatIntervalMs } = this.#options;
    const connection = new GatewayConnection(client, {
      isBotToken: (token) => !faults.tokenRevoked && token === world.botToken,
      heartbeatIntervalMs,
      faults,
      mayIdentify: (shardId) => this.#limit.take(shardId, performance.now()),
      open: ({ shard }, link) => this.#open(shard, link, address.version),
      sessions: this.#sessions,
    });
    this.#connections.add(connection);
    client.on('close', () => this.#connections.delete(connection));
  }

  #open(shard: Identify['shard'], link: SessionLink, version: number): GatewaySession | undefined {
    const { world, url, faults } = this.#options;
    this.identifies++;
    if (faults.readyWithheld) return undefined;
    const resumeUrl = faults.deadResumeAddress ? NOBODY_LISTENS : url;
    const session = new GatewaySession(shard, link);
    this.#sessions.add(session);
    session.dispatch('READY', JSON.stringify(readyPayload(session, { world, resumeUrl, version })));
    this.#sessions.changed();
    return session;
  }
}

/** `d` of READY; events/gateway-events, "Ready". Guilds are not described after it, since no bot here has intents. */
function readyPayload(
  session: GatewaySession,
  { world, resumeUrl, version }: { world: World; resumeUrl: string; version: number },
): object {
  return {
    v: version,
    user: ownUser(world),
    guilds: world.guilds.filter(({ id }) => session.serves(id)).map(({ id }) => ({ id, unavailable: true })),
    session_id: session.id,
    resume_gateway_url: resumeUrl,
    shard: session.shard,
    application: { id: world.applicationId, flags: 0 },
  };
}
