import { expect, it } from 'vitest';
import { cardRequests, field, IDS, inWorld, QUICK, startWorld, statuses } from '../support/world.ts';

// What the bot keeps, in files or in Redis: over-redis.test.ts runs these again.

inWorld(
  'a card costs one request and then none, in direct messages and after a restart; what it cost and saved is still known',
  { env: { MEMBER_DAILY_REQUESTS: '1' } },
  async (world) => {
    await world.card('base1-4').settled();
    const second = await world.card('base1-4', {}, { guildId: null }).settled();
    await world.restartBot();
    const third = await world.card('base1-4').settled();
    const other = await world.card('base1-5').settled();

    expect([second, third].map(({ embeds }) => embeds[0]?.title)).toEqual(['Emberwing Drake', 'Emberwing Drake']);
    expect(second.embeds[0]?.footer?.text).toContain('999 of 1,000');
    expect(other.content).toMatch(/^You've used your one new lookup for today\./);
    expect(cardRequests(world)).toEqual(['/cards/base1-4?includePrices=true']);
    const ends = (await world.commandLines(4)).map(({ source, outcome }) => [source, outcome]);
    expect(ends).toEqual([
      ['service', 'answered'],
      ['cache', 'answered'],
      ['cache', 'answered'],
      ['bot', 'BudgetSpent'],
    ]);
    const saved = async () => field(await world.usage().settled(), 'Answered from memory');
    await expect.poll(saved).toContain('2 requests saved');
  },
);

inWorld('a card is stored under the id that it carries, too', async (world) => {
  world.cardService.script({
    path: '/cards/old-id',
    body: { id: 'new-id', name: 'Moved', tcg: 'Game', set: { id: 's', name: 'Set' } },
  });

  await world.card('old-id').settled();
  const { embeds } = await world.card('new-id').settled();

  expect(embeds[0]?.title).toBe('Moved');
  expect(cardRequests(world).length).toBe(1);
});

it('a restart grants no new burst', async () => {
  const service = { ...QUICK, requestsPerMinute: 120, burst: 4 };
  const world = await startWorld({ service });
  await Promise.all(IDS.slice(0, 3).map((id) => world.card(id).settled()));

  await world.restartBot();
  const lookups = IDS.slice(10, 14).map((id) => world.card(id));
  await Promise.all(lookups.map((typed) => typed.until(({ embeds }) => embeds.length > 0, 10_000)));

  expect(new Set(statuses(world))).toEqual(new Set([200]));
});

inWorld('what is set in a server holds for everyone in it, also after a restart', async (world) => {
  const { alice, bob } = world;
  const isPrivate = async (options = {}, as = {}) =>
    (await world.card('base1-4', options, { memberId: bob, ...as }).settled()).ephemeral;
  expect(await isPrivate()).toBe(false);

  const settings = await world.type('settings', {}, { manageGuild: true }).settled();
  const choose = (value: string, manageGuild: boolean) => {
    const [messageId = '', customId] = [settings.messageId, 'settings:replies'];
    return world.discord.choose({ messageId, customId, values: [value], manageGuild });
  };
  await choose('private', true).settled();
  const refused = await choose('public', false).settled(); // who has lost Manage Server since
  expect(refused).toMatchObject({ ephemeral: true, content: expect.stringContaining('Manage Server') });

  expect(settings).toMatchObject({ ephemeral: true, member: { id: alice } });
  expect(await isPrivate()).toBe(true);
  await world.restartBot();
  expect(await isPrivate()).toBe(true);
  expect(await isPrivate({ private: false })).toBe(false);
  expect(await isPrivate({}, { guildId: null })).toBe(false);
});

inWorld(
  'a spent day is remembered over a restart, and ends with one request of /usage once the plan is larger',
  async (world) => {
    world.cardService.exhaustDay();
    await world.card('base1-4').settled();
    await world.restartBot();
    const { content } = await world.card('base1-5').settled();
    expect(content).toMatch(/^Today's new lookups are used up/);
    expect(cardRequests(world)).toHaveLength(1);

    world.cardService.set({ plan: 'pro' });
    const { embeds } = await world.usage().settled();
    const shown = await world.card('base1-4').until(({ embeds: [embed] }) => embed !== undefined);
    expect(JSON.stringify(embeds)).not.toContain('refreshed again');
    expect(shown.embeds[0]?.title).toBe('Emberwing Drake');
    expect(world.cardService.counts.total).toBe(3);
  },
);

inWorld(
  '/usage says what answers have taught of how the service limits requests, over a restart too',
  { service: { ...QUICK, requestsPerMinute: 10, burst: 20 } },
  async (world) => {
    world.cardService.set({ limiter: 'fixed window' });
    for (let index = 0; index < 12; index++) world.card(`unknown-${index}`);
    await expect.poll(() => world.cardService.counts.byStatus[429]).toBeGreaterThan(0);

    const state = async () => (await world.usage().settled()).embeds[0]?.description;
    const learned =
      /^Waiting until <t:\d+:[tT]>, as the card service asked\.\nThe card service takes 10 requests a minute/;
    await expect.poll(state).toMatch(learned);

    await world.restartBot();
    expect(await state()).toMatch(learned);
  },
);
