import { channel } from 'node:diagnostics_channel';
import type { Breaker, QuotaState, Requester } from './quota.ts';

/** A command has ended: its final answer is shown, or none will be. */
export interface CommandEvent extends Requester {
  /** The command's name, also when a button or a menu of its reply was used. */
  command: string;
  /** The ids of the cards that it is about, as far as they fit; of a refused command, the beginning of what was typed. */
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
  /** The error that was thrown. One of discord.js holds the interaction's token in its `url`, which the log takes out. */
  err?: unknown;
}

export type Source = 'cache' | 'stale' | 'service' | 'bot';

/** A reply shows these cards to a member, or to everyone who can read the channel. */
export interface ShownEvent extends Requester {
  cardIds: readonly string[];
  isPrivate: boolean;
}

/** A request to the card service has ended. */
export interface RequestEvent {
  endpoint: 'card' | 'cards' | 'usage';
  /** `answered`, or the name of the error. */
  outcome: string;
  tookMs: number;
  /** Cards that the answer brought; 0 when there is none. */
  cards: number;
}

/** The service has answered 429. `day`: nothing remains of the day; otherwise requests pause until a stated time. */
export interface RateLimitEvent {
  kind: 'pause' | 'day';
}

/** What was known of a card when a command asked for it. */
export interface KnownEvent {
  kind: 'fresh' | 'stale' | 'missing';
}

/** The limiter has answered whether one request may be sent. */
export interface PermitEvent {
  lane: string;
  /** With `wait` and `blocked` there is no permit before `untilMs`. */
  result: 'permit' | 'wait' | 'blocked';
  untilMs?: number;
}

/** A deferred reply changed hands or ended. */
export interface ReplyEvent {
  step: 'deferred' | 'taken over' | 'completed' | 'dropped';
  interactionId: string;
  command: string;
}

/** The number of cards that wait for a permit may have changed. */
export interface QueueEvent {
  length: number;
}

/** What the limiter knows may have changed; `quota` as last stated: its window may be over. */
export interface LimiterEvent {
  quota: QuotaState | undefined;
  breaker: Breaker;
}

/** A connection to the gateway changed. `connecting`: it cannot receive commands yet. */
export interface GatewayEvent {
  shard: number;
  state: 'connecting' | 'ready' | 'closed';
}

/** Discord has answered a heartbeat of a shard. */
export interface HeartbeatEvent {
  shard: number;
  tookMs: number;
}

/** Discord refuses the bot for good. */
export interface RefusedEvent {
  /** What the operator has to do, as a sentence. */
  message: string;
}

/** One HTTP request to Discord has ended; discord.js may send it again. */
export interface DiscordRequestEvent {
  call: 'callback' | 'edit' | 'other';
  /** `undefined` when there was no answer. */
  status: number | undefined;
  tookMs: number;
}

/** A store failed, or works for the first time after it failed or after the start. */
export interface StoreEvent {
  store: 'cards' | 'state' | 'redis';
  works: boolean;
}

/** What is published under each name. */
export interface EventsByName {
  command: CommandEvent;
  shown: ShownEvent;
  known: KnownEvent;
  /** An answer came without a request of its own. */
  saved: object;
  request: RequestEvent;
  rateLimit: RateLimitEvent;
  permit: PermitEvent;
  queue: QueueEvent;
  limiter: LimiterEvent;
  reply: ReplyEvent;
  gateway: GatewayEvent;
  heartbeat: HeartbeatEvent;
  refused: RefusedEvent;
  discordRequest: DiscordRequestEvent;
  store: StoreEvent;
}

/**
 * What one bot does, on channels of node:diagnostics_channel such as `cardbot:command`, for logs, metrics and alerts.
 * Channels are global to the process, so each message also names its `bot`. Publishing costs next to nothing while nothing
 * subscribes.
 */
export class Events {
  publish<Name extends keyof EventsByName>(name: Name, event: EventsByName[Name]): void {
    const to = channel(`cardbot:${name}`);
    if (to.hasSubscribers) to.publish({ bot: this, ...event });
  }

  /** Whether anyone listens: for events that take work to describe. */
  isWatched(name: keyof EventsByName): boolean {
    return channel(`cardbot:${name}`).hasSubscribers;
  }

  /**
   * Events of this bot alone.
   *
   * @returns ends the subscription
   */
  subscribe<Name extends keyof EventsByName>(name: Name, listener: (event: EventsByName[Name]) => void): () => void {
    const from = channel(`cardbot:${name}`);
    const onMessage = (message: unknown) => {
      const { bot, ...event } = message as EventsByName[Name] & { bot: Events };
      if (bot === this) listener(event as unknown as EventsByName[Name]);
    };
    from.subscribe(onMessage);
    return () => void from.unsubscribe(onMessage);
  }
}
