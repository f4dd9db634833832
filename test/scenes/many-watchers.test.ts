import { expect } from 'vitest';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import { atOnce } from '../support/at-once.ts';
import { QUICK, startWorld } from '../support/world.ts';

const DRAKE = 'base1-4';

/** Members watch a card whose price falls below their line. */
async function watchedBy(watchers: number) {
  const cards = SAMPLE_CARDS.filter(({ id }) => id === DRAKE).map((card) => ({ ...card, prices: { market: 36 } }));
  const members = Array.from({ length: watchers }, (_, at) => ({
    ...{ id: String(100_000_000_000_000_000n + BigInt(at)), name: `Member ${at}`, locale: 'en-US' },
  }));
  const env = { PRICES_FRESH_SECONDS: '0' };
  const world = await startWorld({ service: { ...QUICK, cards }, discord: { members }, env });
  const [card] = cards;
  if (!card) throw new Error('no card');
  await world.card(DRAKE).settled();
  const set = members.map(({ id: memberId }) =>
    world.discord.type({ command: 'watch', options: { card: DRAKE, below: 30 }, memberId }).settled(),
  );
  expect((await Promise.all(set)).every(({ content }) => content.includes('is at 30.00 or below'))).toBe(true);
  return {
    ...world,
    async fall() {
      card.prices.market = 29;
      await world.card(DRAKE).until(({ embeds }) => JSON.stringify(embeds).includes('29.00'));
    },
    told: () => world.discord.messages().filter(({ trigger }) => trigger === 'message'),
  };
}

atOnce({
  'all who watch a card are told once, as many at a time as Discord opens channels': async () => {
    const world = await watchedBy(40);
    world.discord.limitOpenings({ atOnce: 5, tookMs: 100 });
    await world.fall();
    await expect.poll(world.told).toHaveLength(40);
    await world.stopBot();
    expect(new Set(world.told().map(({ member }) => member.id)).size).toBe(40);
    expect(world.discord.openings).toMatchObject({ opened: 40, refused: 0 });
    expect(world.discord.openings.mostAtOnce).toBeGreaterThan(1);
  },

  'channels that are opened too fast are opened later, and nobody is told twice': async () => {
    for (const stated of [{}, { retryAfterSeconds: 1 }]) {
      const world = await watchedBy(12);
      world.discord.limitOpenings({ atOnce: 2, tookMs: 200, ...stated });
      await world.fall();
      await expect.poll(world.told).toHaveLength(12);
      await world.stopBot();
      expect(new Set(world.told().map(({ member }) => member.id)).size).toBe(12);
      const { opened, refused } = world.discord.openings;
      expect([opened, refused > 0]).toEqual([12, true]);
    }
  },
});
