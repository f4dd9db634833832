import { onTestFinished } from 'vitest';
import { type CommandEvent, Events, type ReplyEvent } from '../../src/model/events.ts';
import { requesterOf } from '../../src/model/quota.ts';
import { DeferredReplies } from '../../src/replies/deferred-replies.ts';
import {
  type DeferResult,
  type DeferredReply,
  type Outcome,
  REPLY_DEADLINE_MS,
  type ReplyEditor,
  type ReplyJournal,
  type ReplyMessage,
} from '../../src/replies/deferred-reply.ts';
import { createCardService } from '../../src/sandbox/card-service.ts';
import { logLines } from '../support/log-lines.ts';
import { lookupQueueOver } from '../support/lookup-queue.ts';

/** How Discord behaves; it accepts everything and shows no embed unless said otherwise. */
export interface DiscordBehaviour {
  defers?: () => DeferResult;
  /** Whether it accepts an edit. */
  accepts?: (reply: DeferredReply) => boolean;
  hasEmbed?: (reply: DeferredReply) => boolean;
}

/** Deferred replies over a lookup queue of their own; every request of the card service is answered. */
export function repliesOver(journal: ReplyJournal, discord: DiscordBehaviour = {}) {
  const { defers = () => ({ shown: true }), accepts = () => true, hasEmbed = () => false } = discord;
  const completed: { id: string; outcome: Outcome }[] = [];
  const commands: CommandEvent[] = [];
  const steps: ReplyEvent[] = [];
  const outcomes = new Map<ReplyMessage, Outcome>();
  const cardService = createCardService();
  const { queue: lookupQueue, cards, ledger, storedCards } = lookupQueueOver(cardService);
  const { log, lines: logged } = logLines();
  const events = new Events();
  onTestFinished(events.subscribe('command', (event) => void commands.push(event)));
  onTestFinished(events.subscribe('reply', (event) => void steps.push(event)));
  const editor: ReplyEditor = {
    defer: async () => defers(),
    showWait: async () => {},
    async complete(reply, message) {
      const outcome = outcomes.get(message);
      if (outcome === undefined || !accepts(reply)) return 'failed';
      completed.push({ id: reply.interactionId, outcome });
      return 'shown';
    },
    hasEmbed: async (reply) => hasEmbed(reply),
  };
  const replies = new DeferredReplies({
    ...{ cards, lookupQueue, ledger, journal, editor, events, log },
    render(_, outcome) {
      const hasCard = 'answer' in outcome && outcome.answer.card !== undefined;
      const message: ReplyMessage = hasCard ? { embeds: [{}] } : { content: 'a sentence' };
      if (!('list' in outcome)) outcomes.set(message, outcome);
      return { message };
    },
  });
  const stop = async () => {
    await lookupQueue.close(0);
    await replies.close();
  };
  onTestFinished(stop);
  return {
    ...{ replies, cardService, stop, completed, commands, ledger, logged, lookupQueue, storedCards },
    completedIds: () => completed.map(({ id }) => id),
    droppedIds: () => steps.flatMap(({ step, interactionId }) => (step === 'dropped' ? [interactionId] : [])),
    /** As a command does that finds no copy of the card. */
    async defer(reply: DeferredReply): Promise<void> {
      const { query, deadlineMs } = reply;
      const requester = requesterOf(reply);
      const admission = await lookupQueue.admit({ ...query, lane: 'members', requester, deadlineMs });
      if ('refusal' in admission) throw admission.refusal;
      await replies.defer(reply, admission.reservation);
    },
  };
}

let made = 0;

/** Ids as long as Discord's; those that end in zeros are safe integers to JavaScript. */
export function deferredReply(more: Partial<DeferredReply> = {}): DeferredReply {
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
    deadlineMs: Date.now() + REPLY_DEADLINE_MS,
    ...more,
  };
}
