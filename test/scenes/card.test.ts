import { expect, it } from 'vitest';
import { cardRequests, startWorld } from '../support/world.ts';

it('/card shows name, facts, picture, prices and the requests left today; without prices it asks for them all the same, and leaves a line in the log', async () => {
  const world = await startWorld();
  const [member] = world.discord.members;
  const [guild] = world.discord.guilds;

  const without = await world.card('base1-4', { prices: false }).settled();
  const { embeds, ephemeral } = await world.card('base1-4').settled();

  expect(without.embeds[0]?.description).not.toContain('market');
  expect(ephemeral).toBe(false);
  expect(embeds).toMatchObject([
    {
      title: 'Emberwing Drake',
      image: { url: 'https://images.cards.example/base1/4.png' },
      footer: { text: 'base1-4 · 999 of 1,000 new lookups left today' },
    },
  ]);
  expect(embeds[0]?.description).toMatch(
    /^Lanternfolk · [^·]+ · \d+\/\d+ · [^·]+\n\*\*36\.33\*\* market\n-# offers [\d.]+ to [\d.]+/,
  );
  expect(cardRequests(world)).toEqual(['/cards/base1-4?includePrices=true']);
  const who = { command: 'card', card: 'base1-4', guild: guild?.id, member: member?.id, outcome: 'answered' };
  const times = { waitMs: expect.any(Number), tookMs: expect.any(Number) };
  expect(await world.commandLines(2)).toMatchObject([
    { ...who, ...times, source: 'service' },
    { ...who, source: 'cache' },
  ]);
  const requested = world.lines.filter(({ msg }) => msg === 'card requested');
  expect(requested).toMatchObject([{ cardIds: ['base1-4'], lane: 'members', members: [member?.id] }]);
});
