import type { Debt } from './debt.ts';

/** Replies owed to members. Each is paid exactly once: with the answer, or with the sentence why there is none. */
export interface ReplyQueue {
  /** Takes on a debt whose reply shows "thinking…". */
  owe(debt: Debt): void;
  /** Resolves when every debt is paid. */
  settled(): Promise<void>;
}
