import type { DeferredReply } from './deferred-reply.ts';

/**
 * What outlives the process that owes. It is never where debts are paid from: that is the memory of whoever owes them.
 * No method rejects; a debt that cannot be written is paid all the same.
 */
export interface ReplyJournal {
  /**
   * Writes a debt down before Discord is told of it.
   *
   * @returns `false` when another process has done so before, and will pay
   */
  add(deferred: DeferredReply): Promise<boolean>;
  /** @returns whether the next process will know of it: it is written down, if only now */
  keeps(deferred: DeferredReply): Promise<boolean>;
  /** Nothing is owed any more. */
  remove(interactionId: string): Promise<void>;
  /** From now on `owe` is given each debt whose process has ended or died, also one that came too late to be paid. */
  takeOver(owe: (deferred: DeferredReply) => void): void;
  /** Leaves what is still owed to the next process. */
  close(): Promise<void>;
}
