import { describe, expect, it } from 'vitest';
import card from '../../commands/card.ts';
import cards from '../../commands/cards.ts';
import type { Message, Services } from '../../commands/command.ts';
import type { Catalog, Resolution } from '../../src/catalog/catalog.ts';
import { InvalidCardId } from '../../src/model/errors.ts';
import { formatMessage } from '../../src/render/messages.ts';
import { shown, startServices, typed } from './commands.ts';

const DRAKE = { id: 'base1-4', name: 'Emberwing Drake', set: 'First Light', number: '4/102' };
const HARE = { id: 'base1-3', name: 'Candle Hare' };

const page = (cards: readonly (typeof DRAKE | typeof HARE)[]): Resolution => ({
  ...{ kind: 'several', cards, page: 0, total: cards.length },
});

/** Services whose catalog understands every text in the same way. */
async function startWith(resolution: Resolution) {
  const { services, cardService } = await startServices();
  const resolved: string[] = [];
  const asked: string[] = [];
  const catalog: Catalog = {
    search: async () => [],
    searchInList: async () => [],
    resolveList: async () => ({ ids: [], unclear: [], unsearched: [] }),
    resolveLines: async () => [],
    async resolve(text) {
      resolved.push(text);
      return resolution;
    },
    printings: async () => ({ cards: [DRAKE], page: 0, total: 1, name: 'Drake' }),
    mentions: async () => ({ ids: [], ambiguous: [] }),
    learn: () => {},
    deny: () => {},
    shown: ({ cardIds, memberId, guildId }) =>
      void asked.push(...cardIds.map((id) => `${id} by ${memberId} in ${guildId}`)),
    close: async () => {},
  };
  return { services: { ...services, catalog } satisfies Services, cardService, resolved, asked };
}

function run(services: Services, options: Parameters<typeof typed>[0], memberId = 'alice') {
  const use = typed(options, { memberId });
  return shown(use, card.ask(use, services), services);
}

const idsOf = ({ components = [] }: Message) =>
  components.flatMap((row) => row.components.map((part) => 'custom_id' in part && part.custom_id));

function press(argument: string, values: readonly string[] = []) {
  return { ...typed({}), argument, values, content: '', manageMessages: false };
}

function use(services: Services, argument: string, values: string[] = []) {
  const pressed = press(argument, values);
  return shown(pressed, card.component(pressed, services), services);
}

it('a message is deleted by whoever asked for it, and by whoever may manage messages', async () => {
  const { services } = await startServices();
  const deletes = async (memberId: string | undefined, manageMessages: boolean) => {
    const repliedTo = memberId === undefined ? undefined : { interactionId: '7', memberId };
    const response = await card.component({ ...press('delete'), repliedTo, manageMessages }, services);
    return 'kind' in response && response.interactionId;
  };
  expect(await deletes('alice', false)).toBe('7');
  expect(await deletes('bob', true)).toBe('7');
  expect(await deletes('bob', false)).toBe(false);
  expect(await deletes(undefined, false)).toBe(false);
  expect(await deletes(undefined, true)).toBe(undefined);
});

describe('a text that is no card that is kept', () => {
  it('is looked up as the one card that it means', async () => {
    const { services } = await startWith({ kind: 'one', card: DRAKE });
    const last = { embeds: [{ title: 'Emberwing Drake' }] };
    expect(await run(services, { id: 'emberwing drake' })).toMatchObject({ isDeferred: true, isPrivate: false, last });
    expect(await run(services, { id: 'BASE1-4' })).toMatchObject({ isDeferred: false, source: 'cache', last });
    const asked = await card.ask(typed({ id: 'emberwing drake', prices: false }), services);
    expect(asked).toMatchObject({ queries: [{ cardId: 'base1-4', showPrices: false }] });
  });

  it.each([
    ['several cards', page([DRAKE, HARE]), 'Which of these cards do you mean?', 'card:show:n'],
    ['one card among others', page([DRAKE]), 'Is this the card you mean?', 'card:show:n:base1-4'],
  ] as const)('is answered with a private menu when it means %s, without a request', async (_, meant, content, id) => {
    const { services, cardService } = await startWith(meant);
    const { first, ...how } = await run(services, { id: 'light', prices: false });
    expect(how).toMatchObject({ isDeferred: false, isPrivate: true, source: 'bot', last: { content } });
    expect(idsOf(first)).toEqual([id]);
    expect(cardService.requests).toEqual([]);
  });

  it('is answered with a private button when nothing is called so, without a request', async () => {
    const { services, cardService } = await startWith({ kind: 'none', similar: [HARE] });
    const { isPrivate, first } = await run(services, { id: 'Candle Bear' });
    expect([isPrivate, first]).toMatchObject([true, { content: expect.stringMatching(/Did you mean Candle Hare\?/) }]);
    expect(idsOf(first)).toEqual(['card:show::base1-3', 'card:show::Candle Bear']);
    expect(cardService.requests).toEqual([]);
  });

  it('is answered with a private button while names cannot be searched, unless the service has just denied it', async () => {
    const { services, cardService } = await startWith({ kind: 'unsearched' });
    const { first, ...how } = await run(services, { id: 'Candle Hare', prices: false });
    expect(how).toMatchObject({ isPrivate: true, source: 'bot' });
    expect(first.content).toMatch(/^I can't search card names right now.*\nAsking anyway uses one/);
    expect(idsOf(first)).toEqual(['card:show:n:Candle Hare']);
    expect([cardService.requests, services.lookupQueue.length]).toEqual([[], 0]);

    await use(services, 'show:n:Candle Hare');
    const denied = await run(services, { id: 'Candle Hare' });
    expect(denied).toMatchObject({ isPrivate: true, first: { content: expect.stringMatching(/^No card has/) } });
    expect(cardService.requests).toHaveLength(1);
  });

  it('is not asked about in the catalog when a card of exactly that id is kept', async () => {
    const { services, resolved } = await startWith({ kind: 'id' });
    await run(services, { id: 'base1-4' });
    await run(services, { id: 'base1-4' });
    expect(resolved).toEqual(['base1-4']);
  });

  it('that the service denied means what it is called now', async () => {
    const { services, cardService } = await startWith({ kind: 'id' });
    await run(services, { id: 'Emberwing' });
    const meaning = (resolution: Resolution) => ({
      ...services,
      catalog: { ...services.catalog, resolve: async () => resolution },
    });

    const several = meaning(page([DRAKE]));
    expect(await run(several, { id: 'Emberwing' })).toMatchObject({ first: { components: [{}] } });
    for (const unknown of [services, meaning({ kind: 'none', similar: [HARE] })]) {
      const { isPrivate, first } = await run(unknown, { id: 'Emberwing' });
      expect([isPrivate, first.content]).toEqual([true, expect.stringMatching(/^No card has/)]);
    }
    expect(cardService.requests).toHaveLength(1);
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
      const { services, resolved } = await startWith({ kind: 'none', similar: [] });
      expect(await card.component(press(argument, values), services)).toMatchObject({ queries: [query], isPrivate });
      expect(resolved).toEqual([]);
    },
  );

  it.each([
    ['', []],
    ['show:', []],
    ['show:x:base1-4', []],
    ['next:2', ['base1-4']],
  ])('that was never given out is answered with a sentence: %j with %j', async (argument, values) => {
    const { services, cardService } = await startWith({ kind: 'id' });
    const last = { content: formatMessage('en-US', 'outOfDate') };
    expect(await use(services, argument, values)).toMatchObject({ isDeferred: false, isPrivate: true, last });
    expect(cardService.requests).toEqual([]);
  });

  it('with what is no card id is refused', async () => {
    const { services } = await startWith({ kind: 'id' });
    await expect(card.component(press('show::..'), services)).rejects.toThrow(InvalidCardId);
    await expect(card.component(press('show:', ['a\u0000b']), services)).rejects.toThrow(InvalidCardId);
  });
});

it('a button of /cards whose texts cannot be searched now is not taken for an old one', async () => {
  const { services } = await startWith({ kind: 'unsearched' });
  const resolveList = async () => ({ ids: [], unclear: [], unsearched: ['golem'] });
  const pressed = { ...press('choose:'), content: '**golem**: did you mean Wax Golem?' };
  const shown = await cards.component(pressed, { ...services, catalog: { ...services.catalog, resolveList } });
  expect(shown).toMatchObject({ message: { content: formatMessage('en-US', 'namesUnsearched') } });
});

it('each lookup of a card counts for the one who asked, once, and what does not exist does not', async () => {
  const { services, asked } = await startWith({ kind: 'id' });
  await run(services, { id: 'base1-4' });
  expect(asked).toEqual(['base1-4 by alice in guild']);
  await run(services, { id: 'base1-4' }, 'bob');
  await use(services, 'show:', ['base1-4']);
  expect(asked.slice(1)).toEqual(['base1-4 by bob in guild', 'base1-4 by alice in guild']);
  await run(services, { id: 'nothing-here' });
  expect(asked).toHaveLength(3);
});

it('a stale card counts once, although its reply is corrected', async () => {
  const { services: all } = await startServices({ FACTS_FRESH_SECONDS: '0' });
  const { services, asked } = await startWith({ kind: 'id' });
  const stale = { ...all, catalog: services.catalog };
  await run(stale, { id: 'base1-4' });
  const { first, last } = await run(stale, { id: 'base1-4' });
  expect(last).not.toBe(first);
  expect(asked).toHaveLength(2);
});
