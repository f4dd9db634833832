import { onTestFinished } from 'vitest';
import type { Debt, Outcome } from '../../src/replies/debt.ts';
import type { DebtJournal } from '../../src/replies/debt-journal.ts';
import { ReplyQueue } from '../../src/replies/reply-queue.ts';
import { createCardService } from '../../src/sandbox/card-service.ts';
import { lineOver } from '../support/line.ts';
import { logLines } from '../support/log-lines.ts';

/** A queue with a line of its own, and a Discord that takes each edit as `taken` says, and shows an answer as `shown` does. */
export function queueOver(
  journal: DebtJournal,
  taken: (debt: Debt) => boolean = () => true,
  shown: (debt: Debt) => boolean = () => false,
) {
  const paid: { id: string; outcome: Outcome }[] = [];
  const givenUp: string[] = [];
  const cardService = createCardService();
  const { line } = lineOver(cardService);
  const queue = new ReplyQueue({
    line,
    journal,
    log: logLines().log,
    payment: (debt, outcome) => async () => {
      if (!taken(debt)) return false;
      paid.push({ id: debt.interactionId, outcome });
      return true;
    },
    isPaid: async (debt) => shown(debt),
    giveUp: ({ interactionId }) => void givenUp.push(interactionId),
    showTurn: async () => {},
  });
  const stop = async () => {
    await line.close(0);
    await queue.close();
  };
  onTestFinished(stop);
  return { queue, cardService, stop, givenUp, paid, paidIds: () => paid.map(({ id }) => id) };
}

let made = 0;

/** Ids as long as Discord's, of which one that ends in zeros is a plain number to JavaScript. */
export function debt(more: Partial<Debt> = {}): Debt {
  made += 1;
  return {
    interactionId: `12345678901234${String(made).padStart(3, '0')}00`,
    applicationId: '1000',
    token: 'aW50ZXJhY3Rpb246'.padEnd(200, 'x'),
    command: 'card',
    question: { cardId: 'base1-4', showPrices: true },
    private: false,
    memberId: 'alice',
    guildId: 'guild',
    locale: 'en-US',
    receivedAtMs: Date.now(),
    deadlineMs: Date.now() + 14.5 * 60_000,
    ...more,
  };
}
