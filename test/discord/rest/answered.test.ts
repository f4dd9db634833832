import { REST, Routes } from 'discord.js';
import { expect, it } from 'vitest';
import type { ConnectionFault } from '../../../sandbox/discord/faults.ts';
import { answered } from '../../../src/discord/rest/requests.ts';
import { openDiscord } from '../../support/backends.ts';

/** A Discord with this fault, to which each request may take that long. */
async function discordWith(answer: ConnectionFault, timeoutMs: number) {
  const discord = await openDiscord();
  discord.faults.script({ route: 'any', answer, times: 9 });
  const rest = new REST({ api: discord.apiUrl, makeRequest: (url, init) => answered(url, init, timeoutMs) });
  const route = Routes.applicationCommands(discord.applicationId);
  return { discord, rest: rest.setToken(discord.botToken), route };
}

it.each(['hang', 'stall'] as const)('a question ends at its deadline when Discord has a %s for it', async (answer) => {
  const { discord, rest, route } = await discordWith(answer, 199.5); // as a difference of times is
  await expect(rest.get(route)).rejects.toMatchObject({ name: 'TimeoutError' });
  expect(discord.faults.met).toBe(1);
});

it('a change is done when the head of the answer says so, whatever its body does', async () => {
  const { rest, route } = await discordWith('stall', 60_000);
  await rest.put(route, { body: [] });
});

it('a change is refused at its deadline when the body does not say why', async () => {
  const { rest, route } = await discordWith('stall', 200);
  await expect(rest.put(route, { body: [{ name: '' }] })).rejects.toMatchObject({ name: 'TimeoutError' });
});
