import { beforeEach, expect, it } from 'vitest';
import type { EmulatedDiscord } from '../../../sandbox/discord/emulated-discord.ts';
import { openDiscord } from '../../support/backends.ts';
import { startClient } from '../../support/discord-client.ts';
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

it('a bot writes to a member, once for each nonce that it enforces', async () => {
  const [alice, bjorn] = discord.members.map(({ id }) => id);
  const { status, body } = await open(alice);
  expect({ status, body }).toMatchObject({ status: 200, body: { type: 1, recipients: [{ id: alice }] } });
  expect((await open(alice)).body).toEqual(body);

  const enforced = { content: 'Hello', nonce: 'a-1', enforce_nonce: true };
  const first = await send(body.id, enforced);
  expect(first).toMatchObject({ status: 200, body: { content: 'Hello', nonce: 'a-1', type: 0, channel_id: body.id } });
  expect((await send(body.id, { ...enforced, content: 'Again' })).body).toEqual(first.body);
  expect((await send(body.id, { ...enforced, enforce_nonce: false })).body.id).not.toBe(first.body.id);
  expect((await send(body.id, { ...enforced, nonce: 'a-2' })).body.id).not.toBe(first.body.id);
  const shown = discord.messages().map(({ member, guildId, context, state }) => [member.id, guildId, context, state]);
  expect(shown).toEqual(Array(3).fill([alice, null, 1, 'answered']));
  expect((await open(bjorn)).body.id).not.toBe(body.id);
});

it('its buttons reach the bot', async () => {
  const pressed: unknown[] = [];
  await startClient(discord, [], async (interaction) => {
    if (!interaction.isButton()) return;
    pressed.push([interaction.customId, interaction.user.id, interaction.message.content]);
    await interaction.reply('Seen');
  });
  const member = discord.members[1]?.id ?? '';
  const { id } = (await open(member)).body;
  const { body } = await send(id, { content: 'Hello', components: [{ type: 1, components: [button] }] });
  const { content } = await discord.click({ messageId: body.id, customId: 'a' }).settled();
  expect([content, pressed]).toEqual(['Seen', [['a', member, 'Hello']]]);
});

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

it.each([
  [{}, { status: 403, body: { code: 40_003 } }],
  [{ retryAfterSeconds: 0.5 }, { status: 429, body: { retry_after: 0.5 } }],
])('opens no more channels at a time than it is told to, with %o', async (stated, refusal) => {
  const members = discord.members.slice(0, 3).map(({ id }) => id);
  discord.limitOpenings({ atOnce: 2, tookMs: 2_000, ...stated });
  const answers = await Promise.all(members.map(open));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
  expect(answers.find(({ status }) => status !== 200)).toMatchObject(refusal);
  expect(discord.openings).toEqual({ opened: 2, refused: 1, mostAtOnce: 2 });
  discord.limitOpenings(undefined);
  expect((await open(members[0])).status).toBe(200);
});
