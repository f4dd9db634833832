import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocketShardEvents as Events, type WebSocketShard, WebSocketShardStatus } from '@discordjs/ws';
import { GatewayOpcodes } from 'discord.js';
import type { Logger } from '../../log.ts';
import { readFrame } from './read-frame.ts';

/**
 * Private in @discordjs/ws 1.2.3, which awaits none of the four from `internalConnect` to `heartbeat`: what one of them
 * throws ends the process.
 */
interface Inner {
  connection: Connection | null;
  unpackMessage(data: unknown, isBinary: boolean): Promise<unknown>;
  internalConnect(): Promise<void>;
  onMessage(...frame: unknown[]): Promise<void>;
  onClose(code: number): Promise<void>;
  heartbeat(requested?: boolean): Promise<void>;
}

/** The part of a WebSocket of `ws` that is used here. */
interface Connection {
  readyState: number;
  onclose: unknown;
  onerror: unknown;
  on(event: 'error', listener: () => void): void;
  terminate(): void;
}

const CONNECTING = 0;
/** discord.js also waits this long before it connects again. */
const RETRY_MS = 500;
const BROKEN = 1_006;

/** Keeps a shard running whatever the gateway sends: frames that discord.js cannot handle never reach it. */
export function makeSturdy(shard: WebSocketShard, oddFrames: OddFrames): void {
  const inner = shard as unknown as Inner;
  const greeted = new WeakSet<Connection>();
  const { unpackMessage, internalConnect } = inner;

  inner.unpackMessage = async (...data) => {
    const { connection } = inner;
    const isGreeted = connection !== null && greeted.has(connection);
    const read = readFrame(await unpackMessage.apply(shard, data), isGreeted);
    if ('odd' in read) {
      oddFrames.drop({ shard: shard.id, ...read });
      return null;
    }
    if (connection && read.frame.op === GatewayOpcodes.Hello) greeted.add(connection);
    return read.frame;
  };

  inner.internalConnect = async () => {
    try {
      await internalConnect.call(shard);
    } catch {
      // Two frames that each require a new connection: the second finds one being opened.
      if (shard.status !== WebSocketShardStatus.Idle) return;
      shard.emit(Events.Closed, { code: BROKEN }); // the address is not valid
      await sleep(RETRY_MS);
      await inner.internalConnect();
    }
  };
  for (const name of ['onMessage', 'onClose', 'heartbeat'] as const) {
    const original: (...given: never[]) => Promise<void> = inner[name];
    inner[name] = (...given: unknown[]) =>
      original.apply(shard, given as never[]).catch((err: unknown) => oddFrames.drop({ shard: shard.id, err }));
  }

  const { destroy } = shard;
  shard.destroy = (...options) => {
    abandon(inner.connection);
    return destroy.apply(shard, options);
  };
}

/** discord.js drops a connection that is not open yet; its later error would have no listener and end the process. */
function abandon(connection: Connection | null): void {
  if (connection?.readyState !== CONNECTING) return;
  connection.onclose = null;
  connection.onerror = null;
  connection.on('error', () => {});
  connection.terminate();
}

const LOG_AGAIN_MS = 60_000;

/** Logs that frames of the gateway were dropped: the first at once, more at most once a minute. */
export class OddFrames {
  readonly #log: Logger;
  readonly #nowMs: () => number;
  #loggedAtMs = Number.NEGATIVE_INFINITY;
  #dropped = 0;

  constructor(log: Logger, nowMs = () => performance.now()) {
    this.#log = log;
    this.#nowMs = nowMs;
  }

  /** @param why names fields, never their values: frames hold interaction tokens */
  drop(why: { shard: number; odd?: string; event?: string; err?: unknown }): void {
    this.#dropped++;
    if (this.#nowMs() - this.#loggedAtMs < LOG_AGAIN_MS) return;
    this.#log.warn({ ...why, dropped: this.#dropped }, 'odd gateway frame dropped');
    this.#loggedAtMs = this.#nowMs();
    this.#dropped = 0;
  }
}
