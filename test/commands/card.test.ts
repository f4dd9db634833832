import { describe, expect, it } from 'vitest';
import card from '../../commands/card.ts';
import type { Services } from '../../commands/command.ts';
import type { Resolution } from '../../src/catalog/meaning.ts';
import { InvalidCardId } from '../../src/model/errors.ts';
import type { PricePoint } from '../../src/model/price-history.ts';
import { formatMessage } from '../../src/render/messages.ts';
import { pressed, startServices, typed } from './commands.ts';

const CARD = { id: 'base1-4', name: 'Emberwing Drake', game: 'Lanternfolk', set: { id: 'base1', name: 'First Light' } };
const DAY_MS = 86_400_000;

/** Services whose catalog understands every text in the same way. */
async function startWith(resolution: Resolution): Promise<Services> {
  const { services } = await startServices();
  return { ...services, catalog: { ...services.catalog, resolve: async () => resolution } };
}

const DRAKE = { id: CARD.id, name: CARD.name };
const DENIED = { queries: [{ cardId: 'Emberwing', showPrices: false, known: { kind: 'fresh' } }] };

it.each<[Resolution, shown: object]>([
  [
    { kind: 'several', cards: [DRAKE], page: 0, total: 1 },
    { message: { components: [{ components: [{ custom_id: 'card:show:n:base1-4' }] }] } },
  ],
  [{ kind: 'none', similar: [DRAKE] }, DENIED],
  [{ kind: 'id' }, DENIED],
  [{ kind: 'unsearched' }, DENIED],
])('a text that the service denied means what it is called now, and otherwise what it said: %j', async (...row) => {
  const [resolution, shown] = row;
  const services = await startWith(resolution);
  await services.cards.store(new Map([['Emberwing', 'noSuchCard']]), new Map());
  expect(await card.ask(typed({ id: 'Emberwing', prices: false }), services)).toMatchObject(shown);
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
  it.each([
    ['show:', ['base1-4'], { cardId: 'base1-4', showPrices: true }, false],
    ['show:np', ['base1-4'], { cardId: 'base1-4', showPrices: false }, true],
    ['show:p:a:b', [], { cardId: 'a:b', showPrices: true }, true],
  ] as const)('of %j with %j asks for the card, whatever the catalog says', async (...row) => {
    const [argument, values, query, isPrivate] = row;
    const services = await startWith({ kind: 'none', similar: [] });
    expect(await card.component(pressed(argument, values), services)).toMatchObject({ queries: [query], isPrivate });
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
