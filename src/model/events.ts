import { EventEmitter } from 'node:events';
import type { PriceRow } from './card.ts';
import type { Requester, WindowName } from './quota.ts';

export type Source = 'cache' | 'stale' | 'service' | 'bot';

/** A command has ended: its final answer is shown, or none will be. */
export interface CommandEvent extends Pick<Requester, 'memberId' | 'guildId'> {
  /** The command's name, also when a button or a menu of its reply was used. */
  command: string;
  /**
   * The ids of the cards that it is about, as far as they fit; of a refused command, the beginning of what was typed.
   */
  card?: string | undefined;
  /** Where the answer came from. */
  source: Source;
  /** Time spent waiting for a permit. */
  waitMs: number;
  /** Time since the command was received. */
  tookMs: number;
  /** `answered`, or the name of what prevented an answer. */
  outcome: string;
  /** How many of several cards came, and how many were wanted; absent for a single card. */
  shown?: number;
  asked?: number;
  /**
   * The error that was thrown. One of discord.js holds the interaction's token in its `url`, which the log takes out.
   */
  err?: unknown;
}

/** What is published under each name. */
export interface EventsByName {
  command: CommandEvent;
  /** A reply shows these cards to a member, or to everyone who can read the channel. */
  shown: Requester & { cardIds: readonly string[]; isPrivate: boolean };
  /**
   * An answer of the service brought a market price of a card; also under the id that it was asked for by. `isAnew`: it
   * is not to be compared with those before.
   */
  priced: { cardId: string; market: number; atMs: number; isAnew?: boolean } & PriceRow;
  /** A request to the card service has ended: `answered`, or with the error of that name. */
  request: { endpoint: 'card' | 'cards' | 'usage'; outcome: string };
  /** The service has answered 429: nothing remains of the window, or requests pause until a stated time. */
  rateLimit: { kind: 'pause' | WindowName };
  /** A deferred reply changed hands or ended. */
  reply: { step: 'deferred' | 'taken over' | 'completed' | 'dropped'; interactionId: string; command: string };
  /** A connection to the gateway changed. `connecting`: it cannot receive commands yet. */
  gateway: { shard: number; state: 'connecting' | 'ready' | 'closed' };
  /**
   * A store failed, for a reason that an operator can end, or works for the first time after it failed or after the
   * start.
   */
  store: { store: 'cards' | 'state' | 'redis'; works: boolean; reason?: string | undefined };
}

/** What one bot does, for the log, metrics and readiness. */
export class Events {
  readonly #emitter = new EventEmitter();

  publish<Name extends keyof EventsByName>(name: Name, event: EventsByName[Name]): void {
    this.#emitter.emit(name, event);
  }

  subscribe<Name extends keyof EventsByName>(name: Name, listener: (event: EventsByName[Name]) => void): void {
    this.#emitter.on(name, listener);
  }
}
