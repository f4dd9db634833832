import type { Debt } from './debt.ts';

/**
 * Replies owed to members. Each is paid once, with the answer or with the sentence why there is none; if this process
 * ends before, by the next one.
 */
export interface ReplyQueue {
  /** Keeps a debt before Discord is told of it: whatever happens from here on, it is not forgotten. */
  keep(debt: Debt): void;
  /** The member sees "thinking…": the question gets its turn. */
  owe(debt: Debt): void;
  /** Discord would not have it: nothing is owed. */
  forget(debt: Debt): void;
  /** Takes on what was owed when the last process ended. */
  resume(): void;
  /** Resolves when nothing is owed any more. */
  settled(): Promise<void>;
  /** Resolves when no payment is under way any more; what still waits is left to the next process. */
  close(): Promise<void>;
}
