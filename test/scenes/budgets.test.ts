import { describe, expect, it } from 'vitest';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import { field } from '../support/embed-field.ts';
import { cardRequests, startWorld } from '../support/world.ts';

const IDS = SAMPLE_CARDS.map(({ id }) => id);

describe('budgets', () => {
  it('keep one member from spending more than their budget; known cards stay free', async () => {
    const world = await startWorld({ env: { MEMBER_DAILY_REQUESTS: '2' } });
    for (const id of IDS.slice(0, 2)) await world.card(id).settled();

    const refused = await world.card(IDS[2] ?? '').settled();
    const known = await world.card(IDS[0] ?? '').settled();
    const elsewhere = await world.card(IDS[2] ?? '', {}, { guildId: null }).settled();
    const [, other] = world.discord.members;
    const ofOther = await world.card(IDS[2] ?? '', {}, { memberId: other?.id ?? '' }).settled();

    expect(refused.content).toMatch(
      /^You've used your 2 new lookups for today\. Cards I already know still work\. New ones work again after <t:\d+:[Ttf]>\.$/,
    );
    expect(refused.ephemeral).toBe(true);
    expect(known.embeds).toHaveLength(1);
    expect(elsewhere.content).toBe(refused.content);
    expect(ofOther.embeds).toHaveLength(1);
    expect(cardRequests(world)).toHaveLength(3);
  });

  it('keep one server from spending more than its budget', async () => {
    const world = await startWorld({ env: { GUILD_DAILY_REQUESTS: '1' } });
    const [first, second] = world.discord.guilds;
    await world.card(IDS[0] ?? '', {}, { guildId: first?.id ?? '' }).settled();

    const refused = await world.card(IDS[1] ?? '', {}, { guildId: first?.id ?? '' }).settled();
    const elsewhere = await world.card(IDS[1] ?? '', {}, { guildId: second?.id ?? '' }).settled();

    expect(refused.content).toMatch(/^This server has used its one new lookup for today\./);
    expect(elsewhere.embeds).toHaveLength(1);
  });

  it('keep all foreign places together from spending more than theirs, and /usage says how much that was', async () => {
    const world = await startWorld({ env: { USER_INSTALL_DAILY_REQUESTS: '2', GUILD_DAILY_REQUESTS: '1' } });
    const [foreign] = world.discord.foreignGuilds;
    const [alice, bob] = world.discord.members.map(({ id }) => id);
    const ask = (id: string, where: object) => world.discord.type({ command: 'card', options: { id }, ...where });
    await ask(IDS[0] ?? '', { memberId: alice, context: 2 }).settled();
    await ask(IDS[1] ?? '', { memberId: bob, guildId: foreign?.id }).settled();

    const refused = await ask(IDS[2] ?? '', { guildId: null, installedFor: 'user' }).settled();
    const known = await ask(IDS[0] ?? '', { guildId: foreign?.id }).settled();
    const inServer = await world.card(IDS[2] ?? '').settled();
    const usage = await world.usage().settled();

    expect(refused.content).toMatch(
      /^Outside servers that added me, everyone shares 2 new lookups a day\. Today's are used up\. Cards I already/,
    );
    expect(known.embeds).toHaveLength(1);
    expect(inServer.embeds).toHaveLength(1);
    expect(field(usage, 'Today outside servers that added me')).toBe('2 of 2 new lookups · 1 answered from memory');
  });

  it("are shown to a server's managers, with the members who caused most requests", async () => {
    const world = await startWorld({ env: { GUILD_DAILY_REQUESTS: '50' } });
    const [alice, bob] = world.discord.members.map(({ id }) => id);
    for (const id of IDS.slice(0, 2)) await world.card(id, {}, { memberId: alice ?? '' }).settled();
    await world.card(IDS[2] ?? '', {}, { memberId: bob ?? '' }).settled();
    await world.card(IDS[2] ?? '', {}, { memberId: bob ?? '' }).settled();

    const reply = await world.usage({ memberId: alice ?? '' }).settled();

    expect(field(reply, 'This server today')).toBe(
      '4 of 50 new lookups · 1 answered from memory\nEach member gets 100 new lookups a day.',
    );
    expect(field(reply, 'Most new lookups today')).toBe(`<@${alice}> 3\n<@${bob}> 1`);
  });
});

it('/usage predicts when the requests run out at the present rate', async () => {
  const midnightMs = Date.now() + 12 * 3_600_000; // half of the day is left, whatever the time
  const world = await startWorld({
    service: { requestsPerMinute: 600, burst: 60, requestsPerDay: 25, nextResetMs: () => midnightMs },
    env: { MEMBER_DAILY_REQUESTS: '0' },
  });
  for (const id of IDS.slice(0, 20)) await world.card(id).settled();

  const reply = await world.usage().settled();

  expect(field(reply, 'Today')).toMatch(/At this rate, runs out around <t:\d+:[Ttf]>/);
});
