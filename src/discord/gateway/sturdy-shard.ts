import { setTimeout as sleep } from 'node:timers/promises';
import {
  WebSocketShardEvents as Events,
  type WebSocketShard,
  WebSocketShardDestroyRecovery,
  WebSocketShardStatus,
} from '@discordjs/ws';
import { GatewayDispatchEvents, GatewayOpcodes } from 'discord.js';
import type { Incident, Logger } from '../../log.ts';

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
  resume(session: unknown): Promise<void>;
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

/** A connection or a RESUME that is accepted and then not answered is abandoned after this; discord.js waits 30 s. */
export const SILENCE_MS = 10_000;

/** Keeps a shard running whatever the gateway sends: a frame that discord.js cannot handle is dropped. */
export function makeSturdy(shard: WebSocketShard, oddFrames: Incident, log: Logger): void {
  const inner = shard as unknown as Inner;
  const { unpackMessage, internalConnect } = inner;

  inner.unpackMessage = async (...data) =>
    readableFrame(await unpackMessage.apply(shard, data), shard.status !== WebSocketShardStatus.Connecting);

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
      original.apply(shard, given as never[]).catch((err: unknown) => oddFrames.failed({ shard: shard.id, err }));
  }

  const { destroy } = shard;
  shard.destroy = (...options) => {
    abandon(inner.connection);
    return destroy.apply(shard, options);
  };
  awaitResumed(shard, inner, log);
}

/** discord.js drops a connection that is not open yet; its later error would have no listener and end the process. */
function abandon(connection: Connection | null): void {
  if (connection?.readyState !== CONNECTING) return;
  connection.onclose = null;
  connection.onerror = null;
  connection.on('error', () => {});
  connection.terminate();
}

/**
 * Closes a connection on which a RESUME has been answered by neither RESUMED nor op 9, nor by a missed event, for
 * `SILENCE_MS`: heartbeats may still be acknowledged there. discord.js waits for the answer to an IDENTIFY alone.
 */
function awaitResumed(shard: WebSocketShard, inner: Inner, log: Logger): void {
  const { resume } = inner;
  const { Dispatch, Hello, Ready, Resumed, Closed } = Events;
  let silence: NodeJS.Timeout | undefined;

  inner.resume = async (session) => {
    silence ??= setTimeout(giveUp, SILENCE_MS); // a second RESUME, after op 9, does not extend the wait
    await resume.call(shard, session);
  };
  shard.on(Dispatch, () => void silence?.refresh());
  for (const event of [Hello, Ready, Resumed, Closed] as const) {
    shard.on(event, () => {
      clearTimeout(silence);
      silence = undefined;
    });
  }

  function giveUp(): void {
    silence = undefined;
    if (shard.status !== WebSocketShardStatus.Resuming) return;
    log.warn({ shard: shard.id, waitMs: SILENCE_MS }, 'resume was not answered, trying again');
    void shard.destroy({ reason: 'RESUME was not answered', recover: WebSocketShardDestroyRecovery.Resume });
  }
}

type Frame = Record<string, unknown>;

/**
 * A frame as discord.js can read it.
 *
 * @param frame as parsed, which may be changed; null when it was not JSON
 * @param isGreeted whether this connection has had its HELLO: after another one discord.js sends twice the heartbeats
 */
export function readableFrame(frame: unknown, isGreeted: boolean): unknown {
  if (!isObject(frame)) return null;
  if (frame.op === GatewayOpcodes.Hello && isGreeted) return null;
  if (frame.op === GatewayOpcodes.InvalidSession) return { ...frame, d: frame.d === true };
  if (frame.t === GatewayDispatchEvents.InteractionCreate && isObject(frame.d)) makeReadable(frame.d);
  return frame;
}

/**
 * Discord's specification does not require that a message says who used the command which it answers, but discord.js
 * reads that user without checking. Such a message then answers nobody. And unless a poll says which channel it is in,
 * discord.js asks the channel itself, which it does not know without intents.
 */
function makeReadable({ message, data }: Frame): void {
  const resolved = isObject(data) && isObject(data.resolved) ? data.resolved.messages : undefined;
  for (const each of [message, ...Object.values(resolved ?? {})]) {
    if (!isObject(each)) continue;
    each.interaction_metadata = named(each.interaction_metadata);
    if (isObject(each.poll)) each.poll = { ...each.poll, channel_id: each.channel_id ?? '' };
  }
}

function named(metadata: unknown): Frame | undefined {
  if (!isObject(metadata) || !isObject(metadata.user)) return undefined;
  return { ...metadata, triggering_interaction_metadata: named(metadata.triggering_interaction_metadata) };
}

function isObject(value: unknown): value is Frame {
  return typeof value === 'object' && value !== null;
}
