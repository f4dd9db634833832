import type { DeferredReply } from './deferred-reply.ts';

/**
 * Deferred replies that outlive their process. Replies are completed from memory; the journal is read only by the process
 * that takes over. No method rejects: a reply that cannot be journaled is completed all the same.
 */
export interface ReplyJournal {
  /**
   * Journals a reply before it is deferred.
   *
   * @returns `false` when another process has journaled it and will complete it
   */
  add(reply: DeferredReply): Promise<boolean>;
  /** @returns whether the reply is journaled, if only now, so that another process will complete it */
  keeps(reply: DeferredReply): Promise<boolean>;
  /** The reply is completed, or cannot be. */
  remove(interactionId: string): Promise<void>;
  /** From now on `complete` is given each reply whose process has ended, also one that is past its deadline. */
  takeOver(complete: (reply: DeferredReply) => void): void;
  /** Leaves the remaining replies to other processes or the next start. */
  close(): Promise<void>;
}
