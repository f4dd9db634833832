import { setTimeout as sleep } from 'node:timers/promises';
import {
  type SessionInfo,
  SimpleShardingStrategy,
  type WebSocketManager,
  type WebSocketShard,
  WebSocketShardEvents,
} from '@discordjs/ws';
import type { Logger } from '../../log.ts';
import { withTimeout } from '../../time/timers.ts';
import { FATAL_CLOSES } from './fatal-closes.ts';
import { OddFrames } from './odd-frames.ts';
import { broken, reconnectWaitMs, type ShardLine } from './reconnect-wait.ts';
import { awaitResumed } from './resume-answer.ts';
import { makeSturdy } from './sturdy-shard.ts';

/** A gateway that accepts connections or a RESUME and then says nothing is given up after this long, not after half a minute. */
const SILENCE_MS = 10_000;
/** Longer than the handshake before it, which is told apart so. */
const HELLO_MS = SILENCE_MS + 1_000;
/** Then a new session is begun: the address for resumes may be dead, or the session poisoned. */
const MOST_RESUMES = 2;
/** A connection in good order closes in far less. */
const CLOSE_MS = 500;

/**
 * The shards of this process. discord.js alone tries a gateway that cannot be reached twice a second for ever, takes
 * an odd frame for the end of the process, and comes back to life when it is destroyed in the middle of connecting.
 */
export class GatewayShards extends SimpleShardingStrategy {
  readonly #manager: WebSocketManager;
  readonly #log: Logger;
  readonly #lines = new Map<number, ShardLine>();
  /** Shards whose connection broke and that have not been greeted on a new one, with what they have to wait. */
  readonly #waits = new Map<number, number>();
  /** Connections that were to take the session up, since one last was. */
  readonly #resumes = new Map<number, number>();
  readonly #oddFrames: OddFrames;
  #closing = new AbortController();

  constructor(manager: WebSocketManager, log: Logger) {
    super(manager);
    this.#manager = manager;
    this.#log = log;
    this.#oddFrames = new OddFrames(log);
    this.#watch();
    const { options } = manager;
    options.handshakeTimeout = SILENCE_MS;
    options.helloTimeout = HELLO_MS;
    // A shard asks for its session just before it connects, and at no other time while it has no connection.
    const sessionOf = options.retrieveSessionInfo;
    options.retrieveSessionInfo = (shard) =>
      this.#isClosed || this.#waits.has(shard)
        ? this.#turn(shard).then(async () => this.#resumable(shard, await sessionOf(shard)))
        : sessionOf(shard);
  }

  override async spawn(shardIds: number[]): Promise<void> {
    this.#closing = new AbortController();
    await super.spawn(shardIds);
    const { shards } = this as unknown as { shards: ReadonlyMap<number, WebSocketShard> };
    for (const shard of shards.values()) {
      makeSturdy(shard, this.#oddFrames);
      awaitResumed(shard, SILENCE_MS, this.#log);
    }
  }

  /** Never rejects: a shard that meets an error goes on trying by itself. */
  override async connect(): Promise<void> {
    await super.connect().catch(() => {});
  }

  /** Opens no connection any more. Resolves when every one is closed, or soon: the rest goes with the process. */
  override async destroy(...options: Parameters<SimpleShardingStrategy['destroy']>): Promise<void> {
    this.#closing.abort();
    // For a shard that waits for READY this would never resolve.
    await withTimeout(CLOSE_MS, super.destroy(...options));
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** To be destroyed is to wait for ever; nothing else keeps a shard from connecting. */
  async #turn(shard: number): Promise<void> {
    const { signal } = this.#closing;
    const waitMs = this.#waits.get(shard) ?? 0;
    if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) await new Promise(() => {});
  }

  #resumable(shard: number, session: SessionInfo | null): SessionInfo | null {
    const tried = this.#resumes.get(shard) ?? 0;
    if (!session || tried >= MOST_RESUMES) return null;
    this.#resumes.set(shard, tried + 1);
    return session;
  }

  #watch(): void {
    this.#survive();
    this.#manager.on(WebSocketShardEvents.Closed, ({ code, shardId }) => this.#broke(shardId, code));
    this.#manager.on(WebSocketShardEvents.Hello, ({ shardId }) => {
      this.#waits.delete(shardId);
      this.#lines.set(shardId, { ...this.#line(shardId), greeted: true });
    });
    this.#manager.on(WebSocketShardEvents.Ready, ({ shardId }) => {
      this.#lines.set(shardId, { ...this.#line(shardId), identifiedAtMs: Date.now() });
      this.#resumes.delete(shardId);
    });
    this.#manager.on(WebSocketShardEvents.Resumed, ({ shardId }) => {
      this.#lines.delete(shardId);
      this.#resumes.delete(shardId);
    });
  }

  /** An event that discord.js cannot make sense of is dropped; what it throws would end the process. */
  #survive(): void {
    const manager: NodeJS.EventEmitter = this.#manager;
    const { emit } = manager;
    manager.emit = (name, payload: { shardId: number }) => {
      try {
        return emit.call(manager, name, payload);
      } catch (err) {
        this.#oddFrames.drop({ shard: payload.shardId, err });
        return true;
      }
    };
  }

  #line(shard: number): ShardLine {
    return this.#lines.get(shard) ?? { failures: 0 };
  }

  #broke(shard: number, code: number): void {
    if (this.#isClosed || FATAL_CLOSES.has(code)) return;
    const before = this.#line(shard);
    const line = broken(before, Date.now());
    this.#lines.set(shard, line);
    const waitMs = reconnectWaitMs(line.failures, before.greeted ?? false);
    this.#waits.set(shard, waitMs);
    if (line.failures === 1) this.#log.info({ shard, code }, 'gateway connection lost, reconnecting');
    else this.#log.warn({ shard, code, failures: line.failures, waitMs }, 'gateway cannot be reached');
  }
}
