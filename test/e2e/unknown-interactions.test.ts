import { InteractionType } from 'discord.js';
import { expect, it, onTestFinished } from 'vitest';
import { startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { formatMessage } from '../../src/render/messages.ts';
import { startBackends } from '../support/backends.ts';
import { startDiscordRelay } from '../support/discord-relay.ts';
import { logLines } from '../support/log-lines.ts';

const BUTTON = 2;
const STRING_SELECT = 3;
const CONTEXT_MENU = 3;
const ID = '1180000000000000001';
const COMMAND = { id: ID, name: 'older', type: 1 };
const DATA: [string, InteractionType, object][] = [
  ['autocomplete', InteractionType.ApplicationCommandAutocomplete, { ...COMMAND, options: [] }],
  ['button', InteractionType.MessageComponent, { custom_id: 'older', component_type: BUTTON }],
  ['select', InteractionType.MessageComponent, { custom_id: 'older', component_type: STRING_SELECT, values: [] }],
  ['modal', InteractionType.ModalSubmit, { custom_id: 'older', components: [] }],
  ['command', InteractionType.ApplicationCommand, COMMAND],
  ['menu', InteractionType.ApplicationCommand, { ...COMMAND, type: CONTEXT_MENU, target_id: ID, resolved: {} }],
];

it('interactions without a handler are acknowledged with an empty list or a private sentence', async () => {
  const { discord, env } = await startBackends();
  const relay = await startDiscordRelay(discord.apiUrl);
  const { log, lines } = logLines();
  const app = await startApp(readConfig({ ...env, DISCORD_API_URL: relay.apiUrl }), log);
  onTestFinished(() => app.stop());
  await app.ready;
  await discord.gateway.whenReady();
  discord.faults.script({ route: 'callback', times: DATA.length, answer: { status: 204 } });

  for (const [token, type, data] of DATA) discord.gateway.send(JSON.stringify(frame(token, type, data)));
  const answered = () => lines.filter(({ msg }) => msg === 'command' || msg === 'suggestions');
  await expect.poll(answered).toHaveLength(DATA.length);

  const answers = Object.fromEntries(
    relay.calls.flatMap(({ path, body }) => {
      const token = /\/interactions\/\d+\/(\w+)\/callback/.exec(path)?.[1];
      return token === undefined ? [] : [[token, body]];
    }),
  );
  const inPrivate = (content: string) => ({ type: 4, data: expect.objectContaining({ content, flags: 64 }) });
  expect(answers).toEqual({
    autocomplete: { type: 8, data: { choices: [] } },
    button: inPrivate(formatMessage('en-US', 'outOfDate')),
    select: inPrivate(formatMessage('en-US', 'outOfDate')),
    modal: inPrivate(formatMessage('en-US', 'outOfDate')),
    command: inPrivate(formatMessage('en-US', 'unknownCommand')),
    menu: inPrivate(formatMessage('en-US', 'unknownCommand')),
  });
  expect(answered().map(({ command }) => command)).toEqual(DATA.map(() => 'older'));
});

/** INTERACTION_CREATE in direct messages, with the fields that discord.js needs. */
function frame(token: string, type: InteractionType, data: object): object {
  const user = { id: ID, username: 'ada', discriminator: '0', avatar: null, global_name: null };
  const message = { id: ID, channel_id: ID, type: 0, author: user, content: '', embeds: [], attachments: [] };
  const d = {
    id: ID,
    application_id: ID,
    type,
    token,
    version: 1,
    data,
    user,
    channel_id: ID,
    channel: { id: ID, type: 1, recipients: [user], flags: 0 },
    message: type === InteractionType.MessageComponent ? { ...message, mentions: [], mention_roles: [] } : undefined,
    locale: 'en-US',
    entitlements: [],
    authorizing_integration_owners: {},
  };
  return { op: 0, t: 'INTERACTION_CREATE', s: 1_000, d };
}
