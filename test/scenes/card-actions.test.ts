import { expect, it } from 'vitest';
import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import { formatMessage } from '../../src/render/messages.ts';
import { cardRequests, choose, confirm, inWorld, labels, offered, parts, press, startWorld } from '../support/world.ts';

inWorld(
  'the buttons under a card work after a restart, too, and a menu of printings asks for the one that is chosen',
  async (world) => {
    const shown = await world.card('base1-4').settled();
    const none = await press(world, shown, 'Other printings').settled();
    expect(none.content).toBe("I don't know any other printings of this card.");

    confirm(world, [{ id: 'dusk2-1', name: 'emberwing drake', set: 'Dusk' }]);
    await offered(world, 'dusk2-1');
    await world.restartBot();
    await offered(world, 'dusk2-1'); // its search has begun again

    const again = await world.card('base1-4').settled();
    expect(labels(again)).toEqual(['Watch', 'Other printings', 'Delete']);
    const printings = await press(world, again, 'Other printings', world.bob).settled();
    const inGerman = formatMessage('de', 'otherPrintings', { cards: 1 });
    expect(printings).toMatchObject({ ephemeral: true, content: inGerman });
    expect(await choose(world, printings, 'dusk2-1').settled()).toMatchObject({ ephemeral: false, embeds: [{}] });
    expect(cardRequests(world)).toHaveLength(2);
  },
);

it('103 cards of a name are a menu of 25 whose pages turn in place, after a restart too, and cost nothing until one is chosen', async () => {
  const catalog = Array.from({ length: 102 }, (_, at) => ({ id: `promo${at + 1}-1`, name: 'Emberwing Drake' }));
  const world = await startWorld({ catalog: [{ id: 'base1-4', name: 'Emberwing Drake' }, ...catalog] });
  const offer = await world.card('emberwing drake').settled();
  const content = '103 cards are called Emberwing Drake. Add a set or a number, or choose:';
  expect([offer.ephemeral, offer.content, labels(offer)]).toEqual([true, content, [undefined, 'Next 25']]);

  const options = (message: ChatMessage) => parts(message)[0]?.options ?? [];
  const turned = async (label: string) => {
    const sent = () => world.discord.messages().filter(({ messageId }) => messageId !== undefined).length;
    const before = sent();
    const from = world.discord.messages().find(({ messageId }) => messageId === offer.messageId) ?? offer;
    await press(world, from, label).settled();
    expect(sent()).toBe(before);
    const now = world.discord.messages().find(({ messageId }) => messageId === offer.messageId) ?? offer;
    return [now.content, options(now).length, options(now)[0]?.value, labels(now).slice(1)];
  };
  expect(await turned('Next 25')).toEqual([content, 25, 'promo25-1', ['Previous 25', 'Next 25']]);
  expect(await turned('Previous 25')).toEqual([content, 25, 'base1-4', ['Next 25']]);
  await world.restartBot();
  await offered(world, 'base1-4'); // its search has begun again
  expect(await turned('Next 25')).toEqual([content, 25, 'promo25-1', ['Previous 25', 'Next 25']]);

  const shown = await world.card('base1-4').settled();
  const others = await press(world, shown, 'Other printings').settled();
  expect([others.content, labels(others)]).toEqual([
    'I know 102 other printings of this card.',
    [undefined, 'Next 25'],
  ]);
  expect(cardRequests(world)).toHaveLength(1);
});

inWorld(
  'a price that is known for days is shown as a picture over 30 days or 7, to its member alone or to everyone, and costs nothing',
  { known: [{ id: 'base1-4', ageMs: 3_600_000, hasHistory: true }] },
  async (world) => {
    const shown = await world.card('base1-4').settled();
    const history = await press(world, shown, 'Price history').settled();
    expect(history).toMatchObject({ ephemeral: true, content: expect.stringContaining('Emberwing Drake') });
    expect(history.attachments).toMatchObject([
      { description: expect.stringMatching(/^Chart of the market price from \w+ \d+, 20.*Last: /) },
    ]);
    expect(parts(history)[0]?.options).toMatchObject([{ value: '30', default: true }, { value: '7' }]);

    await choose(world, history, '7').settled();
    const week = world.discord.messages().find(({ messageId }) => messageId === history.messageId) ?? history;
    expect(parts(week)[0]?.options).toMatchObject([
      { value: '30', default: false },
      { value: '7', default: true },
    ]);
    expect(week.attachments?.[0]?.description).not.toBe(history.attachments?.[0]?.description);

    const everyone = await press(world, week, 'Show to everyone').settled();
    const [{ description } = {}] = week.attachments;
    expect(everyone).toMatchObject({ ephemeral: false, attachments: [{ description }] });
    expect(labels(everyone)).toEqual(['Delete']);
    expect(cardRequests(world)).toEqual([]);
  },
);
