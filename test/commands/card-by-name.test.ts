import { describe, expect, it } from 'vitest';
import card from '../../commands/card.ts';
import cards from '../../commands/cards.ts';
import type { ComponentUse, Services } from '../../commands/command.ts';
import type { Resolution } from '../../src/catalog/answers.ts';
import { InvalidCardId } from '../../src/model/errors.ts';
import { formatMessage } from '../../src/render/messages.ts';
import { startServices, typed } from './commands.ts';

/** Services whose catalog understands every text in the same way. */
async function startWith(resolution: Resolution): Promise<Services> {
  const { services } = await startServices();
  return { ...services, catalog: { ...services.catalog, resolve: async () => resolution } };
}

function press(argument: string, values: readonly string[] = []): ComponentUse {
  return { ...typed({}), argument, values, content: '', manageMessages: false };
}

it('a message whose member is not known is deleted by whoever may manage messages alone', async () => {
  const { services } = await startServices();
  const pressed = (manageMessages: boolean) => card.component({ ...press('delete'), manageMessages }, services);
  expect([await pressed(true), await pressed(false)]).toMatchObject([{ kind: 'delete' }, { kind: 'reply' }]);
});

it('a text that the service denied means what it is called now, and otherwise what the service said', async () => {
  const { services } = await startServices();
  await services.cards.store(new Map([['Emberwing', 'noSuchCard']]), new Map());
  const shown = (resolution: Resolution) =>
    card.ask(typed({ id: 'Emberwing', prices: false }), {
      ...services,
      catalog: { ...services.catalog, resolve: async () => resolution },
    });
  const drake = { id: 'base1-4', name: 'Emberwing Drake' };
  const hare = { id: 'base1-3', name: 'Candle Hare' };

  const several = await shown({ kind: 'several', cards: [drake], page: 0, total: 1 });
  expect(several).toMatchObject({
    isPrivate: true,
    message: { components: [{ components: [{ custom_id: 'card:show:n:base1-4' }] }] },
  });
  for (const meant of [{ kind: 'id' }, { kind: 'unsearched' }, { kind: 'none', similar: [hare] }] as const)
    expect(await shown(meant)).toMatchObject({
      queries: [{ cardId: 'Emberwing', showPrices: false, known: { kind: 'fresh' } }],
    });
});

describe('a button or a menu of /card', () => {
  it.each([
    ['show:', ['base1-4'], { cardId: 'base1-4', showPrices: true }, false],
    ['show:np', ['base1-4'], { cardId: 'base1-4', showPrices: false }, true],
    ['show::base1 4', [], { cardId: 'base1 4', showPrices: true }, false],
    ['show:p:a:b', [], { cardId: 'a:b', showPrices: true }, true],
  ] as const)(
    'of %j with %j asks for the card, whatever the catalog says',
    async (argument, values, query, isPrivate) => {
      const services = await startWith({ kind: 'none', similar: [] });
      expect(await card.component(press(argument, values), services)).toMatchObject({ queries: [query], isPrivate });
    },
  );

  it.each([
    ['', []],
    ['show:', []],
    ['show:x:base1-4', []],
    ['next:2', ['base1-4']],
  ])('that was never given out is answered with a sentence: %j with %j', async (argument, values) => {
    const message = { content: formatMessage('en-US', 'outOfDate') };
    const { services } = await startServices();
    expect(await card.component(press(argument, values), services)).toMatchObject({ isPrivate: true, message });
  });

  it('with what is no card id is refused', async () => {
    const services = await startWith({ kind: 'id' });
    await expect(card.component(press('show::..'), services)).rejects.toThrow(InvalidCardId);
    await expect(card.component(press('show:', ['a\u0000b']), services)).rejects.toThrow(InvalidCardId);
  });
});

it('a button of /cards whose texts cannot be searched now is not taken for an old one', async () => {
  const services = await startWith({ kind: 'unsearched' });
  const resolveList = async () => ({ ids: [], unclear: [], unsearched: ['golem'] });
  const pressed = { ...press('choose:'), content: '**golem**: did you mean Wax Golem?' };
  const shown = await cards.component(pressed, { ...services, catalog: { ...services.catalog, resolveList } });
  expect(shown).toMatchObject({ message: { content: formatMessage('en-US', 'namesUnsearched') } });
});
