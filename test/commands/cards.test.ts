import { describe, expect, it } from 'vitest';
import cards from '../../commands/cards.ts';
import type { View } from '../../commands/command.ts';
import { ServiceDown } from '../../src/model/errors.ts';

const DRAKE = { id: 'base1-0', name: 'Ember Drake' };
const HARE = { id: 'base1-1', name: 'Candle Hare' };
const VIEW: View = {
  ...{ locale: 'en-US', quota: undefined, currency: undefined },
  ...{ canReplyPublicly: true, isPrivate: false },
};
const FOUND = { answer: { card: DRAKE, fetchedAtMs: 0 } };

describe('what the texts of a list may mean', () => {
  it.each([
    ['is opened in private, below cards that all see', 1, [DRAKE, HARE], ['cards:choose:', 'card:delete']],
    ['is a button where it is one card', 1, [HARE], ['card:show::base1-1', 'card:delete']],
    ['is a menu where there is nothing else', 0, [DRAKE, HARE], ['card:show:', 'card:delete']],
  ])('%s', (_, found, meant, ids) => {
    const queries = Array(found).fill({ cardId: 'base1-0', showPrices: true });
    const unclear = [{ text: 'ember', cards: meant, total: 0 }];
    const asked = { queries, unclear, unsearched: [], isPrivate: false };
    const { components = [] } = cards.show(asked, { cards: Array(found).fill(FOUND), requests: 0 }, VIEW);
    expect(components.flatMap((row) => row.components.map((part) => 'custom_id' in part && part.custom_id))).toEqual(
      ids,
    );
  });
});

it('a card that is known not to exist is not found, although that could not be asked anew', () => {
  const asked = { queries: [{ cardId: 'a', showPrices: true }], unclear: [], unsearched: [], isPrivate: false };
  const error = new ServiceDown({ reason: 'unreachable' });
  const outcome = { answer: { card: undefined, fetchedAtMs: 0 }, error };
  expect(cards.show(asked, { cards: [outcome], requests: 0 }, VIEW).content).toMatch(/^Not found: \*\*a\*\*$/m);
  expect(cards.show(asked, { cards: [outcome], requests: 0 }, VIEW).content).not.toContain('Not shown');
});
