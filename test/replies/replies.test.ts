import { expect, it } from 'vitest';
import type { Outcome, Outcomes } from '../../src/lookup/lookups.ts';
import { KeyRefused } from '../../src/model/errors.ts';
import { Events, type EventsByName, type Source } from '../../src/model/events.ts';
import type { Asked } from '../../src/model/invocation.ts';
import { endOf, publishEnd, publishShown, sourceOf } from '../../src/replies/end.ts';
import { JournaledReply } from '../../src/replies/ports.ts';
import { askedFor, deferredReply } from './replies-over.ts';

const NONE: Outcome = { answer: { card: undefined, fetchedAtMs: 0 } };
const CARD: Outcome = {
  answer: { card: { id: 'a', name: 'A', game: 'T', set: { id: 's', name: 'S' } }, fetchedAtMs: 0 },
};
const REFUSED: Outcome = { error: new KeyRefused({ status: 401 }) };

it.each<[string, Outcome[], end: string]>([
  ['answered when a card came', [NONE, REFUSED, CARD], 'answered 1 of 3'],
  ['its first error when none came', [NONE, REFUSED, NONE], 'KeyRefused 0 of 3'],
  ['answered when there are none', [NONE, NONE], 'answered 0 of 2'],
  ['answered when a copy could not be renewed', [{ ...NONE, ...REFUSED }], 'answered'],
  ['without figures when one card was asked for', [REFUSED], 'KeyRefused'],
])('a command is logged as %s', (_, cards, end) => {
  const { outcome, shown, asked } = endOf({ cards });
  expect(asked === undefined ? outcome : `${outcome} ${shown} of ${asked}`).toBe(end);
});

it.each<[Source, string, Partial<Outcomes>]>([
  ['service', 'when a request left for it', { cards: [CARD], requestedAtMs: 1 }],
  ['stale', 'while a copy is renewed', { cards: [CARD, { ...CARD, isRenewing: true }] }],
  ['stale', 'when a copy could not be renewed', { cards: [CARD, { ...CARD, ...REFUSED }] }],
  ['cache', 'when all is fresh', { cards: [CARD, NONE] }],
  ['bot', 'when there is only a refusal', { cards: [REFUSED] }],
])('what is shown is logged as of the %s %s', (source, _, outcomes) => {
  expect(sourceOf({ cards: [], requests: 0, ...outcomes })).toBe(source);
});

it.each<[string, Partial<Asked>, string | undefined]>([
  [
    'its cards and what it left open',
    { unclear: [{ text: 'Gull', cards: [], total: 0 }], unsearched: ['Mew'] },
    'a, b, Gull, Mew',
  ],
  ['nothing of a pasted list', { list: { id: '7', left: 3 } }, undefined],
])('a command is logged with %s', (_, more, card) => {
  const events = new Events();
  const cards: (string | undefined)[] = [];
  events.subscribe('command', (event) => void cards.push(event.card));
  publishEnd(events, deferredReply({ asked: { ...askedFor('a', 'b'), ...more } }), { outcome: 'answered' });
  expect(cards).toEqual([card]);
});

it('what is shown is told with where it was and whose install brought it, which decides for whom it counts; nothing of a pasted list', () => {
  const events = new Events();
  const told: EventsByName['shown'][] = [];
  events.subscribe('shown', (event) => void told.push(event));
  const requester = { memberId: 'alice', guildId: 'foreign', isInstalled: false };
  publishShown(events, deferredReply({ requester }), { cards: [CARD, NONE], requests: 0 }, false);
  const list = { id: '7', left: 3 };
  publishShown(events, deferredReply({ asked: { ...askedFor('a'), list } }), { cards: [CARD], requests: 0 }, false);
  expect(told).toEqual([{ ...requester, cardIds: ['a'], isPrivate: false }]);
});

const REPLY = deferredReply();
const LIST = { queries: [], list: { id: '7', left: 3 } };

it.each([
  [
    'with what it left open, of a foreign place',
    {
      ...REPLY,
      asked: {
        ...REPLY.asked,
        unclear: [{ text: 'gul', cards: [{ id: 'gull-1', name: 'Gull', set: 'Shore' }], total: 0 }],
      },
      requester: { ...REPLY.requester, isInstalled: false, channelId: '7' },
      canReplyPublicly: false,
    },
  ],
  ['of a pasted list without cards to look up', { ...REPLY, asked: { ...REPLY.asked, ...LIST } }],
])('a row of the journal is read as it was written: %s', (_, reply) => {
  expect(JournaledReply.parse(JSON.parse(JSON.stringify(reply)))).toEqual(reply);
});

it('a row of the journal without cards is refused', () => {
  for (const asked of [undefined, { ...REPLY.asked, queries: [] }])
    expect(() => JournaledReply.parse({ ...REPLY, asked })).toThrow();
});
