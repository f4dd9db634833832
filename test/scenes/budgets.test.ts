import { describe, expect, it } from 'vitest';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import { field } from '../support/replies.ts';
import { startWorld } from '../support/world.ts';

const IDS = SAMPLE_CARDS.map(({ id }) => id);

describe('budgets', () => {
  it('keep all foreign places together, and one server, from spending more than theirs, and /usage says how much that was', async () => {
    const world = await startWorld({ env: { USER_INSTALL_DAILY_REQUESTS: '2', GUILD_DAILY_REQUESTS: '1' } });
    const [foreign] = world.discord.foreignGuilds;
    const [alice, bob] = world.discord.members.map(({ id }) => id);
    const ask = (id: string, where: object) => world.discord.type({ command: 'card', options: { id }, ...where });
    await ask(IDS[0] ?? '', { memberId: alice, context: 2 }).settled();
    await ask(IDS[1] ?? '', { memberId: bob, guildId: foreign?.id }).settled();

    const refused = await ask(IDS[2] ?? '', { guildId: null, installedFor: 'user' }).settled();
    const known = await ask(IDS[0] ?? '', { guildId: foreign?.id }).settled();
    const inServer = await world.card(IDS[2] ?? '').settled();
    const ofServer = await world.card(IDS[3] ?? '').settled();
    const elsewhere = await world.card(IDS[3] ?? '', {}, { guildId: world.discord.guilds[1]?.id ?? '' }).settled();
    const usage = await world.usage().settled();

    expect(refused.content).toMatch(
      /^Outside servers that added me, everyone shares 2 new lookups a day\. Today's are used up\. Cards I already/,
    );
    expect(known.embeds).toHaveLength(1);
    expect(inServer.embeds).toHaveLength(1);
    expect(ofServer.content).toMatch(/^This server has used its one new lookup for today\./);
    expect(elsewhere.embeds).toHaveLength(1);
    expect(field(usage, 'Today outside servers that added me')).toBe('2 of 2 new lookups · 1 answered from memory');
  });
});
