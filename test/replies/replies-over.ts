import type { Asked } from '../../src/model/invocation.ts';
import { type CardsReply, REPLY_DEADLINE_MS } from '../../src/replies/ports.ts';

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
