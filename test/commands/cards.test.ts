import { expect, it } from 'vitest';
import cards from '../../commands/cards.ts';
import { Busy, type CardServiceError, ServiceDown } from '../../src/model/errors.ts';
import { formatMessage } from '../../src/render/messages.ts';
import { askedFor } from '../replies/replies-over.ts';
import { idsOf, PUBLIC, pressed, startServices } from './commands.ts';

const DRAKE = { id: 'base1-0', name: 'Ember Drake' };
const HARE = { id: 'base1-1', name: 'Candle Hare' };

it.each([
  ['is opened in private, below cards that all see', 1, [DRAKE, HARE], [['cards:choose:', 'card:delete']]],
  ['is a button where it is one card', 1, [HARE], [['card:show::base1-1', 'card:delete']]],
  ['is a menu where there is nothing else', 0, [DRAKE, HARE], [['card:show:'], ['card:delete']]],
])('what the texts of a list may mean %s', (_, found, meant, ids) => {
  const unclear = [{ text: 'ember', cards: meant, total: 0 }];
  const asked = { ...askedFor(...Array(found).fill('base1-0')), unclear };
  const outcomes = { cards: Array(found).fill({ answer: { card: DRAKE, fetchedAtMs: 0 } }), requests: 0 };
  expect(idsOf(cards.show(asked, outcomes, PUBLIC))).toEqual(ids);
});

it('a list without an answer can be taken back', () => {
  const outcome = { error: new Busy({ untilMs: Date.now() + 60_000, paused: false }) };
  const shown = cards.show(askedFor('a', 'b'), { cards: [outcome, outcome], requests: 0 }, PUBLIC);
  expect(idsOf(shown)).toEqual([['card:delete']]);
});

it('a card that is known not to exist is not found, although that could not be asked anew', () => {
  const error: CardServiceError = new ServiceDown({ reason: 'unreachable' });
  const outcome = { answer: { card: undefined, fetchedAtMs: 0 }, error };
  const { content } = cards.show(askedFor('a'), { cards: [outcome], requests: 0 }, PUBLIC);
  expect(content).toBe('Not found: **a**');
});

it('a button whose texts cannot be searched now is not taken for an old one', async () => {
  const { services } = await startServices();
  const resolveList = async () => ({ ids: [], unclear: [], unsearched: ['golem'] });
  const use = pressed('choose:', [], { content: '**golem**: did you mean Wax Golem?' });
  const shown = await cards.component(use, { ...services, catalog: { ...services.catalog, resolveList } });
  expect(shown).toMatchObject({ message: { content: formatMessage('en-US', 'namesUnsearched') } });
});
