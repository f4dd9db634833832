import { channel } from 'node:diagnostics_channel';
import type { Requester } from './quota.ts';

/** A command has ended: its final answer is shown, or none will be. */
export interface CommandEvent extends Requester {
  /** The command's name, also when a button or a menu of its reply was used. */
  command: string;
  /** Where the answer came from. */
  source: Source;
  /** Time spent waiting for a permit. */
  waitMs: number;
  /** From the receipt of the command. */
  tookMs: number;
  /** `answered`, or the name of what prevented an answer. */
  outcome: string;
  /** As it was thrown: an error of discord.js holds the interaction's token in its `url`, which the log takes out. */
  err?: unknown;
}

export type Source = 'cache' | 'stale' | 'service' | 'bot';

/** A request to the card service has ended. */
export interface RequestEvent {
  endpoint: 'card' | 'usage';
  /** `answered`, or the name of the error. */
  outcome: string;
  tookMs: number;
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

interface EventsByName {
  command: CommandEvent;
  request: RequestEvent;
  permit: PermitEvent;
  reply: ReplyEvent;
}

/**
 * What one bot does, on the channels `cardbot:command`, `cardbot:request`, `cardbot:permit` and `cardbot:reply` of
 * node:diagnostics_channel, for logs and measurements. Channels are global to the process, so each message also names
 * its `bot`. Publishing costs next to nothing while nothing subscribes.
 */
export class Events {
  publish<Name extends keyof EventsByName>(name: Name, event: EventsByName[Name]): void {
    const to = channel(`cardbot:${name}`);
    if (to.hasSubscribers) to.publish({ bot: this, ...event });
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
