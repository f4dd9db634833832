import { z } from 'zod';
import { CardQuery } from '../model/card.ts';
import { Asked, AskedList, Invocation } from '../model/invocation.ts';
import type { Message } from '../model/message.ts';

/**
 * A reply that shows cards, deferred or not: all that is needed to show it in this process, or to complete a deferred
 * one in a later process. Plain data.
 */
export interface CardsReply extends Invocation {
  asked: Asked;
}

/** Kept apart from `Asked`, which has a card to look up. */
const OfList = Asked.extend({ queries: z.array(CardQuery), list: AskedList });
/** A reply as it is kept. */
export const JournaledReply = Invocation.extend({ asked: z.union([OfList, Asked]) });

/** An interaction's token expires 15 minutes after the command; half a minute is kept for the last edit. */
export const REPLY_DEADLINE_MS = 14.5 * 60_000;

/** What became of the first answer to a command: a message, or "thinking…". */
export type FirstResult =
  /**
   * The member sees it. `err`: Discord has not confirmed it, but may have accepted it; editing the reply will show.
   * `isOfAnother`: Discord had an answer before anything was sent from here.
   */
  | { shown: true; err?: unknown; isOfAnother?: true }
  /** The member sees no reply that can be edited; `outcome` is for the log. */
  | { shown: false; outcome: string; err?: unknown };

/**
 * What became of an edit. `blocked`: AutoMod does not let others see the message. `refused`: Discord does not accept
 * it. `deleted`: somebody has deleted the reply. `lost`: it cannot be changed any more. `failed`: Discord could not be
 * reached; another try may succeed.
 */
export type EditResult = 'shown' | 'blocked' | 'refused' | 'deleted' | 'lost' | 'failed';

/** What a reply shows; only an answer has embeds. */
export interface ShownReply {
  content: string;
  embeds: readonly unknown[];
}

/** What prevented something, for the log; nothing when it was done. */
export interface Prevented {
  outcome?: string;
  err?: unknown;
}

/** Shows replies in Discord, by their token alone, and without a part that Discord refuses. No method rejects. */
export interface ReplySender {
  /**
   * Shows the message, or a private sentence when Discord refuses it.
   *
   * @param isInPlace of the one whose button was used
   */
  reply(to: Invocation, message: Message, isPrivate: boolean, isInPlace?: boolean): Promise<FirstResult>;
  /** Shows "thinking…", or a private sentence when Discord refuses it. */
  defer(reply: CardsReply): Promise<FirstResult>;
  /** Makes the reply show the message and nothing else; one that Discord refuses leaves it as it was. */
  edit(to: Invocation, message: Message, isPrivate: boolean): Promise<EditResult>;
  /**
   * Deletes the message whose button was used.
   *
   * @returns what prevented it, for the log; nothing when the message is gone
   */
  deleteSource(press: Invocation): Promise<Prevented>;
  /** What the reply shows. Costs a request to Discord; `undefined` when that fails. */
  read(reply: CardsReply): Promise<ShownReply | undefined>;
}
