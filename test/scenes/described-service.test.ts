import { expect, it } from 'vitest';
import { ERROR } from '../support/log-lines.ts';
import { ownDescription } from '../support/own-service.ts';
import { pasted, textOf } from '../support/pasted-list.ts';
import { sandboxAs } from '../support/shaped-service.ts';
import {
  cardRequests,
  endOfList,
  hasCard,
  hasListEnded,
  isFinal,
  labels,
  press,
  startWorld,
} from '../support/world.ts';

async function worldAs(name: string, more: Record<string, string> = {}) {
  const { service, catalog, env } = sandboxAs(name);
  const quick = { ...service, requestsPerMinute: 600, burst: 20 };
  return { world: await startWorld({ service: quick, catalog, env: { ...env, ...more } }), cards: service.cards };
}

const ID = '00000000-0000-4000-8000-000000000004';

it('a card service in its own shape: /card by name, /cards in one request, and no word of a day that it has not', async () => {
  const { world } = await worldAs('scryfall');
  const { cardService } = world;
  await expect.poll(() => world.suggested('paper lantern')).toHaveLength(1);
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
  const cards = await world.cards(`paper lantern swarm, wax golem, ${missing}`).until(hasListEnded);
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

it('a plan that does not allow lookups is told to members and in the log, and costs one request a minute', async () => {
  const description = { fields: { id: 'id', name: 'name' }, refused: [{ status: 402, means: 'plan' }] };
  const world = await startWorld({ env: { CARD_SERVICE: ownDescription(description) } });
  world.cardService.script({ status: 402, body: { error: 'upgrade' } });

  const refused = await world.card('base1-4').settled();
  expect(refused.content).toBe("My plan with the card service doesn't allow new lookups. Please tell whoever runs me.");
  expect((await world.card('clock-4').settled()).content).toBe(refused.content);
  expect((await world.usage().settled()).embeds[0]?.description).toMatch(
    /^My plan with the card service doesn't allow/,
  );
  expect(cardRequests(world)).toHaveLength(1);
  const errors = world.lines.filter(({ level }) => level === ERROR).map(({ msg }) => msg);
  expect(errors.sort()).toEqual(['card request failed', expect.stringContaining('does not allow card lookups')]);

  await world.pass(61_000);
  expect((await world.card('clock-4').settled()).embeds).toHaveLength(1);
});

it('lists that members fetch at once wait for their turn, where the service takes two a second, and bring every card', async () => {
  const { world, cards } = await worldAs('scryfall');
  const ids = cards.map(({ id }) => id);
  const lists = world.discord.members.map(({ id }, at) => ({ id, text: ids.slice(5 * at, 5 * at + 5).join('\n') }));
  const estimates = await Promise.all(lists.map(({ id, text }) => pasted(world, text, id)));
  const presses = estimates.map((shown, at) => press(world, shown, labels(shown)[0] ?? '', lists[at]?.id));
  const answers = await Promise.all(presses.map((each) => each.until(hasCard)));
  for (const answer of answers) expect(textOf(answer)).toMatch(/[(（][45]/); // one has no price
  const sizes = world.cardService.requests.map(({ cardIds = [] }) => cardIds.length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(5 * lists.length);
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(5);
});

it.each(['justtcg', 'poketrace'])(
  'each press costs at most what was said, and two settle a list of which the service (%s) leaves out what it does not know',
  async (name) => {
    const { world, cards } = await worldAs(name, { MEMBER_DAILY_REQUESTS: '0' });
    const known = cards.slice(0, 6).map(({ id }) => id);
    let shown = await pasted(world, [...known, '999991', '999992', '999993'].join('\n'));
    const costs: [said: number, were: number][] = [];
    for (let label = 'Fetch the prices'; labels(shown).includes(label); label = 'Fetch the rest') {
      const said = /at most (one|\d+)/.exec(textOf(shown))?.[1];
      const before = world.cardService.requests.length;
      shown = await press(world, shown, label).until(isFinal);
      costs.push([Number(said?.replace('one', '1')), world.cardService.requests.length - before]);
    }
    expect(costs).toHaveLength(2);
    for (const [said, were] of costs) expect(were).toBeLessThanOrEqual(said);
    expect(textOf(shown)).toMatch(/Not found: \*\*999991\*\*, \*\*999992\*\*, and \*\*999993\*\*/);
    expect(textOf(shown)).not.toContain('Not shown');
  },
);
