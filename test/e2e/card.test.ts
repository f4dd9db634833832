import { beforeAll, describe, expect, it } from 'vitest';
import { cardRequests, QUICK, startWorld, type World } from '../support/world.ts';

/** Shared by tests that look up different cards. */
let shared: World;
beforeAll(async () => {
  shared = await startWorld({ env: { PRICE_CURRENCY: 'EUR' } });
});

describe('/card', () => {
  it('shows name, set, number, rarity, game, picture, prices and the requests left today; no age when it was just fetched', async () => {
    const world = await startWorld();

    const { embeds, ephemeral } = await world.card('base1-4').settled();

    expect(ephemeral).toBe(false);
    expect(embeds).toHaveLength(1);
    expect(embeds[0]).toMatchObject({
      title: 'Emberwing Drake',
      image: { url: 'https://images.cards.example/base1/4.png' },
      footer: { text: 'base1-4 · 999 of 1,000 left today' },
    });
    expect(embeds[0]?.description).toMatch(
      /^Lanternfolk · [^·]+ · \d+\/\d+ · [^·]+\n\*\*36\.33\*\* market\n-# low [\d.]+ · high [\d.]+$/,
    );
  });

  it('sends one request for a card that many members look up at once', async () => {
    const world = await startWorld();
    world.cardService.set({ latencyMs: 50 });

    const lookups = Array.from({ length: 10 }, () => world.card('base1-4'));
    const replies = await Promise.all(lookups.map((typed) => typed.settled()));

    expect(replies.map(({ embeds }) => embeds[0]?.title)).toEqual(Array(10).fill('Emberwing Drake'));
    expect(cardRequests(world)).toHaveLength(1);
  });

  it('hides the prices with `prices: no`, but requests them all the same', async () => {
    const before = cardRequests(shared).length;

    const { embeds } = await shared.card('base1-1', { prices: false }).settled();
    const withPrices = await shared.card('base1-1').settled();

    expect(embeds[0]?.description).not.toContain('market');
    expect(withPrices.embeds[0]?.description).toContain('market');
    expect(cardRequests(shared).slice(before)).toEqual(['/cards/base1-1?includePrices=true']);
  });
});

it('logs one line per command: member, server, source, times and outcome', async () => {
  const world = await startWorld({ service: QUICK });
  const [member] = world.discord.members;
  const [guild] = world.discord.guilds;

  await world.card('base1-4').settled();
  await world.card('base1-4').settled();

  const [line, second] = await world.commandLines(2);
  expect(second).toMatchObject({ card: 'base1-4', source: 'cache' });
  expect(line).toMatchObject({
    command: 'card',
    card: 'base1-4',
    guild: guild?.id,
    member: member?.id,
    source: 'service',
    waitMs: expect.any(Number),
    tookMs: expect.any(Number),
    outcome: 'answered',
  });
});
