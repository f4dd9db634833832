import { type AutocompleteInteraction, Client, Events, GatewayDispatchEvents, type Interaction } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { type Command, type Reply, type Services, sentence, type Use } from '../../commands/command.ts';
import { makeReadable } from '../../src/discord/gateway.ts';
import { usedOf } from '../../src/discord/interactions.ts';

const [ALICE, PLACE, MESSAGE] = ['1180000000000000001', '1180000000000000002', '1180000000000000003'];
const USER = { id: ALICE, username: 'alice', discriminator: '0', avatar: null, global_name: 'Alice' };

const CARD: Command = {
  data: { name: 'card' },
  component: async ({ repliedTo }) => sentence(repliedTo?.memberId ?? 'nobody'),
};
const LOOK_UP: Command = { data: { name: 'Look up cards', type: 3 }, ask: async ({ text }) => sentence(text) };

/** What a command is given of an interaction that Discord sends, by way of discord.js. */
async function given(command: Command, type: number, more: object): Promise<string | undefined> {
  const id = '1180000000000000009';
  const d = {
    ...{ id, application_id: id, type, token: 'token', version: 1, locale: 'en-US', entitlements: [] },
    ...{ authorizing_integration_owners: {}, channel: { id: PLACE, type: 1, recipients: [] }, user: USER, ...more },
  };
  makeReadable({ t: GatewayDispatchEvents.InteractionCreate, d });
  const client = new Client({ intents: [] });
  const received = new Promise<Exclude<Interaction, AutocompleteInteraction>>((resolve) =>
    client.once(Events.InteractionCreate, (interaction) => interaction.isAutocomplete() || resolve(interaction)),
  );
  const { actions } = client as unknown as { actions: { InteractionCreate: { handle(d: unknown): void } } };
  actions.InteractionCreate.handle(d);
  const { run } = usedOf(await received, 'x', command);
  const response = (await run?.({} as Use, {} as Services)) as Reply;
  return response.message.content;
}

const press = (message: object) =>
  given(CARD, 3, {
    message: { id: MESSAGE, channel_id: PLACE, ...message },
    data: { custom_id: 'card:x', component_type: 2 },
  });
const lookUp = (message: object) => {
  const messages = { [MESSAGE]: { id: MESSAGE, channel_id: PLACE, ...message } };
  return given(LOOK_UP, 2, {
    data: { id: MESSAGE, type: 3, name: 'Look up cards', target_id: MESSAGE, resolved: { messages } },
  });
};

describe('a button is given who asked for its message', () => {
  const metadata = { id: MESSAGE, type: 2, authorizing_integration_owners: {} };
  const byAlice = { ...metadata, user: USER };
  it.each<[string, object, string]>([
    ['as Discord says', byAlice, ALICE],
    ['not when Discord does not say', metadata, 'nobody'],
    ['whoever used what came before it', { ...byAlice, triggering_interaction_metadata: metadata }, ALICE],
  ])('%s', async (_, interaction_metadata, repliedTo) => {
    expect(await press({ interaction_metadata })).toBe(repliedTo);
  });
});

describe('the menu of a message is given its text', () => {
  const embed = {
    ...{ type: 'rich', author: { name: 'Moth' }, title: 'Emberwing Drake', description: 'Flying' },
    ...{ fields: [{ name: 'Set', value: 'First Light' }], footer: { text: 'base1-4' } },
  };
  const file = { id: MESSAGE, filename: 'Candle_Hare_12.png', size: 1, url: 'https://x.test/', proxy_url: '' };
  const files = [
    { ...file, description: 'a hare' },
    { ...file, id: ALICE, title: 'Wick, Who Waits' },
  ];
  const reference = { type: 1, message_id: ALICE, channel_id: PLACE };
  const forwarded = [{ message: { content: 'base1-4', attachments: [file] } }];
  const poll = {
    ...{ question: { text: 'Which?' }, allow_multiselect: false, layout_type: 1, expiry: null },
    answers: [{ answer_id: 1, poll_media: { text: 'Wick, Who Waits' } }],
  };
  const components = [
    { type: 17, id: 1, components: [{ type: 10, id: 2, content: 'Candle Hare' }] },
    { type: 1, id: 3, components: [{ type: 2, id: 4, style: 2, custom_id: 'x', label: 'Delete' }] },
  ];
  const SHOWN = 'Candle Hare_12\na hare\nWick, Who Waits';
  it.each<[string, object, string]>([
    [
      'and that of its embeds',
      { content: 'hi', embeds: [embed] },
      'hi\nMoth\nEmberwing Drake\nFlying\nSet\nFirst Light\nbase1-4',
    ],
    ['and what its files are called and show', { content: '', attachments: files }, SHOWN],
    [
      'and that of a message that it forwards',
      { message_reference: reference, message_snapshots: forwarded },
      'base1-4\nCandle Hare_12',
    ],
    ['and that of its poll, whose channel is not known', { content: '', poll }, 'Which?\nWick, Who Waits'],
    ['and what its components display', { content: '', components }, 'Candle Hare'],
    ['whoever used what it answers', { content: 'hi', interaction_metadata: { id: MESSAGE, type: 2 } }, 'hi'],
  ])('%s', async (_, message, text) => {
    expect(await lookUp(message)).toBe(text);
  });
});
