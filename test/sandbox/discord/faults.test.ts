import { expect, it } from 'vitest';
import { openDiscord } from '../../support/backends.ts';

it.each<[string, object, number | string]>([
  ['a status', { answer: { status: 503 } }, 503],
  ['an orderly end', { answer: 'close' }, 'UND_ERR_SOCKET'],
  ['a torn connection', { answer: 'reset' }, 'ECONNRESET'],
  ['a lost answer', { answer: 'lose answer' }, 'UND_ERR_SOCKET'],
  ['a late answer', { delayMs: 20 }, 200],
])('a scripted fault is %s for one request, and then requests succeed', async (_, fault, seen) => {
  const discord = await openDiscord();
  const headers = { authorization: `Bot ${discord.botToken}`, 'user-agent': 'DiscordBot (https://cards.test, 1.0)' };
  /** The status, or the error code of the broken connection. */
  const outcome = () =>
    fetch(`${discord.apiUrl}/v10/gateway/bot`, { headers }).then(
      ({ status }) => status,
      (error: Error) => (error.cause as { code?: string }).code,
    );
  discord.faults.script({ route: 'gateway/bot', ...fault });
  expect([await outcome(), await outcome()]).toEqual([seen, 200]);
  expect(discord.requests.map(({ status }) => status)).toEqual([typeof seen === 'string' ? 0 : seen, 200]);
});
