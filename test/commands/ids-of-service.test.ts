import { expect, it } from 'vitest';
import card from '../../commands/card.ts';
import cards from '../../commands/cards.ts';
import watch from '../../commands/watch.ts';
import { cardIdReader } from '../../src/service/service-description.ts';
import { described } from '../support/described.ts';
import { table } from '../table.ts';
import { pressed, startServices, typed } from './commands.ts';

const UUID = '0000579f-7b35-4ed3-b44c-db2a538066fe';

it.each([
  ...table`
    default | x" OR name:* | x" OR name:*
    default | .. |
    scryfall | ${UUID} | ${UUID}
    scryfall | ${UUID.toUpperCase()} | ${UUID}
    scryfall | random |
    scryfall | ${UUID}?a=b |
    ygoprodeck | 01861629 | 1861629
    ygoprodeck | 46986415 | 46986415
    ygoprodeck | 0 |
    ygoprodeck | 1,2 |
    ygoprodeck | 1e5 |
    ygoprodeck | １２ |
    tcgdex | exu-! | exu-!
    tcgdex | exu-? | exu-?
    tcgdex | x" OR name:* |
    tcgdex | ${'a'.repeat(41)} |
    tcgdex | .. |
    lorcast | 11:125 | 11:125
    lorcast | D23:1a | D23:1a
    lorcast | 1:.. |
    lorcast | 1: |
    lorcast | :1 |
    lorcast | 1 |
    lorcast | 1:2:3 |
    lorcast | 1/2:3 |
  `,
  ['default', ' base1-4 ', 'base1-4'],
])('%s: %j is the id %j, or none', (name, text = '', id) => {
  expect(cardIdReader(described({}, name === 'default' ? undefined : name).card)(text)).toBe(id || undefined);
});

it('a separator alone has no part that is empty or leads elsewhere', () => {
  const read = cardIdReader({ idSeparator: '/' });
  expect(['a/b', 'a/b/c', 'a//b', 'a/..', './a', '/'].map(read)).toEqual(['a/b', 'a/b/c', ...Array(4).fill(undefined)]);
});

const LORCAST = { CARD_SERVICE: 'lorcast' };

it.each(['random', '1:..', 'x" OR name:*', '1:2:3'])('/card %s costs no request, nor is one offered', async (text) => {
  const { services, cardService } = await startServices(LORCAST, '');
  const reply = await card.ask(typed({ id: text }), services);
  expect(reply).toMatchObject({ isPrivate: true, message: { content: expect.stringContaining("don't know a card") } });
  expect(JSON.stringify(reply)).not.toContain('card:show');
  expect(cardService.requests).toHaveLength(0);
});

it('/card and /cards ask for an id of the form as the service writes it, each once, and say of others that they are not known', async () => {
  const { services } = await startServices({ CARD_SERVICE: 'ygoprodeck' }, '');
  const queries = [{ cardId: '1861629' }];
  expect(await card.ask(typed({ id: '01861629' }), services)).toMatchObject({ queries });
  const unclear = [{ text: 'base1-4', cards: [] }];
  expect(await cards.ask(typed({ ids: '01861629, 1861629, base1-4' }), services)).toMatchObject({ queries, unclear });
});

it('a button of before, with an id of another form, asks for nothing, and /watch takes none', async () => {
  const { services } = await startServices(LORCAST, '');
  const shown = await card.component(pressed('show::base1-4'), services);
  expect(shown).toMatchObject({ isPrivate: true, source: 'bot' });
  const reply = await watch.ask(typed({ card: '1:..', above: 3 }), services);
  expect(JSON.stringify(reply)).toContain('know');
});

it('/watch watches a card of the service that is set, and rests while another is', async () => {
  const { services } = await startServices(LORCAST, '');
  const drake = { id: '11:125', name: 'Emberwing Drake', game: 'Wyrmfall', set: { id: '11', name: 'First Light' } };
  await services.cards.store(new Map([[drake.id, drake]]), new Map());
  await watch.ask(typed({ card: drake.id, above: 3 }), services);
  expect(await services.watches.find()).toMatchObject([{ cardId: drake.id, service: expect.stringMatching(/^\w+$/) }]);
});
