import { expect, it } from 'vitest';
import command from '../../commands/card.ts';
import { askedFor } from '../replies/replies-over.ts';

const TO = { locale: 'en-US', quota: undefined, currency: undefined, hasPrintings: false, canReplyPublicly: true };

it('says when a card is expected that waits, and that the service is slow', () => {
  const nothing = { cards: [undefined], fromMemory: 0, requested: 0, requests: 0 };
  const shown = (outcomes: object) => command.show(askedFor('base1-4'), { ...nothing, ...outcomes }, TO).content;
  expect(shown({ permitAtMs: 60_000 })).toBe("You're in line. Your card should be here around <t:60:t>.");
  expect(shown({})).toBe('Still asking the card service…');
});

it.each([
  ['offers to show a private card to everyone', true, 1],
  ['offers nothing to everyone where Discord hides replies', false, 0],
])('%s', (_, canReplyPublicly, rows) => {
  const card = {
    id: 'base1-4',
    name: 'Emberwing Drake',
    game: 'Lanternfolk',
    set: { id: 'base1', name: 'First Light' },
  };
  const outcomes = { cards: [{ answer: { card, fetchedAtMs: 0 } }], fromMemory: 1, requested: 0, requests: 0 };
  const shown = command.show({ ...askedFor('base1-4'), isPrivate: true }, outcomes, { ...TO, canReplyPublicly });
  expect(shown.components).toHaveLength(rows);
});
