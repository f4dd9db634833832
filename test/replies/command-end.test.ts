import { expect, it } from 'vitest';
import type { Outcome, Outcomes } from '../../src/lookup/outcomes.ts';
import { KeyRefused } from '../../src/model/errors.ts';
import type { Source } from '../../src/model/events.ts';
import { endOf, sourceOf } from '../../src/replies/command-end.ts';

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
