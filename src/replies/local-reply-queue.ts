import { setTimeout as sleep } from 'node:timers/promises';
import { type CardServiceError, Stopping } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { WaitingLine } from '../lookup/waiting-line.ts';
import type { Debt, Outcome } from './debt.ts';
import type { DebtJournal } from './debt-journal.ts';
import type { ReplyQueue } from './reply-queue.ts';
import { worthTelling } from './turn-notice.ts';

export interface LocalReplyQueueOptions {
  line: WaitingLine;
  journal: DebtJournal;
  log: Logger;
  /** Sends the final answer. Never rejects. @returns whether the debt is settled; if not, it is tried again */
  pay: (debt: Debt, outcome: Outcome, waitMs: number) => Promise<boolean>;
  /** Told of a debt that nobody can pay any more: its reply is dead. */
  giveUp: (debt: Debt) => void;
  /** Shows when the turn comes, in place of "thinking…". Never rejects. */
  showTurn: (debt: Debt, turnAtMs: number) => Promise<void>;
}

/** What came of a question, and how long it waited for its turn. */
interface Asked {
  outcome: Outcome;
  waitMs: number;
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

/** The replies owed by a single process, in memory and in its journal. */
export class LocalReplyQueue implements ReplyQueue {
  readonly #options: LocalReplyQueueOptions;
  readonly #settling = new Set<Promise<void>>();
  readonly #closed = new AbortController();

  constructor(options: LocalReplyQueueOptions) {
    this.#options = options;
  }

  keep(debt: Debt): void {
    this.#options.journal.add(debt);
  }

  owe(debt: Debt): void {
    const settled = this.#settle(debt)
      .catch((err: unknown) => this.#options.log.error({ err, command: debt.command }, 'debt cannot be paid'))
      .finally(() => this.#settling.delete(settled));
    this.#settling.add(settled);
  }

  forget(debt: Debt): void {
    this.#options.journal.remove(debt.interactionId);
  }

  resume(): void {
    const { journal, log } = this.#options;
    const debts = journal.open();
    const alive = debts.filter(({ deadlineMs }) => deadlineMs > Date.now());
    for (const debt of debts) {
      if (alive.includes(debt)) this.owe(debt);
      else this.#giveUp(debt);
    }
    if (debts.length > 0) log.info({ owed: alive.length, tooLate: debts.length - alive.length }, 'debts taken over');
  }

  async settled(): Promise<void> {
    while (this.#settling.size > 0) await Promise.all(this.#settling);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.settled();
  }

  async #settle(debt: Debt): Promise<void> {
    const { outcome, waitMs } = await this.#ask(debt);
    if ('error' in outcome && outcome.error instanceof Stopping) return; // the next process pays
    const paid = await this.#pay(debt, outcome, waitMs);
    if (paid === 'too late') this.#giveUp(debt);
    else if (paid) this.forget(debt);
  }

  #giveUp(debt: Debt): void {
    this.forget(debt);
    this.#options.giveUp(debt);
  }

  /** @returns `false` when the process ends before Discord has taken the answer */
  async #pay(debt: Debt, outcome: Outcome, waitMs: number): Promise<boolean | 'too late'> {
    for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)) {
      if (await this.#options.pay(debt, outcome, waitMs)) return true;
      if (Date.now() + retryMs > debt.deadlineMs) return 'too late';
      const { signal } = this.#closed;
      await sleep(retryMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return false;
    }
  }

  async #ask(debt: Debt): Promise<Asked> {
    const { line, showTurn } = this.#options;
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
    const waitMs = (askedAtMs ?? Date.now()) - debt.receivedAtMs;
    return { outcome: { ...outcome, asked: askedAtMs !== undefined }, waitMs };
  }
}
