import { describe, expect } from 'vitest';
import type { Whereabouts } from '../../sandbox/discord/chat.ts';
import { field, hasCard, inWorld, statuses } from '../support/world.ts';

inWorld(
  '/usage shows the figures of the headers without an API key, and what is missing',
  { env: { CARD_SERVICE_API_KEY: undefined } },
  async (world) => {
    await world.card('base1-4').settled();

    const reply = await world.usage().settled();

    expect(reply.embeds[0]?.description).toMatch(/\nThe plan report needs an API key\.$/);
    expect(field(reply, 'Today')).toContain('1 of 1,000 used, 999 left');
    expect(field(reply, 'Plan')).toBeUndefined();
    expect(world.cardService.counts.total).toBe(1);
  },
);

inWorld(
  'the picture of the day comes with the reply and its corrections, with an alt text, and replaces the one before',
  async (world) => {
    world.cardService.set({ latencyMs: 2_000 });
    await world.card('base1-4').until(hasCard);

    const typed = world.usage();
    const first = await typed.settled();
    const second = await typed.until(({ edited }) => edited);

    for (const { embeds } of [first, second]) {
      expect(embeds[0]?.image).toMatchObject({
        url: expect.stringMatching(/\/attachments\/.*\/day\.png$/),
        width: 720,
      });
      const picture = await world.discord.answer(new Request(embeds[0]?.image?.url ?? ''));
      expect(picture.headers.get('content-type')).toBe('image/png');
      expect(picture.headers.get('content-security-policy')).toBe('sandbox');
    }
    expect(second.attachments).toHaveLength(0); // shown in the embed, and not once more
    expect(second.embeds[0]?.image?.url).not.toBe(first.embeds[0]?.image?.url);
  },
);

inWorld('a report that is under way when the bot stops is given up, and the reply says so', async (world) => {
  world.cardService.set({ latencyMs: 8_000 });
  const typed = world.usage();
  await typed.settled();
  await world.stopBot();
  expect(typed.message.embeds[0]?.description).toContain("I couldn't get the plan report.");
  expect(world.lines.map(({ msg }) => msg)).not.toContain('stopped before everything was done');
});

inWorld(
  'budgets keep all foreign places together, and one server, from spending more than theirs, and /usage says how much that was',
  { env: { USER_INSTALL_DAILY_REQUESTS: '2', GUILD_DAILY_REQUESTS: '1' } },
  async (world) => {
    const [foreign = ''] = world.discord.foreignGuilds.map(({ id }) => id);
    const { alice, bob } = world;
    const ask = (id: string, where: Whereabouts = {}) => world.card(id, {}, where).settled();
    await ask('base1-1', { memberId: alice, context: 2 });
    await ask('base1-2', { memberId: bob, guildId: foreign });

    const refused = await ask('base1-3', { guildId: null, installedFor: 'user' });
    const known = await ask('base1-1', { guildId: foreign });
    const inServer = await ask('base1-3');
    const ofServer = await ask('base1-4');
    const elsewhere = await ask('base1-4', { guildId: world.discord.guilds[1]?.id ?? '' });
    const usage = await world.usage().settled();

    expect(refused.content).toMatch(
      /^Outside servers that added me, everyone shares 2 new lookups a day\. Today's are used up\. Cards I already/,
    );
    expect(known.embeds).toHaveLength(1);
    expect(inServer.embeds).toHaveLength(1);
    expect(ofServer.content).toMatch(/^This server has used its one new lookup for today\./);
    expect(elsewhere.embeds).toHaveLength(1);
    expect(field(usage, 'Today outside servers that added me')).toBe('2 of 2 new lookups · 1 answered from memory');
  },
);

/** No card of any id, in an answer that states so much of the day, or nothing. */
function noCard(remaining?: number, headers: Record<string, string> = {}) {
  const unstated = { 'x-ratelimit-limit': undefined, 'x-ratelimit-reset': undefined };
  return {
    status: 404,
    body: { _tag: 'CardNotFound', message: 'There is no such card.' },
    headers: { ...(remaining === undefined && unstated), 'x-ratelimit-remaining': remaining?.toString(), ...headers },
  };
}

describe('what the service has stated to remain', () => {
  const USED_UP = /^Today's new lookups are used up\./;

  inWorld(
    'goes down with each request until it is stated again; at 0 nothing leaves, which members and /usage say',
    { env: { CARD_SERVICE_API_KEY: undefined } },
    async (world) => {
      world.cardService.script(noCard(3), { ...noCard(), times: 99 });
      for (const id of ['a-1', 'a-2']) await world.card(id).settled();
      expect(field(await world.usage().settled(), 'Today')).toContain('998 of 1,000 used, 2 left');
      for (const id of ['a-3', 'a-4']) expect((await world.card(id).settled()).content).toMatch(/^No card has the id/);

      expect((await world.card('a-5').settled()).content).toMatch(USED_UP);
      expect(statuses(world)).toHaveLength(4);
      const usage = await world.usage().settled();
      expect(usage.embeds[0]?.description).toMatch(/^Today's requests are used up until/);
      expect(field(usage, 'Today')).toContain('1,000 of 1,000 used, 0 left');
    },
  );

  inWorld('is what a usage report says, too', async (world) => {
    const { 'x-ratelimit-remaining': _, ...unstated } = noCard().headers;
    const report = { plan: 'free', requests: { limit: 1_000, remaining: 1 } };
    world.cardService.script(
      { path: '/v1/usage', headers: { ...unstated, 'x-ratelimit-remaining': undefined }, body: report },
      { ...noCard(), times: 99 },
    );
    expect(field(await world.usage().settled(), 'Today')).toContain('999 of 1,000 used, 1 left');
    expect((await world.card('a-1').settled()).content).toMatch(/^No card has the id/);
    expect((await world.card('a-2').settled()).content).toMatch(USED_UP);
    expect(statuses(world)).toEqual([200, 404]);
  });
});
