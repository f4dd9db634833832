import { onTestFinished } from 'vitest';
import { EmbeddedCardService } from '../../sandbox/card-service.ts';
import type { Outcome } from '../../src/lookup/outcomes.ts';
import { type CommandEvent, Events, type EventsByName } from '../../src/model/events.ts';
import type { Asked } from '../../src/model/invocation.ts';
import type { Message } from '../../src/model/message.ts';
import { CommandReplies } from '../../src/replies/command-replies.ts';
import {
  type CardsReply,
  type CompleteResult,
  type FirstResult,
  REPLY_DEADLINE_MS,
  type ReplyJournal,
  type ReplySender,
} from '../../src/replies/reply-ports.ts';
import { logLines } from '../support/log-lines.ts';
import { LONGEST_WAIT_MS, lookupQueueOver } from '../support/lookup-queue.ts';

/** How Discord behaves; it accepts everything and shows no embed unless said otherwise. */
export interface DiscordBehaviour {
  /** What becomes of a first answer. */
  first?: () => FirstResult;
  /** What becomes of a completion. */
  completes?: () => CompleteResult;
  /** Whether it accepts an edit. */
  accepts?: (reply: CardsReply) => boolean;
  hasEmbed?: (reply: CardsReply) => boolean;
  /** Whether it deletes messages. */
  deletes?: () => boolean;
}

/** Deferred replies over a lookup queue of their own; every request of the card service is answered. */
export function repliesOver(journal: ReplyJournal, discord: DiscordBehaviour = {}) {
  const {
    first = () => ({ shown: true }),
    accepts = () => true,
    completes = () => 'shown',
    hasEmbed = () => false,
    deletes = () => true,
  } = discord;
  const completed: { id: string; outcome: Outcome }[] = [];
  const deleted: string[] = [];
  const edits: Message[] = [];
  const [areRenderedPrivate, areSentPrivate]: [unknown[], unknown[]] = [[], []];
  const commands: CommandEvent[] = [];
  const steps: EventsByName['reply'][] = [];
  const shown: EventsByName['shown'][] = [];
  const outcomes = new Map<Message, Outcome>();
  const cardService = new EmbeddedCardService();
  const { queue: lookupQueue, cards, ledger, storedCards } = lookupQueueOver(cardService);
  const { log, lines: logged } = logLines();
  const events = new Events();
  onTestFinished(events.subscribe('command', (event) => void commands.push(event)));
  onTestFinished(events.subscribe('reply', (event) => void steps.push(event)));
  onTestFinished(events.subscribe('shown', (event) => void shown.push(event)));
  const sender: ReplySender = {
    async reply(_, __, isPrivate) {
      areSentPrivate.push(isPrivate);
      return first();
    },
    async edit(_, message) {
      edits.push(message);
      return 'shown';
    },
    defer: async () => first(),
    async complete(reply, message) {
      const outcome = outcomes.get(message);
      if (outcome === undefined || !accepts(reply)) return 'failed';
      completed.push({ id: reply.interactionId, outcome });
      return completes();
    },
    deleteSource: async ({ interactionId }) => {
      if (!deletes()) return { outcome: 'not answered' };
      deleted.push(interactionId);
      return {};
    },
    delete: async ({ interactionId }) => {
      const isGone = deletes();
      if (isGone) deleted.push(interactionId);
      return isGone;
    },
    read: async (reply) => ({ content: '', embeds: hasEmbed(reply) ? [{}] : [] }),
  };
  const answered: string[] = [];
  const replies = new CommandReplies({
    ...{ journal, sender, events, log },
    answered: ({ interactionId }) => void answered.push(interactionId),
    lookups: { cards, lookupQueue, ledger, longestWaitMs: LONGEST_WAIT_MS },
    async render(_, { cards: [outcome = {}] }, isPrivate) {
      areRenderedPrivate.push(isPrivate);
      const message: Message = outcome.answer?.card ? { embeds: [{}] } : { content: 'a sentence' };
      outcomes.set(message, outcome);
      return { message };
    },
  });
  const stop = async () => {
    await lookupQueue.close(0);
    await replies.close();
  };
  onTestFinished(stop);
  return {
    ...{ replies, cardService, stop, completed, deleted, edits, commands, shown, areRenderedPrivate, areSentPrivate },
    ...{ answered, ledger, logged, lookupQueue, storedCards },
    stepNames: () => steps.map(({ step }) => step),
    completedIds: () => completed.map(({ id }) => id),
    droppedIds: () => steps.flatMap(({ step, interactionId }) => (step === 'dropped' ? [interactionId] : [])),
    /** As if no copy was found. */
    defer: (reply: CardsReply) =>
      replies.answer(reply, {
        ...reply.asked,
        queries: reply.asked.queries.map((each) => ({ ...each, known: MISSING })),
      }),
  };
}

const MISSING = { kind: 'missing' } as const;

/** Every reply is of this process alone, and is lost with it. */
export const NO_JOURNAL: ReplyJournal = {
  add: async () => true,
  keeps: async () => false,
  owns: () => true,
  holds: () => true,
  async ended() {},
  async remove() {},
  markDeleted: async () => true,
  takeOver() {},
};

export function askedFor(...cardIds: string[]): Asked {
  const queries = cardIds.map((cardId) => ({ cardId, showPrices: true }));
  return { queries, unclear: [], unsearched: [], isPrivate: false };
}

let made = 0;

/** Ids as long as Discord's; those that end in zeros are safe integers to JavaScript. */
export function deferredReply(more: Partial<CardsReply> = {}): CardsReply {
  made += 1;
  return {
    interactionId: `12345678901234${String(made).padStart(3, '0')}00`,
    webhook: { applicationId: '1000', token: 'aW50ZXJhY3Rpb246'.padEnd(200, 'x') },
    command: 'card',
    asked: askedFor('base1-4'),
    requester: { memberId: 'alice', guildId: 'guild', isInstalled: true },
    canReplyPublicly: true,
    locale: 'en-US',
    receivedAtMs: Date.now(),
    deadlineMs: Date.now() + REPLY_DEADLINE_MS,
    ...more,
  };
}
