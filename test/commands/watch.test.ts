import { expect, it } from 'vitest';
import type { ComponentUse, Form, FormUse, Reply, Services } from '../../commands/command.ts';
import watch from '../../commands/watch.ts';
import watches from '../../commands/watches.ts';
import { LANGUAGES } from '../../src/render/languages.ts';
import { watchForm } from '../../src/render/watch-message.ts';
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
    custom_id: 'watch:lines:::30:5',
    options: expect.arrayContaining([expect.objectContaining({ value: 'promo-7' })]),
  });
  const chosen = () => textOf(watch.component(pressed('lines:::30:5', ['promo-7']), services) as Promise<Reply>);
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
  const lines = { below: 1, side: 'between', locale: 'de', setAtMs: 1, crossings: 0 } as const;
  const own = Array.from({ length: 27 }, (_, at) => {
    return { ...lines, ...ALICE, id: `${at}`, cardId: `any-${at}`, cardName: `Card ${at} ${'*'.repeat(60)}` };
  });
  const stored = { find: async () => own } as unknown as Services['watches'];
  const { message } = await watches.ask(typed({}), { ...services, watches: stored });
  const [menu] = message.components?.[0]?.components ?? [];
  expect(menu).toMatchObject({ options: { length: 25, 0: { value: '0' } } });
  expect(message.embeds?.[0]?.description?.length).toBeLessThanOrEqual(4_096);
});

/** What comes of a form in which this was typed. */
function submitted(typedLines: Record<string, string>, services: Services, more: Partial<FormUse> = {}) {
  const fields = { getTextInputValue: (name: string) => typedLines[name] ?? '' };
  return watch.submit({ ...typed({}), argument: 'form::::base1-4', fields, ...more }, services);
}

it('a form asks for the prices of a watch with nothing in it, and what cards cost last beside that', async () => {
  const { services, cardService } = await start();
  const form = await watch.component(pressed('form::::base1-4'), services);
  expect(form).toMatchObject({
    ...{ kind: 'form', customId: 'watch:form::::base1-4', title: 'Watch Emberwing Drake' },
    fields: [
      { id: 'above', label: 'This price or above', placeholder: 'Last price: $27.51', isOptional: true },
      { id: 'below', label: 'This price or below', placeholder: 'Last price: $27.51', isOptional: true },
    ],
  });
  expect((form as Form).fields.map(({ value }) => value)).toEqual([undefined, undefined]);
  expect(await textOf(watch.component(pressed('form::::base1-99'), services) as Promise<Reply>)).toContain(
    "I don't know a card called **base1\\-99**.",
  );
  expect(cardService.requests).toEqual([]);
});

it.each<[string, Record<string, string>, says: string]>([
  ['a price', { below: '$20' }, "I'll send you a DM when **Emberwing Drake** is at $20.00 or below."],
  ['two', { above: '40.5', below: ' 20 ' }, 'is at $40.50 or above, or at $20.00 or below.'],
  ['nothing', { above: ' ' }, 'Please type a price into at least one of the two fields, such as 1250 or 12.50.'],
  ['what is no price', { above: '45', below: 'ten' }, "**ten** isn't a price that I can watch. Please type one"],
  ['another currency than the card has', { below: '€20' }, "**€20** isn't a price that I can watch."],
  ['what is too low', { above: '0' }, "**0** isn't a price that I can watch."],
  ['what is too high', { above: '2,000,000,000' }, "**2,000,000,000** isn't a price that I can watch."],
  ['what nobody can see', { above: '\u200b' }, "**(invisible)** isn't a price that I can watch."],
  ['prices the wrong way round', { above: '20', below: '20' }, '`above` has to be a higher price than `below`.'],
])('the form of a watch with %s', async (_, typedLines, says) => {
  const { services, cardService } = await start();
  expect(await textOf(submitted(typedLines, services))).toContain(says);
  expect(cardService.requests).toEqual([]);
});

it('a price has the sign of the currency that its card has', async () => {
  const { services } = await start();
  const euros = { ...DRAKE, id: 'euro-1', prices: { market: 3, currency: 'EUR' } };
  await services.cards.store(new Map([[euros.id, euros]]), new Map());
  const typedPrice = (above: string) => textOf(submitted({ above }, services, { argument: 'form::::euro-1' }));
  expect([await typedPrice('12,5 €'), await typedPrice('$12.5')]).toEqual([
    expect.stringContaining('€12.50'),
    expect.stringContaining('**$12.5**'),
  ]);
});

it('a form that is refused is opened again with what was typed, if that fits', async () => {
  const { services } = await start();
  const idsOf = async (text: string) => {
    const { message } = await submitted({ above: text, below: '3' }, services);
    return (message.components ?? []).flatMap(({ components }) =>
      components.map((part) => 'custom_id' in part && part.custom_id),
    );
  };
  expect(await idsOf('5:3%')).toEqual(['watch:form::5%3A3%25:3:base1-4']);
  expect(await idsOf(':'.repeat(30))).toEqual([]);
  const again = await watch.component(pressed('form::5%3A3%25:3:base1-4'), services);
  expect((again as Form).fields.map(({ value }) => value)).toEqual(['5:3%', '3']);
});

it('a form of no card is too old', async () => {
  const { services } = await start();
  const fields = { getTextInputValue: () => '3' };
  expect(await textOf(watch.submit({ ...typed({}), argument: 'form:', fields }, services))).toContain('too old');
});

it.each(LANGUAGES)('the form of a watch fits in %s, whatever the card is called', (locale) => {
  const view = { cardName: 'W'.repeat(100), price: { market: 123_456_789.12, atMs: 0 } };
  const form = watchForm(view, { locale, currency: 'USD' }, 'watch:form::::a', { above: '', below: '' });
  for (const text of [form.title, ...form.fields.map(({ label }) => label)])
    expect(text.length).toBeLessThanOrEqual(45);
  for (const { placeholder } of form.fields) expect(placeholder?.length).toBeLessThanOrEqual(100);
});
