import { z } from 'zod';
import type { Logger } from '../log.ts';
import type { LookupsOptions } from '../lookup/lookups.ts';
import type { Outcomes } from '../lookup/outcomes.ts';
import { CardQuery } from '../model/card.ts';
import type { Events } from '../model/events.ts';
import { Asked, AskedList, Invocation } from '../model/invocation.ts';
import type { Message } from '../model/message.ts';

/**
 * A reply that shows cards, deferred or not: all that is needed to show it in this process, or to complete a deferred
 * one in a later process. Plain data.
 */
export interface CardsReply extends Invocation {
  asked: Asked;
  /** Somebody has taken it back: nothing is shown any more, but Discord may not have been told. */
  isDeleted?: true | undefined;
}

/** Kept apart from `Asked`, which has a card to look up. */
const OfList = Asked.extend({ queries: z.array(CardQuery), list: AskedList });
/** A reply as it is kept. */
export const JournaledReply = Invocation.extend({
  asked: z.union([OfList, Asked]),
  isDeleted: z.literal(true).optional(),
});

/** An interaction's token expires 15 minutes after the command; half a minute is kept for the last edit. */
export const REPLY_DEADLINE_MS = 14.5 * 60_000;

export type ReplyOwner = 'this' | 'another' | 'unknown';

/**
 * Deferred replies that outlive their process. Replies are completed from memory; the journal is read only by the
 * process that takes over. No method rejects: a reply that cannot be journaled is completed all the same.
 */
export interface ReplyJournal {
  /**
   * Journals a reply before it is deferred.
   *
   * @returns `false` when another process has journaled it and will complete it
   */
  add(reply: CardsReply): Promise<boolean>;
  /** @returns whether the reply is journaled, if only now, so that another process will complete it */
  keeps(reply: CardsReply): Promise<boolean>;
  /** Whether this process is certain to be the only one that has ever been to complete the reply. Costs nothing. */
  owns(interactionId: string): boolean;
  /**
   * Who completes the reply now, though others may have before: `unknown` while this process cannot ask whether another
   * has taken it over. Costs nothing.
   */
  ownerOf(interactionId: string): ReplyOwner;
  /** The reply is completed, or cannot be. One that is marked as deleted stays until it is removed. */
  ended(interactionId: string): Promise<void>;
  /** Nothing is to be done for the reply any more. */
  remove(interactionId: string): Promise<void>;
  /**
   * Marks a reply as deleted, if it is journaled: from now on no process completes it.
   *
   * @returns whether it is this process that removes it once it is gone; another learns of the mark
   */
  markDeleted(interactionId: string): Promise<boolean>;
  /**
   * From now on `complete` is given each reply whose process has ended, also one that is past its deadline; and a reply
   * of this process that another has marked as deleted.
   *
   * @returns once those are given that are there now
   */
  takeOver(complete: (reply: CardsReply) => void): Promise<void>;
}

/** What became of the first answer to a command: a message, or "thinking…". */
export type FirstResult =
  /**
   * The member sees it. `err`: Discord has not confirmed it, but may have accepted it; editing the reply will show.
   * `isOfAnother`: Discord had an answer before anything was sent from here. `word`: the member sees it alone, below
   * this sentence, because Discord refuses it for others to see.
   */
  | { shown: true; err?: unknown; isOfAnother?: true; word?: string }
  /** The member sees no reply that can be edited; `outcome` is for the log. */
  | { shown: false; outcome: string; err?: unknown };

export function below(word: string | undefined, message: Message): Message {
  return word === undefined ? message : { ...message, content: [word, message.content].filter(Boolean).join('\n') };
}

/**
 * What became of an edit. `blocked`: AutoMod does not let others see the message. `refused`: Discord does not accept
 * it. `deleted`: somebody has deleted the reply. `lost`: it cannot be changed any more. `failed`: Discord could not be
 * reached; another try may succeed.
 */
export type EditResult = 'shown' | 'blocked' | 'refused' | 'deleted' | 'lost' | 'failed';

/** What became of the end of a deferred reply. `shownInPrivate`: the reply says so. `refused`: it shows a sentence. */
export type CompleteResult = Exclude<EditResult, 'blocked'> | 'shownInPrivate';

/** Shows replies in Discord, by their token alone, and without a part that Discord refuses. No method rejects. */
export interface ReplySender {
  /**
   * Shows the message; if Discord refuses that, in private, then a private sentence.
   *
   * @param isInPlace of the one whose button was used
   */
  reply(to: Invocation, message: Message, isPrivate: boolean, isInPlace?: boolean): Promise<FirstResult>;
  /** Shows "thinking…", or a private sentence when Discord refuses it. */
  defer(reply: CardsReply): Promise<FirstResult>;
  /** Makes the reply show the message and nothing else; one that Discord refuses leaves it as it was. */
  edit(to: Invocation, message: Message, isPrivate: boolean): Promise<EditResult>;
  /**
   * The same, but "thinking…" does not stay: if Discord refuses the message, the reply says so and the member sees it
   * in a private one below; then the reply shows a sentence.
   *
   * @param isAnother whether another process may have completed it: what that has shown in private is not repeated
   */
  complete(reply: CardsReply, message: Message, isAnother: boolean): Promise<CompleteResult>;
  /**
   * Deletes the message whose button was used.
   *
   * @returns what prevented it, for the log; nothing when the message is gone
   */
  deleteSource(press: Invocation): Promise<{ outcome?: string; err?: unknown }>;
  /** Deletes the reply. @returns whether there is nothing left to try: it is gone, or Discord refuses */
  delete(reply: CardsReply): Promise<boolean>;
  /** What the reply shows: only an answer has embeds. Costs a request to Discord; `undefined` when that fails. */
  read(reply: CardsReply): Promise<{ content: string; embeds: readonly unknown[] } | undefined>;
}

/**
 * What the reply shows so far, or in the end; `err` when its command cannot render it.
 *
 * @param isPrivate whether the member alone sees it; as was asked, unless given
 */
export type RenderReply = (
  reply: CardsReply,
  outcomes: Outcomes,
  isPrivate?: boolean,
) => Promise<{ message: Message; err?: unknown }>;

export interface CommandRepliesOptions {
  lookups: LookupsOptions;
  journal: ReplyJournal;
  sender: ReplySender;
  render: RenderReply;
  /** The member sees the answer to their command, and nothing more will follow. Must not throw. */
  answered?: (to: Invocation) => void;
  events: Events;
  log: Logger;
}
