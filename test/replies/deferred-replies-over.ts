import { onTestFinished } from 'vitest';
import { DeferredReplies } from '../../src/replies/deferred-replies.ts';
import type { DeferredReply, Outcome } from '../../src/replies/deferred-reply.ts';
import type { ReplyJournal } from '../../src/replies/reply-journal.ts';
import { createCardService } from '../../src/sandbox/card-service.ts';
import { logLines } from '../support/log-lines.ts';
import { lookupQueueOver } from '../support/lookup-queue.ts';

/** Deferred replies over a lookup queue of their own, and a Discord that takes each edit as `taken` says, and shows an answer as `shown` does. */
export function queueOver(
  journal: ReplyJournal,
  taken: (deferred: DeferredReply) => boolean = () => true,
  shown: (deferred: DeferredReply) => boolean = () => false,
) {
  const paid: { id: string; outcome: Outcome }[] = [];
  const givenUp: string[] = [];
  const cardService = createCardService();
  const { queue: lookupQueue } = lookupQueueOver(cardService);
  const queue = new DeferredReplies({
    lookupQueue,
    journal,
    log: logLines().log,
    completion: (deferred, outcome) => async () => {
      if (!taken(deferred)) return false;
      paid.push({ id: deferred.interactionId, outcome });
      return true;
    },
    isPaid: async (deferred) => shown(deferred),
    giveUp: ({ interactionId }) => void givenUp.push(interactionId),
    showWait: async () => {},
  });
  const stop = async () => {
    await lookupQueue.close(0);
    await queue.close();
  };
  onTestFinished(stop);
  return { queue, cardService, stop, givenUp, paid, paidIds: () => paid.map(({ id }) => id) };
}

let made = 0;

/** Ids as long as Discord's, of which one that ends in zeros is a plain number to JavaScript. */
export function deferred(more: Partial<DeferredReply> = {}): DeferredReply {
  made += 1;
  return {
    interactionId: `12345678901234${String(made).padStart(3, '0')}00`,
    applicationId: '1000',
    token: 'aW50ZXJhY3Rpb246'.padEnd(200, 'x'),
    command: 'card',
    query: { cardId: 'base1-4', showPrices: true },
    private: false,
    memberId: 'alice',
    guildId: 'guild',
    locale: 'en-US',
    receivedAtMs: Date.now(),
    deadlineMs: Date.now() + 14.5 * 60_000,
    ...more,
  };
}
