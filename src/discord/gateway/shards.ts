import { setTimeout as sleep } from 'node:timers/promises';
import {
  type SessionInfo,
  SimpleShardingStrategy,
  type WebSocketManager,
  type WebSocketShard,
  WebSocketShardEvents,
} from '@discordjs/ws';
import { Incident, type Logger } from '../../log.ts';
import type { Events, EventsByName } from '../../model/events.ts';
import { withTimeout } from '../../time/timers.ts';
import { broken, DISCORD, FATAL_CLOSES, type ShardConnection } from './reconnect.ts';
import { makeSturdy, SILENCE_MS } from './sturdy-shard.ts';

/** Longer than the handshake before it, so that the two timeouts are distinguishable. */
const HELLO_MS = SILENCE_MS + 1_000;
/** After this many a new session is started: the address for resumes may be dead, or the session unusable. */
const MAX_RESUMES = 2;
const UNREACHABLE = 'gateway cannot be reached: the bot misses commands, and keeps trying; see discordstatus.com';
/** A working connection closes in far less. */
const CLOSE_MS = 500;

/**
 * The shards of this process. discord.js by itself tries an unreachable gateway twice a second without end, lets an odd
 * frame end the process, and reconnects after it was destroyed in the middle of connecting.
 */
export class GatewayShards extends SimpleShardingStrategy {
  readonly #manager: WebSocketManager;
  readonly #events: Events;
  readonly #log: Logger;
  readonly #connections = new Map<number, ShardConnection>();
  readonly #oddFrames: Incident;
  #closing = new AbortController();

  constructor(manager: WebSocketManager, events: Events, log: Logger) {
    super(manager);
    this.#manager = manager;
    this.#events = events;
    this.#log = log;
    this.#oddFrames = new Incident(log, {
      level: 'warn',
      begins: 'odd gateway frame dropped',
      ends: 'no more odd gateway frames',
    });
    this.#watch();
    const { options } = manager;
    options.handshakeTimeout = SILENCE_MS;
    options.helloTimeout = HELLO_MS;
    // A shard reads its session just before it connects, and at no other time while it has no connection.
    const sessionOf = options.retrieveSessionInfo;
    options.retrieveSessionInfo = async (shard) => {
      const { waitMs } = this.#connection(shard);
      if (waitMs === undefined && !this.#isClosed) return sessionOf(shard);
      await this.#beforeConnecting(waitMs ?? 0);
      return this.#resumable(shard, await sessionOf(shard));
    };
  }

  override async spawn(shardIds: number[]): Promise<void> {
    this.#closing = new AbortController();
    for (const shard of shardIds) this.#publish(shard, 'connecting');
    await super.spawn(shardIds);
    const { shards } = this as unknown as { shards: ReadonlyMap<number, WebSocketShard> };
    for (const shard of shards.values()) makeSturdy(shard, this.#oddFrames, this.#log);
  }

  /** Never rejects: a shard that fails keeps trying by itself. */
  override async connect(): Promise<void> {
    await super.connect().catch(() => {});
  }

  /** Opens no further connection. Resolves when all are closed, after 500 ms at most: the process ends the rest. */
  override async destroy(...options: Parameters<SimpleShardingStrategy['destroy']>): Promise<void> {
    this.#closing.abort();
    // Never resolves for a shard that waits for READY.
    await withTimeout(CLOSE_MS, super.destroy(...options));
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Never resolves once destroyed: nothing else keeps a shard from connecting. */
  async #beforeConnecting(waitMs: number): Promise<void> {
    const { signal } = this.#closing;
    if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) await new Promise(() => {});
  }

  #resumable(shard: number, session: SessionInfo | null): SessionInfo | null {
    const { resumes } = this.#connection(shard);
    if (!session || resumes >= MAX_RESUMES) return null;
    this.#update(shard, { resumes: resumes + 1 });
    return session;
  }

  #watch(): void {
    this.#manager.on(WebSocketShardEvents.Closed, ({ code, shardId }) => this.#broke(shardId, code));
    this.#manager.on(WebSocketShardEvents.HeartbeatComplete, () => this.#oddFrames.succeeded());
    this.#manager.on(WebSocketShardEvents.Hello, ({ shardId }) => {
      this.#publish(shardId, 'connecting');
      this.#update(shardId, { waitMs: undefined, isGreeted: true });
    });
    this.#manager.on(WebSocketShardEvents.Ready, ({ shardId }) => {
      this.#publish(shardId, 'ready');
      this.#update(shardId, { identifiedAtMs: Date.now(), resumes: 0 });
    });
    this.#manager.on(WebSocketShardEvents.Resumed, ({ shardId }) => {
      this.#publish(shardId, 'ready');
      this.#connections.delete(shardId);
    });
  }

  #connection(shard: number): ShardConnection {
    return this.#connections.get(shard) ?? { failures: 0, resumes: 0 };
  }

  #update(shard: number, more: Partial<ShardConnection>): void {
    this.#connections.set(shard, { ...this.#connection(shard), ...more });
  }

  #publish(shard: number, state: EventsByName['gateway']['state']): void {
    this.#events.publish('gateway', { shard, state });
  }

  #broke(shard: number, code: number): void {
    this.#publish(shard, 'closed');
    if (this.#isClosed || FATAL_CLOSES.has(code)) return;
    const connection = broken(this.#connection(shard), Date.now());
    const { failures, waitMs } = connection;
    this.#connections.set(shard, connection);
    if (failures === 1) this.#log.info({ shard, code }, 'gateway connection lost, reconnecting');
    else this.#log.warn({ shard, code, failures, waitMs, outage: DISCORD }, UNREACHABLE);
  }
}
