import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Faults, faultyRoute, type ScriptedFault } from '../../../sandbox/discord/faults.ts';
import { openDiscord } from '../../support/backends.ts';

async function startDiscord() {
  const discord = await openDiscord();
  const get = (path = '/gateway/bot') =>
    fetch(`${discord.apiUrl}/v10${path}`, {
      headers: { authorization: `Bot ${discord.botToken}`, 'user-agent': 'DiscordBot (https://cards.test, 1.0)' },
    });
  /** The status, or the error code of the broken connection. */
  const outcome = (path?: string) =>
    get(path).then(
      ({ status }) => status,
      (error: Error) => (error.cause as { code?: string }).code,
    );
  return { discord, get, outcome };
}

describe('a scripted fault', () => {
  it.each([
    ['POST', '/interactions/1/token/callback', 'callback'],
    ['PATCH', '/webhooks/1/token/messages/%40original', 'edit'],
    ['GET', '/gateway/bot', 'gateway/bot'],
    ['PUT', '/applications/1/commands', 'commands'],
    ['DELETE', '/applications/1/guilds/2/commands/3', 'commands'],
    ['GET', '/webhooks/1/token/messages/%40original', undefined],
  ])('knows %s %s as %s', (method, path, route) => {
    expect(faultyRoute(method, path)).toBe(route);
  });

  it('meets the given number of matching requests, in the order of the script', () => {
    const faults = new Faults();
    const first: ScriptedFault = { route: 'gateway/bot', times: 2 };
    const second: ScriptedFault = { route: 'gateway/bot' };
    const any: ScriptedFault = { route: 'any' };
    faults.script({ route: 'edit' }, first, second, any);

    const met = Array.from({ length: 5 }, () => faults.take('GET', '/gateway/bot'));

    expect(met).toEqual([first, first, second, any, undefined]);
    expect([faults.met, faults.pending]).toEqual([4, 1]);
  });

  it('is a body that stalls after its beginning', async () => {
    const { discord, get } = await startDiscord();
    discord.faults.script({ route: 'gateway/bot', answer: 'stall' });
    const reader = (await get()).body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? [])).toEqual(Buffer.from('{'));
    const more = reader?.read().catch(() => {});
    expect(await Promise.race([more, sleep(100, 'nothing')])).toBe('nothing');
  });

  it.each<[string, ScriptedFault, number | string]>([
    ['a status', { route: 'gateway/bot', answer: { status: 503 } }, 503],
    ['an orderly end', { route: 'gateway/bot', answer: 'close' }, 'UND_ERR_SOCKET'],
    ['a torn connection', { route: 'gateway/bot', answer: 'reset' }, 'ECONNRESET'],
    ['a lost answer', { route: 'gateway/bot', answer: 'lose answer' }, 'UND_ERR_SOCKET'],
    ['a late answer', { route: 'gateway/bot', delayMs: 20 }, 200],
  ])('is %s for one request, and then requests succeed', async (_, fault, seen) => {
    const { discord, outcome } = await startDiscord();
    discord.faults.script(fault);
    expect([await outcome(), await outcome()]).toEqual([seen, 200]);
    expect(discord.requests.map(({ status }) => status)).toEqual([typeof seen === 'string' ? 0 : seen, 200]);
  });

  it('that hangs does not prevent Discord from closing', async () => {
    const { discord, outcome } = await startDiscord();
    discord.faults.script({ route: 'gateway/bot', answer: 'hang' });
    const seen = outcome();
    await expect.poll(() => discord.faults.met).toBe(1);
    await discord.close();
    expect(await seen).toBe('UND_ERR_SOCKET');
  });
});

it('the emulated Discord refuses connections until it accepts them again or closes', async () => {
  const { discord, outcome } = await startDiscord();
  await discord.refuseConnections(true);
  const refusals = [await outcome(), await outcome()];
  await discord.refuseConnections(false);

  expect([...refusals, await outcome()]).toEqual(['ECONNREFUSED', 'ECONNREFUSED', 200]);
  await discord.refuseConnections(true);
  await discord.close();
});
