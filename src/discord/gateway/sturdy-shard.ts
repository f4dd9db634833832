import { setTimeout as sleep } from 'node:timers/promises';
import { type WebSocketShard, WebSocketShardEvents, WebSocketShardStatus } from '@discordjs/ws';
import { GatewayOpcodes } from 'discord.js';
import { readFrame } from './gateway-frame.ts';
import type { OddFrames } from './odd-frames.ts';

/** Private in @discordjs/ws 1.2.3, which waits for none of the last four: what one of them throws ends the process. */
interface Inner {
  connection: Connection | null;
  unpackMessage(data: unknown, isBinary: boolean): Promise<unknown>;
  internalConnect(): Promise<void>;
  onMessage(...frame: unknown[]): Promise<void>;
  onClose(code: number): Promise<void>;
  heartbeat(requested?: boolean): Promise<void>;
}

/** Of a WebSocket of `ws`. */
interface Connection {
  readyState: number;
  onclose: unknown;
  onerror: unknown;
  on(event: 'error', listener: () => void): void;
  terminate(): void;
}

const CONNECTING = 0;
/** As long as discord.js waits before it connects again. */
const RETRY_MS = 500;
const BROKEN = 1_006;

/** Makes a shard that nothing the gateway sends can end: frames that discord.js would stumble over never reach it. */
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
      // Two frames that each ask for a new connection: the second finds one under way.
      if (shard.status !== WebSocketShardStatus.Idle) return;
      shard.emit(WebSocketShardEvents.Closed, { code: BROKEN }); // the address is none
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

/** discord.js forgets a connection that is not open yet; its later error would then be nobody's, and end the process. */
function abandon(connection: Connection | null): void {
  if (connection?.readyState !== CONNECTING) return;
  connection.onclose = null;
  connection.onerror = null;
  connection.on('error', () => {});
  connection.terminate();
}
