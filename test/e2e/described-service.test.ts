import { expect, it } from 'vitest';
import { sandboxAs } from '../../src/sandbox/shaped-service.ts';
import { endOfList, hasListEnded } from '../support/final-answers.ts';
import { startWorld } from '../support/world.ts';

const ID = '00000000-0000-4000-8000-000000000004';

it('a card service in its own shape: /card by name, /cards in one request, and no word of a day that it has not', async () => {
  const { service, catalog, env } = sandboxAs('scryfall');
  const world = await startWorld({ service: { ...service, requestsPerMinute: 600, burst: 20 }, catalog, env });
  const { discord, cardService } = world;
  await expect
    .poll(() => discord.complete({ command: 'card', options: { id: 'paper lantern' }, focused: 'id' }))
    .toHaveLength(1);
  expect(cardService.requests).toHaveLength(0);

  const shown = await world.card(ID).settled();
  expect(shown.embeds).toMatchObject([
    {
      title: 'Emberwing Drake',
      description: expect.stringMatching(/^Magic\\: The Gathering · First Light · 4 · Holo Rare\n.*36\.33/),
      footer: { text: ID }, // a service without a day has no figure to show
    },
  ]);

  const missing = '00000000-0000-4000-8000-000000009999';
  const list = discord.type({ command: 'cards', options: { ids: `paper lantern swarm, wax golem, ${missing}` } });
  const cards = await list.until(hasListEnded);
  expect(cards.embeds.map(({ title }) => title)).toEqual(['Paper Lantern Swarm', 'Wax Golem']);
  expect(cards.content).toMatch(/Not found: .*9999\*\*$/);
  expect(endOfList(cards)).toBe('1 new lookup used');
  expect(cardService.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    `GET /cards/${ID}`,
    'POST /cards/collection',
  ]);

  await world.card('random').settled();
  const [usage] = (await world.usage().settled()).embeds;
  expect(usage).toMatchObject({
    description: 'Working normally.',
    fields: [{ name: 'Today', value: expect.stringMatching(/^2 used/) }, {}, {}, {}, {}],
  });
  expect(cardService.requests).toHaveLength(2);
});
