import { expect, it } from 'vitest';
import card from '../../commands/card.ts';
import cards from '../../commands/cards.ts';
import { type Message, type View, withDelete } from '../../commands/command.ts';
import type { Outcomes } from '../../src/lookup/lookups.ts';
import { Busy } from '../../src/model/errors.ts';
import { buttons, menu } from '../../src/render/components.ts';
import { askedFor } from '../replies/replies-over.ts';

const PUBLIC: View = {
  ...{ locale: 'en-US', quota: undefined, currency: undefined },
  ...{ canReplyPublicly: true, isPrivate: false },
};
const PRIVATE: View = { ...PUBLIC, isPrivate: true };
const CARD = { id: 'base1-4', name: 'Emberwing Drake', game: 'Game', set: { id: 'base1', name: 'Base' } };
const FOUND = { answer: { card: CARD, fetchedAtMs: 0 } };
const BUSY = { error: new Busy({ untilMs: Date.now() + 60_000, paused: false }) };

const idsOf = ({ components = [] }: Message) =>
  components.map((row) => row.components.map((part) => 'custom_id' in part && part.custom_id));
const outcomes = (...found: Outcomes['cards']): Outcomes => ({ cards: found, requests: 0 });

// Of other replies docs/replies/words.txt has the buttons.
it.each([
  ['/card that waits', card, askedFor('base1-4'), outcomes(undefined)],
  ['/card', card, askedFor('base1-4'), outcomes(FOUND)],
  ['/cards that waits', cards, askedFor('base1-4', 'b'), outcomes(undefined, undefined)],
  ['/cards that has no answer', cards, askedFor('a', 'b'), outcomes(BUSY, BUSY)],
])('what everybody sees of %s ends with the button that takes it back, and what one sees has none', (...row) => {
  const [, command, asked, found] = row;
  expect(
    idsOf(command.show(asked, found, PUBLIC))
      .flat()
      .slice(-1),
  ).toEqual(['card:delete']);
  expect(idsOf(command.show({ ...asked, isPrivate: true }, found, PRIVATE)).flat()).not.toContain('card:delete');
});

it('what was asked for in public, and matters to who asked alone, has none either', () => {
  expect(idsOf(card.show(askedFor('base1-4'), outcomes(BUSY), PRIVATE))).toEqual([]);
});

it('it stands beside other buttons, or in a row of its own', () => {
  const [row] = buttons('en', { showHistory: 'a' });
  const options = [{ label: 'A', value: 'a' }];
  const full = { type: 1 as const, components: Array.from({ length: 5 }, () => ({ ...row?.components[0] })) };
  const withRows = (...components: object[]) => idsOf(withDelete({ components } as Message, 'en'));
  expect(withRows()).toEqual([['card:delete']]);
  expect(withRows(row ?? {})).toEqual([['a', 'card:delete']]);
  expect(withRows(...menu('A', 'm', options))).toEqual([['m'], ['card:delete']]);
  expect(withRows(full)).toEqual([Array(5).fill('a'), ['card:delete']]);
});
