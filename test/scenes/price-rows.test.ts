import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import { readConfig } from '../../src/config/config.ts';
import { FRESH_COLOUR, STALE_COLOUR } from '../../src/render/card-embed.ts';
import { ownDescription } from '../support/own-service.ts';
import { pasted, textOf } from '../support/pasted-list.ts';
import { sandboxAs } from '../support/shaped-service.ts';
import { startWorld } from '../support/world.ts';
import { table } from '../table.ts';

const isShown =
  (colour: number) =>
  ({ embeds: [embed] }: ChatMessage) =>
    embed?.color === colour;

/** Emberwing Drake at a service that a description ships for, its prices old at once; `rows` are those of before. */
async function startAt(name: string, rows?: object, variables?: Record<string, string>) {
  const { shape, env, ...options } = sandboxAs(name);
  const shipped = JSON.parse(
    readFileSync(new URL(`../../src/service/descriptions/${name}.json`, import.meta.url), 'utf8'),
  );
  const before = rows && { CARD_SERVICE: ownDescription({ ...shipped, prices: { ...shipped.prices, rows } }) };
  const world = await startWorld({
    ...options,
    service: { ...options.service, requestsPerMinute: 600, burst: 20 },
    env: { ...env, ...before, ...variables, PRICES_FRESH_SECONDS: '0' },
  });
  const [drake, other] = options.service.cards.filter(({ id }) => /0*[45]$/.test(id) && id.length > 1);
  if (!drake || !other) throw new Error('no such card');
  const { id } = drake;
  return {
    ...{ world, drake, id, other: other.id },
    /** The next answer about it has these members in place of the usual one. */
    answers(...members: object[]) {
      const cards = members.map((member) => ({ ...shape.card(drake), ...member }));
      const body = shape.alone?.(cards[0] ?? {}) ?? cards[0];
      world.cardService.script({ path: id, body: members.length > 1 ? { ...body, data: cards } : body });
    },
    /** The lines about its prices. */
    async lines(colour = FRESH_COLOUR) {
      const { embeds } = await world.card(id).until(isShown(colour));
      return embeds[0]?.description?.split('\n').slice(1);
    },
    told: () => world.discord.messages().flatMap(({ trigger, content }) => (trigger === 'message' ? content : [])),
    watched: async (below: number) => (await world.type('watch', { card: id, below }).settled()).content,
    async update() {
      Object.assign(world.config, readConfig({ ...world.env, CARD_SERVICE: name }));
      await world.restartBot();
    },
  };
}

const PRICES = { usd: '1.50', usd_foil: '2.96', usd_etched: '4.10', eur: '0.84', eur_foil: '3.75', tix: '0.02' };

it('a card of several prices shows each by name, in its own currency, also as a saved copy; /cards and a list take the one that is meant', async () => {
  const { world, id, other, answers, lines, watched } = await startAt('scryfall');
  answers({ prices: PRICES });
  const rows = ['foil: $2.96', 'etched: $4.10', 'Cardmarket: €0.84', 'Cardmarket foil: €3.75'];
  expect(await lines()).toEqual(['**$1.50** market', ...rows]);
  expect(await watched(1)).toContain('Last price $1.50 · ');
  expect(world.cardService.requests).toHaveLength(1);
  await world.card(other).settled();
  world.cardService.set({ latencyMs: 60_000 });
  const copy = await lines(STALE_COLOUR);
  expect([copy?.[0], ...(copy?.slice(2, 6) ?? [])]).toEqual(['**$1.50** market', ...rows]);
  const worth = async (line: string) => textOf(await pasted(world, line));
  expect(await worth('2 Emberwing Drake')).toContain('$3.00');
  expect(await worth('2 Emberwing Drake *F*')).toContain('$5.92');
  expect(await worth('2 Emberwing Drake *E*')).toContain('$8.20');
  const list = await world.cards(`${id}, ${other}`).until(({ embeds }) => embeds.length === 2);
  expect(list.embeds[0]?.description).toContain('**$1.50** market');
  expect(list.embeds[0]?.description).not.toContain('foil');
});

it('the currency that an operator names is that of prices without one of their own', async () => {
  const { answers, lines } = await startAt('scryfall', undefined, { PRICE_CURRENCY: 'GBP' });
  answers({ prices: { usd: '1.50', eur: '0.84' } });
  expect(await lines()).toEqual(['**£1.50** market (usd)', 'Cardmarket: €0.84']);
});

it('a card whose variants change order keeps price and label, and one that is missing in an answer crosses no watch', async () => {
  const variant = (name: string, avg: number, low?: number) => ({
    variant: name,
    prices: { tcgplayer: { NEAR_MINT: { avg, low } } },
  });
  const [holo, reverse] = [variant('Holofoil', 36.33, 27.51), variant('Reverse Holofoil', 12)];
  const { world, answers, lines, told, watched } = await startAt('poketrace');
  const after = async (...members: object[]) => {
    answers(...members);
    const shown = await lines();
    await world.pass(1_000);
    return shown;
  };
  const label = 'tcgplayer, near mint, Holofoil';
  const both = [
    `**$36.33** market (${label})`,
    '-# offers from $27.51',
    'tcgplayer, near mint, Reverse Holofoil: $12.00',
  ];
  expect(await after(holo, reverse)).toEqual(both);
  expect(await watched(30)).toContain(`Last price $36.33 (${label})`);
  expect(await after(reverse, holo)).toEqual(both);
  expect(await after(reverse)).toEqual(['**$12.00** market (tcgplayer, near mint, Reverse Holofoil)']);
  expect(await after(reverse, holo)).toEqual(both);
  expect(told()).toEqual([]);
  await after(reverse, variant('Holofoil', 29));
  expect(told()).toEqual([`**Emberwing Drake** is at $29.00 (${label}), below your target of $30.00.`]);
});

it.each(table`
  scryfall | ["prices.usd","prices.usd_foil","prices.usd_etched"] |
  tcgdex | ["pricing.tcgplayer.normal","pricing.tcgplayer.*"] | reverse holofoil
  ygoprodeck | ["card_prices.0"] |
  lorcast | ["prices.usd","prices.usd_foil"] |
  tcgapi | ["prices[printing=Normal]","prices.*",""] | Holofoil
  justtcg | ["variants[condition=Near Mint][printing=Normal][language=English]","variants.*"] | Near Mint, Holofoil, English
  poketrace | ["prices.tcgplayer.NEAR_MINT","prices.ebay.NEAR_MINT"] | tcgplayer, near mint, Holofoil
  pokemonpricetracker | ["prices"] | Holofoil
  tcgpricelookup | ["prices.raw.near_mint.tcgplayer","prices.raw.*.tcgplayer"] | near mint, tcgplayer, Holofoil
`)('an update of the description of %s keeps histories and watches', async (name, rows = '', label) => {
  const { world, drake, lines, told, update, watched } = await startAt(name, JSON.parse(rows));
  expect((await lines())?.[0]).toContain('**$36.33** market');
  await watched(30);
  await update();
  Object.assign(drake, { prices: { ...drake.prices, market: 29 } });
  const shown = `$29.00${label && ` (${label})`}`;
  expect((await lines())?.[0]?.replace('** market', '').slice(2)).toBe(shown);
  await world.pass(1_000);
  expect(told()).toEqual([`**Emberwing Drake** is at ${shown}, below your target of $30.00.`]);
});
