import { setTimeout as sleep } from 'node:timers/promises';
import { SimpleShardingStrategy, type WebSocketManager, WebSocketShardEvents } from '@discordjs/ws';
import type { Logger } from '../log.ts';
import { within } from '../within.ts';
import { FATAL_CLOSES } from './fatal-closes.ts';
import { broken, reconnectWaitMs, type ShardLine } from './reconnect-wait.ts';

/** A gateway that accepts connections and then says nothing is given up after this long, not after half a minute. */
const SILENCE_MS = 10_000;
/** A connection in good order closes in far less. */
const CLOSE_MS = 500;

/**
 * The shards of this process. discord.js alone tries a gateway that cannot be reached twice a second for ever, and
 * comes back to life when it is destroyed in the middle of connecting.
 */
export class GatewayShards extends SimpleShardingStrategy {
  readonly #manager: WebSocketManager;
  readonly #log: Logger;
  readonly #lines = new Map<number, ShardLine>();
  /** Shards whose connection broke and that have not been greeted on a new one, with what they have to wait. */
  readonly #waits = new Map<number, number>();
  #closed = false;

  constructor(manager: WebSocketManager, log: Logger) {
    super(manager);
    this.#manager = manager;
    this.#log = log;
    this.#watch();
    const { options } = manager;
    options.handshakeTimeout = SILENCE_MS;
    options.helloTimeout = SILENCE_MS;
    // A shard asks for its session just before it connects, and at no other time while it has no connection.
    const sessionOf = options.retrieveSessionInfo;
    options.retrieveSessionInfo = (shard) =>
      this.#closed || this.#waits.has(shard) ? this.#turn(shard).then(() => sessionOf(shard)) : sessionOf(shard);
  }

  override async spawn(shardIds: number[]): Promise<void> {
    this.#closed = false;
    await super.spawn(shardIds);
  }

  /** Never rejects: a shard that meets an error goes on trying by itself. */
  override async connect(): Promise<void> {
    await super.connect().catch(() => {});
  }

  /** Opens no connection any more. Resolves when every one is closed, or soon: the rest goes with the process. */
  override async destroy(...options: Parameters<SimpleShardingStrategy['destroy']>): Promise<void> {
    this.#closed = true;
    // For a shard that waits for READY this would never resolve.
    await within(CLOSE_MS, super.destroy(...options));
  }

  async #turn(shard: number): Promise<void> {
    const waitMs = this.#waits.get(shard) ?? 0;
    if (waitMs > 0) await sleep(waitMs, undefined, { ref: false });
    // To be destroyed is to wait for ever; nothing else keeps a shard from connecting.
    if (this.#closed) await new Promise(() => {});
  }

  #watch(): void {
    this.#manager.on(WebSocketShardEvents.Closed, ({ code, shardId }) => this.#broke(shardId, code));
    this.#manager.on(WebSocketShardEvents.Hello, ({ shardId }) => {
      this.#waits.delete(shardId);
      this.#lines.set(shardId, { ...this.#line(shardId), greeted: true });
    });
    this.#manager.on(WebSocketShardEvents.Ready, ({ shardId }) => {
      this.#lines.set(shardId, { ...this.#line(shardId), identifiedAtMs: Date.now() });
    });
    this.#manager.on(WebSocketShardEvents.Resumed, ({ shardId }) => void this.#lines.delete(shardId));
  }

  #line(shard: number): ShardLine {
    return this.#lines.get(shard) ?? { failures: 0 };
  }

  #broke(shard: number, code: number): void {
    if (this.#closed || FATAL_CLOSES.has(code)) return;
    const before = this.#line(shard);
    const line = broken(before, Date.now());
    this.#lines.set(shard, line);
    const waitMs = reconnectWaitMs(line.failures, before.greeted ?? false);
    this.#waits.set(shard, waitMs);
    if (line.failures === 1) this.#log.info({ shard, code }, 'gateway connection lost, reconnecting');
    else this.#log.warn({ shard, code, failures: line.failures, waitMs }, 'gateway cannot be reached');
  }
}
