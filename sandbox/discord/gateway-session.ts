import { randomBytes } from 'node:crypto';

import { type DispatchedEvent, events } from './observation.ts';
import { shardOf } from './snowflake.ts';

const REPLAYABLE = 1_000; // events kept for a resume; Discord names no number

/** Receives a session's events while a client is connected. */
export interface SessionLink {
  send(frame: string): void;
  close(code: number): void;
}

/** One identified bot process on one shard. It survives its connection until it is ended. */
export class GatewaySession {
  readonly id = randomBytes(16).toString('hex');
  readonly shard: readonly [id: number, count: number];
  readonly #kept: string[] = [];
  #sequence = 0;
  #link: SessionLink | undefined;
  #detachedAtMs = 0;

  constructor(shard: readonly [id: number, count: number], link: SessionLink) {
    this.shard = shard;
    this.#link = link;
  }

  get isConnected(): boolean {
    return this.#link !== undefined;
  }

  /** When the connection was lost, ms since the epoch; undefined while connected. */
  get detachedAtMs(): number | undefined {
    return this.#link ? undefined : this.#detachedAtMs;
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

  /** The result of a resume from `sequence`: it works, the number is impossible, or too many events were missed. */
  resumable(sequence: number): 'yes' | 'bad sequence' | 'too late' {
    if (sequence < 0 || sequence > this.#sequence) return 'bad sequence';
    return this.#sequence - sequence > this.#kept.length ? 'too late' : 'yes';
  }

  /** Moves the session to a new connection, which first receives the missed events. */
  resume(sequence: number, link: SessionLink): void {
    this.#link?.close(4_000);
    this.#link = link;
    const missed = this.#sequence - sequence;
    for (const frame of missed > 0 ? this.#kept.slice(-missed) : []) link.send(frame);
    this.dispatch('RESUMED', '{}');
  }

  /** Called when a connection is lost. A newer connection of the session is kept. */
  detach(link: SessionLink, nowMs: number): void {
    if (this.#link !== link) return;
    this.#link = undefined;
    this.#detachedAtMs = nowMs;
  }
}
