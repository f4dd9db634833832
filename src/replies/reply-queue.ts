import { setTimeout as sleep } from 'node:timers/promises';
import { askerOf } from '../asker.ts';
import { type CardServiceError, Stopping } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { Question } from '../lookup/flight.ts';
import type { Place } from '../lookup/place.ts';
import type { WaitingLine } from '../lookup/waiting-line.ts';
import type { Debt, Outcome } from './debt.ts';
import type { DebtJournal } from './debt-journal.ts';
import { TurnNotice } from './turn-notice.ts';

export interface ReplyQueueOptions {
  line: WaitingLine;
  journal: DebtJournal;
  log: Logger;
  /** The final answer. @returns sends it, and gives whether the debt is settled; if not, it is sent again. Never rejects */
  payment: (debt: Debt, outcome: Outcome, waitMs: number) => () => Promise<boolean>;
  /** Whether a debt that was taken over has been paid already, by a process that could tell nobody. Never rejects. */
  isPaid: (debt: Debt) => Promise<boolean>;
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

/**
 * Replies owed to members. Each is paid once, with the answer or with the sentence why there is none, by the process that
 * received the command; if that ends before, by whoever has its journal.
 */
export class ReplyQueue {
  readonly #options: ReplyQueueOptions;
  readonly #settling = new Set<Promise<void>>();
  readonly #closed = new AbortController();

  constructor(options: ReplyQueueOptions) {
    this.#options = options;
  }

  /**
   * Keeps a debt before Discord is told of it: whatever happens from here on, it is not forgotten.
   *
   * @returns `false` when another process owes it, and nothing is to be done
   */
  keep(debt: Debt): Promise<boolean> {
    return this.#options.journal.add(debt);
  }

  /**
   * The member sees "thinking…": the question gets its turn.
   *
   * @param place taken before this returns, unless it is too late; without one the question enters the line unasked
   */
  owe(debt: Debt, place?: Place): void {
    this.#watch(debt, this.#settle(debt, place));
  }

  /** Discord would not have it: nothing is owed. */
  forget(debt: Debt): Promise<void> {
    return this.#options.journal.remove(debt.interactionId);
  }

  /** Takes on what is owed by processes that are no more. */
  resume(): void {
    this.#options.journal.takeOver((debt) => this.#watch(debt, this.#inherit(debt)));
  }

  /** Resolves when nothing is owed any more. */
  async settled(): Promise<void> {
    while (this.#settling.size > 0) await Promise.all(this.#settling);
  }

  /** Resolves when no payment is under way any more; what still waits stays in the journal. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.settled();
  }

  #watch(debt: Debt, work: Promise<void>): void {
    const settled = work
      .catch((err: unknown) => this.#options.log.error({ err, command: debt.command }, 'debt cannot be paid'))
      .finally(() => this.#settling.delete(settled));
    this.#settling.add(settled);
  }

  /** A better answer than the one that is there is not to be had, and it would cost a request. */
  async #inherit(debt: Debt): Promise<void> {
    const isPaid = debt.deadlineMs > Date.now() && (await this.#options.isPaid(debt));
    await (isPaid ? this.forget(debt) : this.#settle(debt));
  }

  async #settle(debt: Debt, place?: Place): Promise<void> {
    if (debt.deadlineMs <= Date.now()) return this.#giveUp(debt);
    const { outcome, waitMs } = await this.#ask(debt, place);
    const stopping = 'error' in outcome && outcome.error instanceof Stopping;
    if (stopping && (await this.#options.journal.keeps(debt))) return; // the next process pays
    const paid = await this.#pay(debt, this.#options.payment(debt, outcome, waitMs));
    if (paid === 'too late') await this.#giveUp(debt);
    else if (paid) await this.forget(debt);
  }

  async #giveUp(debt: Debt): Promise<void> {
    this.#options.giveUp(debt);
    await this.forget(debt);
  }

  /** @returns `false` when the process ends before Discord has taken the answer */
  async #pay(debt: Debt, send: () => Promise<boolean>): Promise<boolean | 'too late'> {
    for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)) {
      if (await send()) return true;
      if (Date.now() + retryMs > debt.deadlineMs) return 'too late';
      const { signal } = this.#closed;
      await sleep(retryMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return false;
    }
  }

  async #ask(debt: Debt, place: Place | undefined): Promise<Asked> {
    const { line, showTurn } = this.#options;
    const notice = new TurnNotice((turnAtMs) => showTurn(debt, turnAtMs));
    let askedAtMs: number | undefined;
    const told = {
      onTurn: (turnAtMs: number) => notice.expect(turnAtMs),
      onAsking: () => {
        askedAtMs = Date.now();
        void notice.end();
      },
    };
    const outcome = await (place ? place.take(told) : line.join({ ...asQuestion(debt), ...told })).then(
      (answer) => ({ answer }),
      (error: CardServiceError) => ({ error }),
    );
    await notice.end(); // the answer comes after it
    const waitMs = (askedAtMs ?? Date.now()) - debt.receivedAtMs;
    return { outcome: { ...outcome, asked: askedAtMs !== undefined }, waitMs };
  }
}

function asQuestion(debt: Debt): Question {
  return { ...debt.question, lane: 'members', asker: askerOf(debt), deadlineMs: debt.deadlineMs };
}
