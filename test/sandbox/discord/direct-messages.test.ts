import { beforeEach, expect, it } from 'vitest';
import type { EmulatedDiscord } from '../../../sandbox/discord/emulated-discord.ts';
import { openDiscord } from '../../support/backends.ts';
import { refused } from '../../support/fault-forms.ts';

let discord: EmulatedDiscord;
beforeEach(async () => {
  discord = await openDiscord();
});

async function post(path: string, body: object) {
  const headers = { authorization: `Bot ${discord.botToken}`, 'content-type': 'application/json' };
  const response = await fetch(`${discord.apiUrl}/v10${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const answer = (await response.json()) as { id: string; code?: number };
  return { status: response.status, body: answer };
}

const open = (memberId = '') => post('/users/@me/channels', { recipient_id: memberId });
const button = { type: 2, style: 1, custom_id: 'a', label: 'A' };
const send = (channel: string, message: object) => post(`/channels/${channel}/messages`, message);

it('is refused what Discord refuses', async () => {
  const [alice = ''] = discord.members.map(({ id }) => id);
  const { id } = (await open(alice)).body;
  const refusals = async () => [
    await open('1'),
    await send('1', { content: 'Hello' }),
    await send(id, { content: '' }),
    await send(id, { content: 'Hello', nonce: 'x'.repeat(26) }),
    await send(id, { content: 'Hello', components: Array(2).fill({ type: 1, components: [button] }) }),
  ];
  expect((await refusals()).map(({ body }) => body.code)).toEqual([50_033, 10_003, 50_006, 50_035, 50_035]);

  discord.takesMessages(alice, false);
  expect(await send(id, { content: 'Hello' })).toMatchObject({ status: 403, body: { code: 50_007 } });
  discord.takesMessages(alice, true);
  discord.faults.script(refused('dm', 'openingTooFast'));
  expect(await open(alice)).toMatchObject({ status: 403, body: { code: 40_003 } });
  expect(discord.messages()).toEqual([]);
});
