import { describe, expect, it } from 'vitest';
import card from '../../commands/card.ts';
import type { Services } from '../../commands/command.ts';
import type { Resolution } from '../../src/catalog/meaning.ts';
import { InvalidCardId } from '../../src/model/errors.ts';
import type { PricePoint } from '../../src/model/price-history.ts';
import { formatMessage } from '../../src/render/messages.ts';
import { table } from '../table.ts';
import { pressed, startServices, typed } from './commands.ts';

const CARD = { id: 'base1-4', name: 'Emberwing Drake', game: 'Lanternfolk', set: { id: 'base1', name: 'First Light' } };
const DAY_MS = 86_400_000;

/** Services whose catalog understands every text in the same way. */
async function startWith(resolution: Resolution): Promise<Services> {
  const { services } = await startServices();
  return { ...services, catalog: { ...services.catalog, resolve: async () => resolution } };
}

it.each(table`
  means what it is called now | {"kind":"several","cards":[{"id":"base1-4","name":"Emberwing
    Drake"}],"page":0,"total":1}
    | {"message":{"components":[{"components":[{"custom_id":"card:show:n:base1-4"}]}]}}
  is denied where only similar names are known | {"kind":"none","similar":[{"id":"base1-4","name":"Emberwing Drake"}]} |
  is denied as an id | {"kind":"id"} |
  is denied while names cannot be searched | {"kind":"unsearched"} |
`)('a text that the service denied %s', async (_, resolution = '', shown) => {
  const services = await startWith(JSON.parse(resolution));
  await services.cards.store(new Map([['Emberwing', 'noSuchCard']]), new Map());
  const denied = { queries: [{ cardId: 'Emberwing', showPrices: false, known: { kind: 'fresh' } }] };
  const asked = await card.ask(typed({ id: 'Emberwing', prices: false }), services);
  expect(asked).toMatchObject(shown ? JSON.parse(shown) : denied);
});

it.each([
  ['to everyone, where they can see it', true, false, 'Löschen'],
  ['to the member alone, in their language, where Discord hides replies', false, true, undefined],
])('the price of a card is shown %s, and is no lookup', async (_, canReplyPublicly, isPrivate, label) => {
  const { services } = await startServices();
  const history = [3, 2, 1].map((days): PricePoint => [Date.now() - days * DAY_MS, days]);
  const kept = { card: CARD, fetchedAtMs: 0, history };
  await services.cards.store(new Map([['base1-4', CARD]]), new Map([['base1-4', kept]]));
  services.cards.known = () => Promise.reject(new Error('a lookup'));
  const use = pressed('history::base1-4', [], { canReplyPublicly, guildLocale: 'de' });
  const shown = await card.component(use, services);
  if (!('message' in shown)) throw new Error('no message');
  const [button = {}] = shown.message.components?.[0]?.components ?? [];
  expect({ isPrivate: shown.isPrivate, label: undefined, ...button }).toMatchObject({ isPrivate, label });
});

describe('a button or a menu of /card', () => {
  it.each(table`
    show: | base1-4 | {"cardId":"base1-4","showPrices":true} | public
    show:np | base1-4 | {"cardId":"base1-4","showPrices":false} | private
    show:p:a:b | | {"cardId":"a:b","showPrices":true} | private
  `)('of %j with %j asks for the card, whatever the catalog says', async (argument = '', value, query = '', where) => {
    const services = await startWith({ kind: 'none', similar: [] });
    const asked = await card.component(pressed(argument, value ? [value] : []), services);
    expect(asked).toMatchObject({ queries: [JSON.parse(query)], isPrivate: where === 'private' });
  });

  it.each([
    ['', []],
    ['show:', []],
    ['next:2', ['base1-4']],
  ])('that was never given out is answered with a sentence: %j with %j', async (argument, values) => {
    const message = { content: formatMessage('en-US', 'outOfDate') };
    const { services } = await startServices();
    expect(await card.component(pressed(argument, values), services)).toMatchObject({ isPrivate: true, message });
  });

  it('with what is no card id is refused', async () => {
    const services = await startWith({ kind: 'id' });
    await expect(card.component(pressed('show::..'), services)).rejects.toThrow(InvalidCardId);
    await expect(card.component(pressed('show:', ['a\u0000b']), services)).rejects.toThrow(InvalidCardId);
  });
});

it('a message whose member is not known is deleted by whoever may manage messages alone', async () => {
  const { services } = await startServices();
  const kinds = [true, false].map(async (manageMessages) => {
    return (await card.component(pressed('delete', [], { manageMessages }), services)).kind;
  });
  expect(await Promise.all(kinds)).toEqual(['delete', 'reply']);
});
