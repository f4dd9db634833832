import { expect, it } from 'vitest';
import usage from '../../commands/usage.ts';
import { startServices, typed } from './commands.ts';

async function fieldsOf({ services }: Awaited<ReturnType<typeof startServices>>, manageGuild = false) {
  const { message } = await usage.ask(typed({}, { manageGuild }), services);
  return message.embeds?.[0]?.fields ?? [];
}

it('who caused most requests, and what foreign places used, is shown only to members who manage the server', async () => {
  const started = await startServices();
  started.services.ledger.saved({ memberId: 'bob', guildId: 'foreign server', isInstalled: false });
  await fieldsOf(started);
  const namesFor = async (manageGuild: boolean) => (await fieldsOf(started, manageGuild)).map(({ name }) => name);
  const ofManagers = ['Today outside servers that added me', 'Most new lookups today'];
  expect([...new Set(await namesFor(true)).difference(new Set(await namesFor(false)))]).toEqual(ofManagers);
});

it.each(['hour', 'month'] as const)('/usage says when the requests of the %s will run out', async (per) => {
  const started = await startServices();
  const [nowMs, resetInMs] = [Date.now(), 0.4 * { hour: 3_600_000, month: 30 * 86_400_000 }[per]];
  const times = { resetInMs, sentAtMs: nowMs, receivedAtMs: nowMs };
  started.services.limiter.observe({ per, limit: 1_000, remaining: 100, ...times });
  expect(JSON.stringify(await fieldsOf(started))).toContain('At this rate, runs out');
});
