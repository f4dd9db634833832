import { describe, expect, it } from 'vitest';
import card from '../../commands/card.ts';
import type { Services } from '../../commands/services.ts';
import type { Catalog, Resolution } from '../../src/catalog/catalog.ts';
import type { Invocation, Message, Response } from '../../src/discord/interactions/command.ts';
import { InvalidCardId } from '../../src/model/errors.ts';
import { formatMessage } from '../../src/render/messages.ts';
import { invocation, startServices } from './commands.ts';

const DRAKE = { id: 'base1-4', name: 'Emberwing Drake', set: 'First Light', number: '4/102' };
const HARE = { id: 'base1-3', name: 'Candle Hare' };

/** Services whose catalog understands every text in the same way. */
async function startWith(resolution: Resolution) {
  const { services, cardService } = await startServices();
  const resolved: string[] = [];
  const asked: string[] = [];
  const catalog: Catalog = {
    search: async () => [],
    searchInList: async () => [],
    resolveList: async () => ({ ids: [], unclear: [], unsearched: [] }),
    async resolve(text) {
      resolved.push(text);
      return resolution;
    },
    printings: async () => [DRAKE],
    mentions: async () => ({ ids: [], ambiguous: [] }),
    learn: () => {},
    deny: () => {},
    asked: (id, { memberId, guildId }) => void asked.push(`${id} by ${memberId} in ${guildId}`),
    close: async () => {},
  };
  return { services: { ...services, catalog } satisfies Services, cardService, resolved, asked };
}

/** The message in the end, and whether all see it. */
async function completed(response: Response, services: Services): Promise<{ message: Message; private: boolean }> {
  if (response.kind === 'reply') return response;
  const answer = await response.reservation.start();
  const { query, private: isPrivate } = response;
  const reply = { ...invocation({}), command: 'card', query, private: isPrivate };
  return { message: card.complete(reply, { answer }, services), private: isPrivate };
}

const idsOf = ({ components = [] }: Message) =>
  components.flatMap((row) => row.components.map((part) => 'custom_id' in part && part.custom_id));

async function use(argument: string, values: string[], services: Services): Promise<Response> {
  const used: Invocation = invocation({});
  const response = await card.component({ ...used, argument, values, manageMessages: false }, services);
  if (response.kind === 'delete') throw new Error('deletes its message');
  return response;
}

it('a message is deleted by whoever asked for it, and by whoever may manage messages', async () => {
  const { services } = await startServices();
  const pressed = { ...invocation({}), argument: 'delete', values: [] };
  const deletes = async (more: { askedBy?: string; manageMessages: boolean }) =>
    (await card.component({ ...pressed, ...more }, services)).kind === 'delete';
  expect(await deletes({ askedBy: 'alice', manageMessages: false })).toBe(true);
  expect(await deletes({ askedBy: 'bob', manageMessages: true })).toBe(true);
  expect(await deletes({ askedBy: 'bob', manageMessages: false })).toBe(false);
  expect(await deletes({ manageMessages: false })).toBe(false);
});

describe('a text that is no card that is kept', () => {
  it('is looked up as it is when it may be an id', async () => {
    const { services } = await startWith({ kind: 'id' });
    const response = await card.run(invocation({ id: ' base1-4 ' }), services);
    expect(response).toMatchObject({ kind: 'defer', query: { cardId: 'base1-4' } });
    expect((await completed(response, services)).message).not.toHaveProperty('content');
  });

  it('is looked up as the one card that it means, and the reply says which id that is', async () => {
    const { services } = await startWith({ kind: 'one', card: DRAKE });
    const response = await card.run(invocation({ id: 'emberwing drake', prices: false }), services);
    expect(response).toMatchObject({ kind: 'defer', private: false, query: { cardId: 'base1-4', showPrices: false } });
    const shown = { content: 'The id of this card is **base1\\-4**.', embeds: [{ title: 'Emberwing Drake' }] };
    expect((await completed(response, services)).message).toMatchObject(shown);
    expect(await card.run(invocation({ id: 'BASE1-4' }), services)).toMatchObject({ source: 'cache', message: shown });
  });

  it.each([
    ['several cards', { kind: 'several', cards: [DRAKE, HARE] }, 'Which of these cards do you mean?'],
    ['one card among others', { kind: 'several', cards: [DRAKE] }, 'Is this the card you mean?'],
  ] as const)('is answered with a private menu when it means %s, without a request', async (_, meant, content) => {
    const { services, cardService } = await startWith(meant);
    const response = await card.run(invocation({ id: 'light', prices: false, private: true }), services);
    expect(response).toMatchObject({ kind: 'reply', private: true, source: 'bot', message: { content } });
    expect(response.kind === 'reply' && idsOf(response.message)).toEqual(['card:show:np']);
    expect(cardService.requests).toEqual([]);
    expect(services.lookupQueue.length).toBe(0);
  });

  it('is answered with a private button when nothing is called so, without a request', async () => {
    const { services, cardService } = await startWith({ kind: 'none', similar: [HARE] });
    const response = await card.run(invocation({ id: 'Candle Bear' }), services);
    expect(response).toMatchObject({
      kind: 'reply',
      private: true,
      message: { content: expect.stringMatching(/Did you mean Candle Hare\?/) },
    });
    expect(response.kind === 'reply' && idsOf(response.message)).toEqual(['card:show:', 'card:show::Candle Bear']);
    expect(cardService.requests).toEqual([]);
  });

  it('is answered with a private button while names cannot be searched, unless the service has just denied it', async () => {
    const { services, cardService } = await startWith({ kind: 'unsearched' });
    const response = await card.run(invocation({ id: 'Candle Hare', prices: false }), services);
    expect(response).toMatchObject({ kind: 'reply', private: true, source: 'bot' });
    const message = response.kind === 'reply' ? response.message : {};
    expect(message.content).toMatch(/^I can't search card names right now.*\nAsking anyway uses one/);
    expect(idsOf(message)).toEqual(['card:show:n:Candle Hare']);
    expect([cardService.requests, services.lookupQueue.length]).toEqual([[], 0]);

    await completed(await use('show:n:Candle Hare', [], services), services);
    const denied = await card.run(invocation({ id: 'Candle Hare' }), services);
    expect(denied).toMatchObject({ private: true, message: { content: expect.stringMatching(/^No card has/) } });
    expect(cardService.requests).toHaveLength(1);
  });

  it('is not asked about in the catalog when a card of exactly that id is kept', async () => {
    const { services, resolved } = await startWith({ kind: 'id' });
    await completed(await card.run(invocation({ id: 'base1-4' }), services), services);
    await card.run(invocation({ id: 'base1-4' }), services);
    expect(resolved).toEqual(['base1-4']);
  });

  it('that the service denied means what it is called now', async () => {
    const { services, cardService } = await startWith({ kind: 'id' });
    await completed(await card.run(invocation({ id: 'Emberwing' }), services), services);
    const meaning = (resolution: Resolution) => ({
      ...services,
      catalog: { ...services.catalog, resolve: async () => resolution },
    });

    const several = meaning({ kind: 'several', cards: [DRAKE] });
    expect(await card.run(invocation({ id: 'Emberwing' }), several)).toMatchObject({ message: { components: [{}] } });
    for (const unknown of [services, meaning({ kind: 'none', similar: [HARE] })]) {
      const response = await card.run(invocation({ id: 'Emberwing' }), unknown);
      expect(response).toMatchObject({ private: true, message: { content: expect.stringMatching(/^No card has/) } });
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
    'of %j with %j looks the card up, whatever the catalog says',
    async (argument, values, query, isPrivate) => {
      const { services, resolved } = await startWith({ kind: 'none', similar: [] });
      expect(await use(argument, [...values], services)).toMatchObject({ kind: 'defer', private: isPrivate, query });
      expect(resolved).toEqual([]);
    },
  );

  it('shows what is kept as a new reply', async () => {
    const { services } = await startWith({ kind: 'id' });
    await completed(await card.run(invocation({ id: 'base1-4' }), services), services);
    const shown = {
      kind: 'reply',
      private: false,
      source: 'cache',
      message: { embeds: [{ title: 'Emberwing Drake' }] },
    };
    expect(await use('show:', ['base1-4'], services)).toMatchObject(shown);
  });

  it.each([
    ['', []],
    ['show:', []],
    ['show:x:base1-4', []],
    ['next:2', ['base1-4']],
  ])('that was never given out is answered with a sentence: %j with %j', async (argument, values) => {
    const { services, cardService } = await startWith({ kind: 'id' });
    const message = { content: formatMessage('en-US', 'outOfDate') };
    expect(await use(argument, values, services)).toMatchObject({ kind: 'reply', private: true, message });
    expect(cardService.requests).toEqual([]);
  });

  it('with what is no card id is refused', async () => {
    const { services } = await startWith({ kind: 'id' });
    await expect(use('show::..', [], services)).rejects.toThrow(InvalidCardId);
    await expect(use('show:', ['a\u0000b'], services)).rejects.toThrow(InvalidCardId);
  });
});

it('each lookup of a card counts for the one who asked, once, and what does not exist does not', async () => {
  const { services, asked } = await startWith({ kind: 'id' });
  await completed(await card.run(invocation({ id: 'base1-4' }), services), services);
  expect(asked).toEqual(['base1-4 by alice in guild']);
  await card.run(invocation({ id: 'base1-4' }, { memberId: 'bob' }), services);
  await use('show:', ['base1-4'], services);
  expect(asked.slice(1)).toEqual(['base1-4 by bob in guild', 'base1-4 by alice in guild']);
  await completed(await card.run(invocation({ id: 'nothing-here' }), services), services);
  expect(asked).toHaveLength(3);
});

it('a stale card counts once, although its reply is corrected', async () => {
  const { services: all } = await startServices({ FACTS_FRESH_SECONDS: '0' });
  const { services, asked } = await startWith({ kind: 'id' });
  const stale = { ...all, catalog: services.catalog };
  await completed(await card.run(invocation({ id: 'base1-4' }), stale), stale);
  const response = await card.run(invocation({ id: 'base1-4' }), stale);
  expect(await (response.kind === 'reply' && response.correction)).toMatchObject({ embeds: [{}] });
  expect(asked).toHaveLength(2);
});

it('suggestions are what the catalog finds within two seconds of the key', async () => {
  const { services } = await startWith({ kind: 'id' });
  const searched: unknown[] = [];
  const search: Catalog['search'] = async (text, who, deadlineMs) => {
    searched.push([text, who, deadlineMs]);
    return [DRAKE, HARE];
  };
  const typing = { ...invocation({}), option: 'id', typed: 'ember' };
  const choices = await card.autocomplete(typing, { ...services, catalog: { ...services.catalog, search } });
  expect(choices).toEqual([
    { name: 'Emberwing Drake · First Light · 4/102', value: 'base1-4' },
    { name: 'Candle Hare', value: 'base1-3' },
  ]);
  expect(searched).toEqual([['ember', { memberId: 'alice', guildId: 'guild' }, typing.receivedAtMs + 2_000]]);
});
