import { describe, expect, it } from 'vitest';
import type { CommandUse, Services } from '../../commands/command.ts';
import usage from '../../commands/usage.ts';
import { startServices, typed } from './commands.ts';

async function run(services: Services, more: Partial<CommandUse> = {}) {
  const response = await usage.ask(typed({}, more), services);
  const [embed = {}] = response.message.embeds ?? [];
  return { response, embed, names: embed.fields?.map(({ name }) => name) };
}

describe('/usage', () => {
  it('shows who caused most requests, and what foreign places used, only to members who manage the server', async () => {
    const { services } = await startServices();
    services.ledger.saved({ memberId: 'bob', guildId: 'foreign server', isInstalled: false });
    await run(services);
    const ofManagers = ['Most new lookups today', 'Today outside servers that added me'];
    expect((await run(services, { manageGuild: true })).names).toEqual(expect.arrayContaining(ofManagers));
    expect((await run(services)).names?.filter((name) => ofManagers.includes(name))).toEqual([]);
  });

  it.each(['hour', 'month'] as const)('says when the requests of the %s will run out', async (per) => {
    const { services } = await startServices();
    const [nowMs, resetInMs] = [Date.now(), 0.4 * { hour: 3_600_000, month: 30 * 86_400_000 }[per]];
    const times = { resetInMs, sentAtMs: nowMs, receivedAtMs: nowMs };
    services.limiter.observe({ per, limit: 1_000, remaining: 100, ...times });
    expect(JSON.stringify((await run(services)).embed)).toContain('At this rate, runs out');
  });
});
