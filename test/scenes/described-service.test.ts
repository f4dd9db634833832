import { expect, it } from 'vitest';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import { ownDescription } from '../support/own-service.ts';
import { pasted, textOf } from '../support/pasted-list.ts';
import { scenes } from '../support/scene-script.ts';
import { sandboxAs } from '../support/shaped-service.ts';
import { hasCard, inWorld, isFinal, labels, press, startWorld } from '../support/world.ts';

function quick(name: string) {
  const { service, ...others } = sandboxAs(name);
  return { ...others, service: { ...service, requestsPerMinute: 600, burst: 20 } };
}

const ID = '00000000-0000-4000-8000-000000000004';
const TWO_SIDED = '00000000-0000-4000-8000-000000000048';
const LEVIATHAN = 'Leviathan, Half Asleep';
const FRONT = `deep/72.png Picture of ${LEVIATHAN}`;
const LIST_OF_FRONTS = `thumbnail ${FRONT}, thumbnail base1/4.png Picture of Emberwing Drake`;
const MISSING = '00000000-0000-4000-8000-000000009999';

const described = () =>
  ownDescription({
    key: { header: 'X-API-Key', optional: true },
    currency: 'USD',
    fields: { id: 'id', name: 'name', pageUrl: '=https://cards.example/page' },
    prices: { rows: 'prices.*', market: '' },
    notice: 'Data: Mine',
  });

const NO_PLAN = "My plan with the card service doesn't allow new lookups. Please tell whoever runs me.";

scenes([
  [
    'a card service in its own shape: /card by name, /cards in one request, and no word of a day that it has not',
    quick('scryfall'),
    `+1 s; suggested for paper lantern; requests; card ${ID}; until its end; shows;
      reads Magic\\: The Gathering · First Light · 4 · Holo Rare\n; reads 36.33; reads \n${ID}\n;
      cards paper lantern swarm, wax golem, ${MISSING}; until 2 cards; +3 s; shows; reads Not found: ; reads 9999**;
      reads · 1 new lookup used\n[Delete]; card random; until its end; /usage; until its end;
      reads \nWorking normally.\nToday: 2 used; fields; routes`,
    '00000000-0000-4000-8000-000000000005 | 0 | Emberwing Drake | yes | yes | yes | Paper Lantern Swarm,Wax Golem | yes | yes | yes | yes | 5 | GET /cards/00000000-0000-4000-8000-000000000004, POST /cards/collection',
  ],
  [
    'a card of two sides shows the other one beside its text, by /cards its front and one price alone',
    quick('scryfall'),
    `card ${TWO_SIDED}; until its end; pictures; cards ${TWO_SIDED}, ${ID}; until 2 cards; pictures;
      cards ${TWO_SIDED}; until its end; pictures; lacks Cardmarket`,
    `image ${FRONT}, thumbnail deep/13.png Picture of the other side of ${LEVIATHAN} | ${LIST_OF_FRONTS} | image ${FRONT} | yes`,
  ],
  [
    'a plan that does not allow lookups is told to members and in the log, and costs one request a minute',
    {
      env: {
        CARD_SERVICE: ownDescription({
          fields: { id: 'id', name: 'name' },
          refused: [{ status: 402, means: 'plan' }],
        }),
      },
    },
    `service says 402 to /cards/; card base1-4; until its end; shows; card clock-4; until its end; shows;
      /usage; until its end; reads My plan with the card service doesn't allow; requested; errors; log card request failed;
      errors about does not allow card lookups; +61 s; card clock-4; until a card; requested`,
    `${NO_PLAN} | ${NO_PLAN} | yes | base1-4 | 2 | 1 | 1 | base1-4 clock-4`,
  ],
  [
    'a price that was kept of another card service is old at once, and has no past; what else is kept is not',
    { env: { CARD_SERVICE: described() }, known: [{ id: 'base1-4', ageMs: 0, hasHistory: true }] },
    `/card id:base1-4 prices:false; until its end; requests; card base1-4; until its end;
      reads Showing a saved copy while I fetch the latest.; buttons`,
    '0 | yes | Watch, Other printings, Delete',
  ],
]);

it('lists that members fetch at once wait for their turn, where the service takes two a second, and bring every card', async () => {
  const options = quick('scryfall');
  const world = await startWorld(options);
  const ids = options.service.cards.map(({ id }) => id);
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
    const { env, ...options } = quick(name);
    const world = await startWorld({ ...options, env: { ...env, MEMBER_DAILY_REQUESTS: '0' } });
    const known = options.service.cards.slice(0, 6).map(({ id }) => id);
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

inWorld(
  'a card of several prices shows which one it is, and another one crosses no watch',
  { env: { CARD_SERVICE: described(), PRICES_FRESH_SECONDS: '0' } },
  async (world) => {
    const drake = SAMPLE_CARDS.find(({ id }) => id === 'base1-4');
    const shown = async (prices: object, price: string) => {
      world.cardService.script({ path: 'base1-4', body: { ...drake, prices } });
      const { embeds } = await world.card('base1-4').until((reply) => JSON.stringify(reply.embeds).includes(price));
      return embeds[0];
    };

    expect(await shown({ foil: 400, normal: 36 }, '$400')).toMatchObject({
      url: 'https://cards.example/page',
      description: expect.stringContaining('**$400.00** market (foil)'),
      footer: { text: expect.stringMatching(/\nData: Mine$/) },
    });
    const set = await world.type('watch', { card: 'base1-4', below: 30 }).settled();
    expect(set.content).toContain('Last price $400.00 (foil)');
    expect((await shown({ normal: 29 }, '$29.00'))?.description).toContain('market (normal)');
    expect((await shown({ foil: 500, normal: 29 }, '$500.00'))?.description).toContain('market (foil)');
    const list = await world.type('watches').settled();
    expect(JSON.stringify(list.embeds)).toContain('$30.00 or below · Last price $500.00 (foil)');
    expect(world.lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  },
);
