import { describe, expect, it } from 'vitest';
import { EmbeddedCardService } from '../../sandbox/card-service.ts';

const BATCH = { method: 'POST', body: JSON.stringify({ ids: ['base1-4', 'nowhere', 'base1-1'] }) };

async function listed(response: Promise<Response>): Promise<unknown> {
  const cards = await (await response).json();
  return Array.isArray(cards) ? cards.map(({ id }) => id) : cards;
}

describe('a list of cards from the embedded service', () => {
  it('is requested by GET or POST, and seen with its ids', async () => {
    const service = new EmbeddedCardService();
    expect(await listed(service.fetch('http://cards.test/cards?ids=base1-4,nowhere,base1-1'))).toEqual([
      'base1-4',
      'base1-1',
    ]);
    expect(await listed(service.fetch('http://cards.test/cards/batch', BATCH))).toEqual(['base1-4', 'base1-1']);
    const ids = ['base1-4', 'nowhere', 'base1-1'];
    expect(service.requests).toMatchObject([{ cardIds: ids }, { cardIds: ids }]);
  });

  it.each([
    ['one', 999],
    ['each', 997],
  ] as const)('counts as %s: %i requests remain', async (bulkCost, remaining) => {
    const service = new EmbeddedCardService();
    service.set({ bulkCost });
    await service.fetch('http://cards.test/cards/batch', BATCH);
    expect(service.state().dayRemaining).toBe(remaining);
  });

  it('is refused as a whole, and counted not at all, when the limits have no room for each card', async () => {
    const service = new EmbeddedCardService({ burst: 2 });
    service.set({ bulkCost: 'each' });
    const { status } = await service.fetch('http://cards.test/cards/batch', BATCH);
    expect([status, service.state().minuteRemaining]).toEqual([429, 2]);
  });

  it('does not exist when it is switched off', async () => {
    const service = new EmbeddedCardService();
    service.set({ bulkShape: 'none' });
    expect((await service.fetch('http://cards.test/cards?ids=base1-4')).status).toBe(404);
    expect((await service.fetch('http://cards.test/cards/batch', BATCH)).status).toBe(405);
  });

  it.each(['{', '[]', '{"ids":3}'])('is nothing for the body %s', async (body) => {
    const service = new EmbeddedCardService();
    expect((await service.fetch('http://cards.test/cards/batch', { ...BATCH, body })).status).toBe(405);
  });
});
