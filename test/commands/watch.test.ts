import { expect, it } from 'vitest';
import type { ComponentUse, Reply, Services } from '../../commands/command.ts';
import watch from '../../commands/watch.ts';
import watches from '../../commands/watches.ts';
import { MOST_WATCHES } from '../../src/watches/watches.ts';
import { startServices, typed } from './commands.ts';

const DRAKE = { id: 'base1-4', name: 'Emberwing Drake', game: 'Wyrmfall', set: { id: 'base1', name: 'First Light' } };
const PROMO = { ...DRAKE, id: 'promo-7', set: { id: 'promo', name: 'Promos' } };
const GOLEM = { ...DRAKE, id: 'dusk2-33', name: 'Wax Golem' };

/** Emberwing Drake costs 27.51, its promo is of the same name, and nobody has seen the price of Wax Golem. */
async function start() {
  const { services, cardService } = await startServices({ PRICE_CURRENCY: 'USD' });
  const found = [{ ...DRAKE, prices: { market: 27.51 } }, PROMO, GOLEM].map((card) => [card.id, card] as const);
  await services.cards.store(new Map(found), new Map());
  await expect.poll(async () => (await services.catalog.resolve('wax golem', ALICE)).kind).toBe('one');
  return { services, cardService };
}
const ALICE = { memberId: 'alice', guildId: 'guild' };

async function textOf(reply: Promise<Reply>): Promise<string> {
  const { message, isPrivate } = await reply;
  expect(isPrivate).toBe(true);
  return (message.content ?? message.embeds?.[0]?.description ?? '').replaceAll(/<t:\d+:R>/g, 'AGO');
}

const setWatch = (options: Record<string, string | number>, services: Services) => watch.ask(typed(options), services);

function pressed(argument: string, values: string[] = []): ComponentUse {
  return { ...typed({}), argument, values, content: '', manageMessages: false };
}

it.each<[string, Record<string, string | number>, says: string]>([
  [
    'a price to come',
    { card: 'base1-4', below: 20 },
    "I'll send you a DM when **Emberwing Drake** is at $20.00 or below.\n-# Last price $27.51 · AGO",
  ],
  [
    'a price that is there',
    { card: 'base1-4', below: 30 },
    "I'll send you a DM when **Emberwing Drake** is at $30.00 or below.\nIt's at $27.51 already. I'll tell you the next time it gets there.\n-# Last price $27.51 · AGO",
  ],
  [
    'two prices',
    { card: 'base1-4', below: 20, above: 40.5 },
    "I'll send you a DM when **Emberwing Drake** is at $40.50 or above, or at $20.00 or below.",
  ],
  ['a percentage of a known price', { card: 'base1-4', percent: 10 }, 'is at $30.26 or above, or at $24.76 or below.'],
  ['one beside a price', { card: 'base1-4', percent: 10, above: 50 }, 'is at $50.00 or above, or at $24.76 or below.'],
  [
    'a percentage of a price to come',
    { card: 'wax golem', percent: 10 },
    "when **Wax Golem** rises or falls by 10% from the next price I get.\n-# I don't know its price yet.",
  ],
  [
    'one beside a price to come',
    { card: 'wax golem', percent: 10, below: 5 },
    'is at $5.00 or below, or rises by 10% from the next price I get.',
  ],
  [
    'nothing to wait for',
    { card: 'base1-4' },
    'Please say when I should tell you: `above` or `below` a price, or after a change by `percent`.',
  ],
  [
    'prices the wrong way round',
    { card: 'base1-4', above: 20, below: 20 },
    '`above` has to be a higher price than `below`.',
  ],
  [
    'a card that nobody has seen',
    { card: 'base1-99', below: 3 },
    "I don't know a card called **base1\\-99**. Pick one while you type",
  ],
  ['a name that no card has', { card: 'wax golm', below: 3 }, "I don't know a card called **wax golm**."],
  ['the name of several cards', { card: 'emberwing drake', below: 3 }, 'Which of these cards do you mean?'],
])('/watch of %s', async (_, options, says) => {
  const { services, cardService } = await start();
  expect(await textOf(setWatch(options, services))).toContain(says);
  expect(cardService.requests).toEqual([]);
});

it('a card that is chosen among several is watched, and one watch of a card replaces another', async () => {
  const { services } = await start();
  const { message } = await setWatch({ card: 'emberwing drake', below: 30, percent: 5 }, services);
  const [menu] = message.components?.[0]?.components ?? [];
  expect(menu).toMatchObject({
    custom_id: 'watch::30:5',
    options: expect.arrayContaining([expect.objectContaining({ value: 'promo-7' })]),
  });
  const chosen = () => textOf(watch.component(pressed(':30:5', ['promo-7']), services) as Promise<Reply>);
  expect(await chosen()).toContain('is at $30.00 or below, or rises by 5% from the next price');
  expect(await chosen()).toContain('This replaces what you had set for this card.');
  expect(await services.watches.find({ member: 'alice' })).toMatchObject([
    { cardId: 'promo-7', below: 30, percent: 5 },
  ]);
  expect(await textOf(watch.component(pressed('30', ['promo-7']), services) as Promise<Reply>)).toContain('too old');
});

it('a member watches 25 cards', async () => {
  const { services } = await start();
  const wish = { ...ALICE, cardName: 'Any', locale: 'de', below: 1 };
  for (let card = 0; card < MOST_WATCHES; card++) await services.watches.set({ ...wish, cardId: `any-${card}` }, 3);
  expect(await textOf(setWatch({ card: 'base1-4', below: 3 }, services))).toContain("You're already watching 25 cards");
});

it('/watches lists more than 25, of which the first 25 can be stopped', async () => {
  const { services } = await start();
  const lines = { below: 1, side: 'between', locale: 'de', setAtMs: 1, crossings: 0, untold: [] } as const;
  const own = Array.from({ length: 27 }, (_, at) => {
    return { ...lines, ...ALICE, id: `${at}`, cardId: `any-${at}`, cardName: `Card ${at} ${'*'.repeat(60)}` };
  });
  const stored = { find: async () => own } as unknown as Services['watches'];
  const { message } = await watches.ask(typed({}), { ...services, watches: stored });
  const [menu] = message.components?.[0]?.components ?? [];
  expect(menu).toMatchObject({ options: { length: 25, 0: { value: '0' } } });
  expect(message.embeds?.[0]?.description?.length).toBeLessThanOrEqual(4_096);
});

it('/watches lists what a member watches, with a menu and a button that stop', async () => {
  const { services } = await start();
  const list = () => textOf(watches.ask(typed({}), services));
  expect(await list()).toContain("You aren't watching any prices.");
  await setWatch({ card: 'base1-4', below: 20 }, services);
  await setWatch({ card: 'wax golem', percent: 10 }, services);
  expect(await list()).toBe(
    '**Emberwing Drake**\n-# $20.00 or below · Last price $27.51 · AGO\n**Wax Golem**\n-# 10% above or below the next price\n' +
      "I'll send you a DM, or tell you with your next command if I can't.",
  );
  const [drake, golem] = (await services.watches.find({ member: 'alice' })) ?? [];
  const stopped = (await watches.component(pressed('stop', [drake?.id ?? '']), services)) as Reply;
  expect(stopped.isInPlace).toBe(true);
  expect(await textOf(Promise.resolve(stopped))).not.toContain('Emberwing Drake');
  expect(await textOf(watches.component(pressed(`stop:${golem?.id}`), services) as Promise<Reply>)).toContain('Done');
  expect(await services.watches.find({ member: 'alice' })).toEqual([]);
});
