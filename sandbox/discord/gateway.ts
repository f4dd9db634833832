import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { GatewayCloseCodes as Close, GatewayOpcodes as Op } from 'discord-api-types/v10';
import { type WebSocket, WebSocketServer } from 'ws';
import * as z from 'zod';
import { unlessMalformed } from '../transport.ts';
import { type DispatchedEvent, events } from './observation.ts';
import { isWebPage } from './rest.ts';
import { ownUser, shardOf, type World } from './world.ts';

export interface GatewayOptions {
  world: World;
  /** `ws://127.0.0.1:PORT` */
  url: string;
  heartbeatIntervalMs: number;
  /** How many shards may identify at once: those with different `shard_id % max_concurrency`. */
  maxConcurrency: number;
  /** Time between two identifies with the same rate limit key, from any process; 0 = no limit. */
  identifyWindowMs: number;
}

/** Receives a session's events while a client is connected. */
interface SessionLink {
  send(frame: string): void;
  close(code: number): void;
}

export type GatewayFaults = Gateway['faults'];

type Shard = readonly [id: number, count: number];

/** The "discard" port (RFC 863), on which nothing listens. */
const NOBODY_LISTENS = 'ws://127.0.0.1:9';

/** The gateway: all connections and sessions, and the events that they receive. */
export class Gateway {
  /** All can be changed at any time. */
  readonly faults = {
    /** Heartbeats are not acknowledged: to the bot the connection is dead (a zombie). */
    heartbeatsIgnored: false,
    /** Connections get no HELLO. */
    helloWithheld: false,
    /** Connections are closed at once with this code; `undefined`: not closed. */
    closesAtOnce: undefined as number | undefined,
    /** An identify gets no READY. */
    readyWithheld: false,
    /** Delay of READY. */
    readyDelayMs: 0,
    /** READY names a resume address that refuses connections. */
    deadResumeAddress: false,
    /** The next so many resumes are answered with op 9 (not resumable). */
    refusedResumes: 0,
    /** Resumes are not answered; heartbeats are. */
    resumesIgnored: false,
    /** The bot's token is refused, by the gateway and by REST. */
    tokenRevoked: false,
  };
  /** Connections that identified so far, those that resumed a session, and identifies that were refused as too soon. */
  identifies = 0;
  resumes = 0;
  refusedIdentifies = 0;
  readonly #options: GatewayOptions;
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: 65_536 });
  readonly #wires = new Set<Socket>();
  readonly #connections = new Set<Connection>();
  /** Those that are connected or can still be resumed. */
  readonly #sessions = new Map<string, Session>();
  readonly #identifiedAtMs = new Map<number, number>();
  /** Those who look again after the next READY or RESUMED. */
  readonly #waiting: (() => void)[] = [];

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  listenOn(server: Server): void {
    server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  /** Begins the session of a bot in this process, without a socket. @returns a function that ends it */
  join(link: SessionLink): () => void {
    const session = this.begin([0, 1], link);
    return () => session && this.end(session);
  }

  get url(): string {
    return this.#options.url;
  }

  /** Whether this is the bot's token and not revoked. */
  isBotToken(token: string): boolean {
    return !this.faults.tokenRevoked && token === this.#options.world.botToken;
  }

  /** Sessions with a connection. */
  get sessions(): number {
    return this.#connected().length;
  }

  /** Whether a bot is connected or could still resume. */
  get isKnown(): boolean {
    return this.#sessions.size > 0;
  }

  /** Sends an event to every session of the guild's shard; null = direct messages. */
  dispatch(type: string, guildId: string | null, payload: object): void {
    const json = JSON.stringify(payload);
    for (const session of this.#sessions.values()) if (session.serves(guildId)) session.dispatch(type, json);
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
    for (const connection of this.#connections) connection.sendOp(Op.Reconnect, null);
  }

  /** Op 9 to every session's connection; unless `resumable`, the session ends. */
  invalidate(resumable: boolean): void {
    for (const connection of this.#connections) connection.invalidate(resumable);
  }

  /** Resolves when a bot is connected and identified. */
  whenReady(): Promise<void> {
    return this.#when(() => this.sessions > 0);
  }

  /** Resolves when sessions have been started or resumed so many times in all, and one is connected. */
  whenUp(times: number): Promise<void> {
    return this.#when(() => this.identifies + this.resumes >= times && this.sessions > 0);
  }

  /** Resolves when all of so many shards are connected and identified. */
  whenAllReady(shardCount: number): Promise<void> {
    const idsOf = () => this.#connected().flatMap(({ shard: [id, count] }) => (count === shardCount ? [id] : []));
    return this.#when(() => new Set(idsOf()).size === shardCount);
  }

  close(): void {
    for (const client of this.#sockets.clients) client.terminate();
  }

  get heartbeatIntervalMs(): number {
    return this.#options.heartbeatIntervalMs;
  }

  /** Whether a shard may identify now; events/gateway, "Rate Limiting". A refused identify does not extend the window. */
  mayIdentify(shardId: number, nowMs: number): boolean {
    const { maxConcurrency, identifyWindowMs } = this.#options;
    const key = shardId % maxConcurrency;
    if (nowMs - (this.#identifiedAtMs.get(key) ?? Number.NEGATIVE_INFINITY) < identifyWindowMs) {
      this.refusedIdentifies++;
      return false;
    }
    this.#identifiedAtMs.set(key, nowMs);
    return true;
  }

  /**
   * Begins a session with READY, unless that is withheld; events/gateway-events, "Ready". Guilds are not described after
   * it: no bot here has intents.
   */
  begin(shard: Shard, link: SessionLink): Session | undefined {
    this.identifies++;
    if (this.faults.readyWithheld) return undefined;
    const { world, url } = this.#options;
    const session = new Session(shard, link);
    this.#sessions.set(session.id, session);
    const ready = {
      v: 10,
      user: ownUser(world),
      guilds: world.guilds.filter(({ id }) => session.serves(id)).map(({ id }) => ({ id, unavailable: true })),
      session_id: session.id,
      resume_gateway_url: this.faults.deadResumeAddress ? NOBODY_LISTENS : url,
      shard,
      application: { id: world.applicationId, flags: 0 },
    };
    session.dispatch('READY', JSON.stringify(ready));
    this.#changed();
    return session;
  }

  /** The session with all its events since then; undefined = it cannot be resumed. */
  kept(id: string, sequence: number): Session | undefined {
    const session = this.#sessions.get(id);
    return session?.keepsSince(sequence) ? session : undefined;
  }

  resumed(): void {
    this.resumes++;
    this.#changed();
  }

  /** A session cannot be resumed any more. */
  end(session: Session): void {
    this.#sessions.delete(session.id);
  }

  #connected(): Session[] {
    return [...this.#sessions.values()].filter(({ isConnected }) => isConnected);
  }

  async #when(isMet: () => boolean): Promise<void> {
    while (!isMet()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #changed(): void {
    for (const lookAgain of this.#waiting.splice(0)) lookAgain();
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (isWebPage(request.headers)) {
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
      return;
    }
    const wire = request.socket;
    this.#wires.add(wire);
    wire.once('close', () => this.#wires.delete(wire));
    this.#sockets.handleUpgrade(request, socket, head, (client) => {
      const connection = new Connection(client, this);
      this.#connections.add(connection);
      client.on('close', () => this.#connections.delete(connection));
    });
  }
}

const Frame = z.object({ op: z.int(), d: z.unknown() });
const Identify = z.object({
  token: z.string(),
  intents: z.number(),
  properties: z.looseObject({}),
  shard: z.tuple([z.int(), z.int()]).default([0, 1]),
});
const Resume = z.object({ token: z.string(), session_id: z.string(), seq: z.int() });

/** A client's connection: hello, heartbeats, identify or resume. */
class Connection implements SessionLink {
  readonly #socket: WebSocket;
  readonly #gateway: Gateway;
  readonly #silence: NodeJS.Timeout;
  #isClosing = false;
  #session: Session | undefined;

  constructor(socket: WebSocket, gateway: Gateway) {
    this.#socket = socket;
    this.#gateway = gateway;
    const { heartbeatIntervalMs, faults } = gateway;
    this.#silence = setTimeout(() => this.close(Close.SessionTimedOut), 1.5 * heartbeatIntervalMs);
    socket.on('message', (data) => this.#receive(String(data)));
    socket.on('close', (code) => {
      clearTimeout(this.#silence);
      // A client that closes with one of these codes ends its session; events/gateway, "Disconnecting"
      if (this.#session && (code === 1_000 || code === 1_001)) gateway.end(this.#session);
      this.#release();
    });
    socket.on('error', () => socket.terminate());
    if (faults.closesAtOnce !== undefined) this.close(faults.closesAtOnce);
    else if (!faults.helloWithheld) this.sendOp(Op.Hello, { heartbeat_interval: heartbeatIntervalMs });
  }

  send(frame: string): void {
    if (this.#isOpen) this.#socket.send(frame);
  }

  sendOp(op: Op, d: unknown): void {
    this.send(JSON.stringify({ op, d, s: null, t: null }));
  }

  /** Events from now on wait for a resume. */
  close(code: number): void {
    this.#release();
    this.#isClosing = true;
    if (code === 1_006) this.#socket.terminate();
    else this.#socket.close(code);
  }

  invalidate(resumable: boolean): void {
    // Without a session a resume is on its way; another op 9 would ask for a second one, which is refused (4005).
    if (!this.#session) return;
    if (!resumable) this.#gateway.end(this.#session);
    this.#release();
    this.sendOp(Op.InvalidSession, resumable);
  }

  get #isOpen(): boolean {
    return !this.#isClosing && this.#socket.readyState === this.#socket.OPEN;
  }

  #receive(text: string) {
    if (!this.#isOpen) return;
    const frame = unlessMalformed(() => Frame.parse(JSON.parse(text)));
    if (!frame) return this.close(Close.DecodeError);
    if (frame.op === Op.Heartbeat) {
      this.#silence.refresh();
      if (!this.#gateway.faults.heartbeatsIgnored) this.sendOp(Op.HeartbeatAck, null);
      return;
    }
    if (frame.op !== Op.Identify && frame.op !== Op.Resume) return this.close(Close.UnknownOpcode);
    if (this.#session) return this.close(Close.AlreadyAuthenticated);
    if (frame.op === Op.Identify) this.#identify(Identify.safeParse(frame.d).data);
    else this.#resume(Resume.safeParse(frame.d).data);
  }

  #identify(identify: z.infer<typeof Identify> | undefined) {
    if (!identify) return this.close(Close.DecodeError);
    const { token, intents, shard } = identify;
    if (!this.#gateway.isBotToken(token)) return this.close(Close.AuthenticationFailed);
    if (shard[0] < 0 || shard[0] >= shard[1]) return this.close(Close.InvalidShard);
    if (intents !== 0) return this.close(Close.DisallowedIntents); // no other events are emulated
    if (!this.#gateway.mayIdentify(shard[0], performance.now())) return this.sendOp(Op.InvalidSession, false);
    const { readyDelayMs } = this.#gateway.faults;
    if (readyDelayMs === 0) this.#begin(shard);
    else setTimeout(() => this.#begin(shard), readyDelayMs).unref();
  }

  #begin(shard: Shard): void {
    if (this.#isOpen) this.#session = this.#gateway.begin(shard, this);
  }

  #resume(resume: z.infer<typeof Resume> | undefined) {
    if (!resume) return this.close(Close.DecodeError);
    if (!this.#gateway.isBotToken(resume.token)) return this.close(Close.AuthenticationFailed);
    const { faults } = this.#gateway;
    if (faults.resumesIgnored) return;
    const isRefused = faults.refusedResumes > 0;
    if (isRefused) faults.refusedResumes--;
    const session = isRefused ? undefined : this.#gateway.kept(resume.session_id, resume.seq);
    if (!session) return this.sendOp(Op.InvalidSession, false);
    if (!session.resume(resume.seq, this)) return this.close(Close.InvalidSeq);
    this.#session = session;
    this.#gateway.resumed();
  }

  #release(): void {
    const session = this.#session;
    this.#session = undefined;
    session?.leave(this, () => this.#gateway.end(session));
  }
}

const REPLAYABLE = 1_000; // events kept for a resume; Discord names no number
const RESUMABLE_MS = 180_000; // how long Discord keeps a session is not documented; minutes in practice

/** One identified bot process on one shard. It survives its connection, and ends when nobody resumes it. */
class Session {
  readonly id = randomBytes(16).toString('hex');
  readonly shard: Shard;
  readonly #kept: string[] = [];
  #sequence = 0;
  #link: SessionLink | undefined;
  #expiry: NodeJS.Timeout | undefined;

  constructor(shard: Shard, link: SessionLink) {
    this.shard = shard;
    this.#link = link;
  }

  get isConnected(): boolean {
    return this.#link !== undefined;
  }

  /** Whether this session's shard gets a guild's events, or those of direct messages (null). */
  serves(guildId: string | null): boolean {
    return shardOf(guildId, this.shard[1]) === this.shard[0];
  }

  /** Sends an event, or stores it for a resume. `json` is the serialized payload. */
  dispatch(type: string, json: string): void {
    events.publish({ type, json } satisfies DispatchedEvent);
    const frame = `{"op":0,"s":${++this.#sequence},"t":"${type}","d":${json}}`;
    this.#kept.push(frame);
    if (this.#kept.length > REPLAYABLE) this.#kept.shift();
    this.#link?.send(frame);
  }

  keepsSince(sequence: number): boolean {
    return this.#sequence - sequence <= this.#kept.length;
  }

  /** Moves the session to a new connection, which first receives the missed events. @returns whether the number is possible */
  resume(sequence: number, link: SessionLink): boolean {
    const missed = this.#sequence - sequence;
    if (missed < 0) return false;
    this.#link?.close(4_000);
    clearTimeout(this.#expiry);
    this.#link = link;
    for (const frame of missed > 0 ? this.#kept.slice(-missed) : []) link.send(frame);
    this.dispatch('RESUMED', '{}');
    return true;
  }

  /** Called when a connection is lost. A newer connection of the session is kept. */
  leave(link: SessionLink, expire: () => void): void {
    if (this.#link !== link) return;
    this.#link = undefined;
    this.#expiry = setTimeout(expire, RESUMABLE_MS).unref();
  }
}
