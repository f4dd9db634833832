import { expect, it } from 'vitest';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import { ownDescription } from '../support/own-service.ts';
import { cardRequests, inWorld, labels, startWorld } from '../support/world.ts';

const described = () =>
  ownDescription({
    key: { header: 'X-API-Key', optional: true },
    currency: 'USD',
    fields: { id: 'id', name: 'name', pageUrl: '=https://cards.example/page' },
    prices: { rows: 'prices.*', market: '' },
    notice: 'Data: Mine',
  });

it('a price that was kept of another card service is old at once, and has no past; what else is kept is not', async () => {
  const known = [{ id: 'base1-4', ageMs: 0, hasHistory: true }];
  const world = await startWorld({ env: { CARD_SERVICE: described() }, known });
  await world.card('base1-4', { prices: false }).settled();
  expect(cardRequests(world)).toEqual([]);
  const shown = await world.card('base1-4').settled();
  expect(shown.embeds[0]?.description).toContain('Showing a saved copy while I fetch the latest.');
  expect(labels(shown)).toEqual(['Watch', 'Other printings', 'Delete']);
});

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
