import { expect, it } from 'vitest';
import type { Reply, Services } from '../../commands/command.ts';
import watch, { watchForm } from '../../commands/watch.ts';
import { MOST_WATCHES } from '../../src/members/watches.ts';
import { LANGUAGES } from '../../src/render/languages.ts';
import { table } from '../table.ts';
import { idsOf, pressed, startServices, typed } from './commands.ts';

const DRAKE = { id: 'base1-4', name: 'Emberwing Drake', game: 'Wyrmfall', set: { id: 'base1', name: 'First Light' } };
const PROMO = { ...DRAKE, id: 'promo-7', set: { id: 'promo', name: 'Promos' } };
const GOLEM = { ...DRAKE, id: 'dusk2-33', name: 'Wax Golem' };
const EUROS = { ...DRAKE, id: 'euro-1', name: 'Euro Drake', prices: { market: 3, currency: 'EUR' } };
const ALICE = { memberId: 'alice', guildId: 'guild' };

/** Emberwing Drake costs 27.51, its promo is of the same name, and nobody has seen the price of Wax Golem. */
async function start() {
  const { services, cardService } = await startServices({ PRICE_CURRENCY: 'USD' });
  const found = [{ ...DRAKE, prices: { market: 27.51 } }, PROMO, GOLEM, EUROS].map((card) => [card.id, card] as const);
  await services.cards.store(new Map(found), new Map());
  await expect.poll(async () => (await services.catalog.resolve('wax golem', ALICE)).kind).toBe('one');
  return { services, cardService };
}

async function textOf(response: ReturnType<typeof watch.component>): Promise<string> {
  const { message, isPrivate } = (await response) as Reply;
  expect(isPrivate).toBe(true);
  return (message.content ?? '').replaceAll(/<t:\d+:R>/g, 'AGO');
}

/** What comes of a form in which these prices were typed. */
function submitted(above: string, below: string, services: Services, argument = 'form::::base1-4') {
  const fields = { getTextInputValue: (name: string) => (name === 'above' ? above : below) };
  return watch.submit({ ...typed({}), argument, fields }, services);
}

// Of two prices docs/replies/words.txt has what is said, and of a form what it asks.
it.each([
  ...table`
    a percentage of a known price | {"card": "base1-4", "percent": 10} | is at $30.26 or above, or at $24.76 or below.
    one beside a price | {"card": "base1-4", "percent": 10, "above": 50} | is at $50.00 or above, or at $24.76 or below.
    one beside a price to come | {"card": "wax golem", "percent": 10, "below": 5} | is at $5.00 or below, or rises by 10% from the next price I get.
    a card that nobody has seen | {"card": "base1-99", "below": 3} | I don't know a card called **base1\-99**. Pick one while you type
    a name that no card has | {"card": "wax golm", "below": 3} | I don't know a card called **wax golm**.
    the name of several cards | {"card": "emberwing drake", "below": 3} | Which of these cards do you mean?
  `,
  [
    'a percentage of a price to come',
    '{"card": "wax golem", "percent": 10}',
    "when **Wax Golem** rises or falls by 10% from the next price I get.\n-# I don't know its price yet.",
  ],
  [
    'nothing to wait for',
    '{"card": "base1-4"}',
    'Please say when I should tell you: `above` or `below` a price, or after a change by `percent`.',
  ],
  [
    'prices the wrong way round',
    '{"card": "base1-4", "above": 20, "below": 20}',
    '`above` has to be a higher price than `below`.',
  ],
])('/watch of %s', async (_, options = '', says) => {
  const { services, cardService } = await start();
  expect(await textOf(watch.ask(typed(JSON.parse(options)), services))).toContain(says);
  expect(cardService.requests).toEqual([]);
});

it.each<[string, above: string, below: string, says: string, argument?: string]>([
  ['nothing', ' ', '', 'Please type a price into at least one of the two fields, such as 1250 or 12.50.'],
  ['what nobody can see', '\u200b', '', "**(invisible)** isn't a price that I can watch. Please type one such as"],
  ['the lower price above', '20', '20', '`above` has to be a higher price than `below`.'],
  ['the sign of the currency that its card has', '12,5 €', '', 'is at €12.50 or above', 'form::::euro-1'],
  ['another sign', '$12.5', '', "**$12.5** isn't a price", 'form::::euro-1'],
  ['no card', '3', '', 'too old', 'form:'],
])('the form of a watch with %s', async (_, above, below, says, argument) => {
  const { services, cardService } = await start();
  expect(await textOf(submitted(above, below, services, argument))).toContain(says);
  expect(cardService.requests).toEqual([]);
});

it('a form that is refused is opened again with what was typed, if that fits, and never for an unknown card', async () => {
  const { services } = await start();
  const idsFor = async (above: string) => idsOf((await submitted(above, '3', services)).message);
  expect(await idsFor('5:3%')).toEqual([['watch:form::5%3A3%25:3:base1-4']]);
  expect(await idsFor(':'.repeat(30))).toEqual([]);
  const again = await watch.component(pressed('form::5%3A3%25:3:base1-4'), services);
  expect(again).toMatchObject({ fields: [{ value: '5:3%' }, { value: '3' }] });
  expect(await textOf(watch.component(pressed('form::::base1-99'), services))).toContain('know a card called **base1');
});

it('a card that is chosen among several is watched, and one watch of a card replaces another', async () => {
  const { services } = await start();
  const { message } = await watch.ask(typed({ card: 'emberwing drake', below: 30, percent: 5 }), services);
  expect(message.components?.[0]?.components[0]).toMatchObject({
    custom_id: 'watch:lines:::30:5',
    options: expect.arrayContaining([expect.objectContaining({ value: 'promo-7' })]),
  });
  const chosen = (argument: string) => textOf(watch.component(pressed(argument, ['promo-7']), services));
  expect(await chosen('lines:::30:5')).toContain('is at $30.00 or below, or rises by 5% from the next price');
  expect(await chosen('lines:::30:5')).toContain('This replaces what you had set for this card.');
  const own = { cardId: 'promo-7', below: 30, percent: 5 };
  expect(await services.watches.find({ member: 'alice' })).toMatchObject([own]);
  expect(await chosen('30')).toContain('too old');
});

it('a member watches 25 cards', async () => {
  const { services } = await start();
  const wish = { ...ALICE, cardName: 'Any', locale: 'de', below: 1 };
  for (let card = 0; card < MOST_WATCHES; card++) await services.watches.set({ ...wish, cardId: `any-${card}` }, 3);
  const refused = await textOf(watch.ask(typed({ card: 'base1-4', below: 3 }), services));
  expect(refused).toContain("You're already watching 25 cards");
});

it.each(LANGUAGES)('the form of a watch fits in %s, whatever the card is called', (locale) => {
  const [empty, last] = [
    { cardId: 'a', above: '', below: '' },
    { market: 123_456_789.12, atMs: 0 },
  ];
  const form = watchForm('W'.repeat(100), empty, last, { locale, currency: 'USD' });
  for (const text of [form.title, ...form.fields.map(({ label }) => label)])
    expect(text.length).toBeLessThanOrEqual(45);
  for (const { placeholder } of form.fields) expect(placeholder?.length).toBeLessThanOrEqual(100);
});
