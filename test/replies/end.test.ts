import { expect, it } from 'vitest';
import type { Outcome, Outcomes } from '../../src/lookup/lookups.ts';
import { KeyRefused } from '../../src/model/errors.ts';
import { Events, type EventsByName, type Source } from '../../src/model/events.ts';
import type { Asked } from '../../src/model/invocation.ts';
import { endOf, publishEnd, publishShown, sourceOf } from '../../src/replies/end.ts';
import { askedFor, deferredReply } from './replies-over.ts';

const NONE: Outcome = { answer: { card: undefined, fetchedAtMs: 0 } };
const CARD: Outcome = {
  answer: { card: { id: 'a', name: 'A', game: 'T', set: { id: 's', name: 'S' } }, fetchedAtMs: 0 },
};
const REFUSED: Outcome = { error: new KeyRefused({ status: 401 }) };

it.each<[string, Outcome[], object]>([
  ['answered when a card came', [NONE, REFUSED, CARD], { outcome: 'answered', shown: 1, asked: 3 }],
  ['its first error when none came', [NONE, REFUSED, NONE], { outcome: 'KeyRefused', shown: 0, asked: 3 }],
  ['answered when there are none', [NONE, NONE], { outcome: 'answered', shown: 0, asked: 2 }],
  ['answered when a copy could not be renewed', [{ ...NONE, ...REFUSED }], { outcome: 'answered' }],
  ['without figures when one card was asked for', [REFUSED], { outcome: 'KeyRefused' }],
])('a command is logged as %s', (_, cards, end) => {
  expect(endOf({ cards })).toEqual(end);
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
