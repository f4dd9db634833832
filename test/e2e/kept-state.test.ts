import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../src/sandbox/discord/chat.ts';
import { SAMPLE_CARDS } from '../../src/sandbox/sample-cards.ts';
import { cardRequests, QUICK, startWorld, statuses } from '../support/world.ts';

// What the bot keeps, in files or in Redis: over-redis.test.ts runs these again.

const IDS = SAMPLE_CARDS.map(({ id }) => id);

function field({ embeds }: ChatMessage, name: string): string | undefined {
  return embeds[0]?.fields?.find((present) => present.name === name)?.value;
}

describe('a card', () => {
  it('sends one request and answers the next lookup from the cache, in direct messages too', async () => {
    const world = await startWorld();
    await world.card('base1-4').settled();

    const second = await world.card('base1-4', {}, { guildId: null }).settled();

    expect(second.embeds[0]?.title).toBe('Emberwing Drake');
    expect(second.embeds[0]?.footer?.text).toContain('999 of 1,000');
    expect(cardRequests(world)).toEqual(['/cards/base1-4?includePrices=true']);
    expect((await world.commandLines(2)).map(({ source, outcome }) => [source, outcome])).toEqual([
      ['service', 'answered'],
      ['cache', 'answered'],
    ]);
  });

  it('remembers that there is no such card', async () => {
    const world = await startWorld();

    const first = await world.card('nobody-1').settled();
    const second = await world.card('nobody-1').settled();

    expect(first.content).toContain('No card has the id **nobody\\-1**.');
    expect(second.content).toBe(first.content);
    expect(cardRequests(world).length).toBe(1);
  });

  it('stores a card under the id that it carries, too', async () => {
    const world = await startWorld();
    world.cardService.script({
      path: '/cards/old-id',
      body: { id: 'new-id', name: 'Moved', tcg: 'Game', set: { id: 's', name: 'Set' } },
    });

    await world.card('old-id').settled();
    const { embeds } = await world.card('new-id').settled();

    expect(embeds[0]?.title).toBe('Moved');
    expect(cardRequests(world).length).toBe(1);
  });

  it('keeps the copy of a card that is no longer listed', async () => {
    const world = await startWorld({ env: { PRICES_FRESH_SECONDS: '0' } });
    await world.card('base1-4').settled();
    world.cardService.script({ path: 'base1-4', status: 404, body: { _tag: 'CardNotFound', message: 'gone' } });

    const typed = world.card('base1-4');
    const { embeds } = await typed.until(({ edited }) => edited);
    const again = await world.card('base1-4').settled();

    expect(embeds[0]?.title).toBe('Emberwing Drake');
    expect(embeds[0]?.description).toMatch(/\nNo longer listed\. This is the last copy I saved\.$/);
    expect(again.embeds[0]?.description).toMatch(/\nNo longer listed\./);
    expect(cardRequests(world)).toHaveLength(2);
  });

  it('answers from the cache after a restart', async () => {
    const world = await startWorld();
    await world.card('base1-4').settled();

    await world.restartBot();
    const { embeds } = await world.card('base1-4').settled();

    expect(embeds[0]?.title).toBe('Emberwing Drake');
    expect(cardRequests(world)).toHaveLength(1);
  });
});

describe('the quota', () => {
  it('grants no new burst after a restart', async () => {
    const service = { ...QUICK, requestsPerMinute: 120, burst: 4 };
    const world = await startWorld({ service });
    await Promise.all(IDS.slice(0, 3).map((id) => world.card(id).settled()));

    await world.restartBot();
    const lookups = IDS.slice(10, 14).map((id) => world.card(id));
    await Promise.all(lookups.map((typed) => typed.until(({ embeds }) => embeds.length > 0, 10_000)));

    expect(new Set(statuses(world))).toEqual(new Set([200]));
  });

  it('no request is sent before the stated time, and one probe comes first', async () => {
    const world = await startWorld();
    world.cardService.script({ status: 429, headers: { 'retry-after': '5' }, body: '' });
    const first = world.card('base1-9');
    await first.until(({ content }) => content.startsWith("You're in line")); // the bot has seen the 429

    const lookups = IDS.slice(0, 3).map((id) => world.card(id));
    await Promise.all([first, ...lookups].map((typed) => typed.until(({ embeds }) => embeds.length > 0)));

    const [refused, ...later] = world.cardService.requests;
    expect((later[0]?.atMs ?? 0) - (refused?.atMs ?? 0)).toBeGreaterThanOrEqual(5_000);
    expect(later.map(({ path }) => path.split('?')[0])[0]).toBe('/cards/base1-9');
    expect(statuses(world)).toEqual([429, 200, 200, 200, 200]);
  });

  it('a spent day ends with one request of /usage once the plan is larger', async () => {
    const world = await startWorld();
    world.cardService.exhaustDay();
    await world.card('base1-4').settled();
    world.cardService.set({ plan: 'pro' });

    const { embeds } = await world.usage().settled();
    const shown = await world.card('base1-4').until(({ embeds: [embed] }) => embed !== undefined);

    expect(JSON.stringify(embeds)).not.toContain('refreshed again');
    expect(shown.embeds[0]?.title).toBe('Emberwing Drake');
    expect(world.cardService.counts.total).toBe(3);
  });

  it('a spent day is remembered across a restart', async () => {
    const world = await startWorld();
    world.cardService.exhaustDay();
    await world.card('base1-4').settled();

    await world.restartBot();
    const { content } = await world.card('base1-5').settled();

    expect(content).toMatch(/^Today's new lookups are used up/);
    expect(cardRequests(world)).toHaveLength(1);
  });
});

describe('/usage', () => {
  it('notices that the day was refilled, and /card continues', async () => {
    const world = await startWorld();
    world.cardService.exhaustDay();
    await world.card('base1-4').settled();
    world.cardService.refillDay();

    const reply = await world.usage().settled();
    const { embeds } = await world.card('base1-4').settled();

    expect(reply.embeds[0]?.description).toBe('Working normally.');
    expect(field(reply, 'Today')).toContain('1 of 1,000 used, 999 left');
    expect(embeds[0]?.title).toBe('Emberwing Drake');
  });

  it('counts what the cache saved across a restart', async () => {
    const world = await startWorld();
    await world.card('base1-4').settled();
    await world.card('base1-4').settled();

    await world.restartBot();

    expect(field(await world.usage().settled(), 'Answered from memory')).toContain('1 request saved');
  });

  it('says what answers have taught of how the service limits requests, over a restart too', async () => {
    const world = await startWorld({ service: { ...QUICK, requestsPerMinute: 10, burst: 20 } });
    world.cardService.set({ limiter: 'fixed window' });
    for (let index = 0; index < 12; index++) world.card(`unknown-${index}`);
    await expect.poll(() => world.cardService.counts.byStatus[429]).toBeGreaterThan(0);

    const state = async () => (await world.usage().settled()).embeds[0]?.description;
    const learned =
      /^Waiting until <t:\d+:t>, as the card service asked\.\nThe card service takes 10 requests a minute/;
    await expect.poll(state).toMatch(learned);

    await world.restartBot();
    expect(await state()).toMatch(learned);
  });
});
