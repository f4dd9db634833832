import type { Answer } from '../card.ts';
import type { CardServiceError } from '../errors.ts';
import type { WaitingLine } from '../lookup/waiting-line.ts';
import type { Debt } from './debt.ts';
import type { ReplyQueue } from './reply-queue.ts';
import { worthTelling } from './turn-notice.ts';

export interface LocalReplyQueueOptions {
  line: WaitingLine;
  /** Sends the final answer. Never rejects. */
  pay: (debt: Debt, outcome: PaidOutcome, waitMs: number) => Promise<void>;
  /** Shows when the turn comes, in place of "thinking…". Never rejects. */
  showTurn: (debt: Debt, turnAtMs: number) => Promise<void>;
}

/** What the line answered, and whether it sent a request for it. */
export type PaidOutcome = ({ answer: Answer } | { error: CardServiceError }) & { asked: boolean };

/** The replies owed by a single process, in memory. */
export class LocalReplyQueue implements ReplyQueue {
  readonly #options: LocalReplyQueueOptions;
  readonly #debts = new Set<Promise<void>>();

  constructor(options: LocalReplyQueueOptions) {
    this.#options = options;
  }

  owe(debt: Debt): void {
    const paid = this.#settle(debt).finally(() => this.#debts.delete(paid));
    this.#debts.add(paid);
  }

  async settled(): Promise<void> {
    while (this.#debts.size > 0) await Promise.all(this.#debts);
  }

  async #settle(debt: Debt): Promise<void> {
    const { line, pay, showTurn } = this.#options;
    let notices = Promise.resolve(); // one after the other, and the answer after the last of them
    let toldAtMs: number | undefined;
    let askedAtMs: number | undefined;
    const { memberId, guildId } = debt;
    const outcome = await line
      .join({
        ...debt.question,
        lane: 'members',
        asker: { memberId, guildId },
        deadlineMs: debt.deadlineMs,
        onTurn: (turnAtMs) => {
          if (!worthTelling(toldAtMs, turnAtMs, Date.now())) return;
          toldAtMs = turnAtMs;
          notices = notices.then(() => showTurn(debt, turnAtMs));
        },
        onAsking: () => {
          askedAtMs = Date.now();
        },
      })
      .then(
        (answer) => ({ answer }),
        (error: CardServiceError) => ({ error }),
      );
    await notices;
    await pay(debt, { ...outcome, asked: askedAtMs !== undefined }, (askedAtMs ?? Date.now()) - debt.receivedAtMs);
  }
}
