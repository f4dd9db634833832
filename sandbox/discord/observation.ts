import { channel } from 'node:diagnostics_channel';

/** A REST request without its files, and the answer to it. */
export interface Exchange {
  method: string;
  /** `path` of its `Route`; undefined = it was refused before it reached one. */
  route?: string;
  /** undefined = it was refused before its body was read. */
  sent?: unknown;
  /** undefined = an injected fault. */
  answered?: { status: number; body?: unknown };
}

/** A dispatch of the gateway, to one session. */
export interface DispatchedEvent {
  type: string;
  /** Its `d`, serialized. */
  json: string;
}

// Channels of the process, so that whoever wants to see the traffic of every emulated Discord need not be handed each.
export const exchanges = channel('cardbot:emulated-discord:exchange');
export const events = channel('cardbot:emulated-discord:event');

/** Called for the traffic of every emulated Discord in this process, from now on. */
export function observe(on: { exchange(exchange: Exchange): void; event(event: DispatchedEvent): void }): void {
  exchanges.subscribe((message) => on.exchange(message as Exchange));
  events.subscribe((message) => on.event(message as DispatchedEvent));
}
