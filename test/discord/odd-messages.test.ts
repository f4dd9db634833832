import { type AutocompleteInteraction, Client, Events, GatewayDispatchEvents, type Interaction } from 'discord.js';
import { it } from 'vitest';
import { type Command, type Reply, type Services, sentence, type Use } from '../../commands/command.ts';
import { makeReadable } from '../../src/discord/gateway.ts';
import { usedOf } from '../../src/discord/interactions.ts';
import { expectSaid, table } from '../table.ts';

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

const MESSAGE_OF_OTHERS = { id: MESSAGE, channel_id: PLACE };

// Who asked for a message, as Discord says of the message whose button is pressed.
it.each(table`
  as Discord says | {"user":${JSON.stringify(USER)}} | ${ALICE}
  not when Discord does not say | {} | nobody
  whoever used what came before it
    | {"user":${JSON.stringify(USER)},"triggering_interaction_metadata":{"id":"${MESSAGE}","type":2,
    "authorizing_integration_owners":{}}} | ${ALICE}
`)(
  'a button is given who asked for its message %s',
  expectSaid((metadata) => {
    const interaction_metadata = { id: MESSAGE, type: 2, authorizing_integration_owners: {}, ...JSON.parse(metadata) };
    const data = { custom_id: 'card:x', component_type: 2 };
    return given(CARD, 3, { message: { ...MESSAGE_OF_OTHERS, interaction_metadata }, data });
  }),
);

const FILE = `"id":"${MESSAGE}","filename":"Candle_Hare_12.png","size":1,"url":"https://x.test/","proxy_url":""`;

it.each(table`
  and that of its embeds | {"content":"hi","embeds":[{"type":"rich","author":{"name":"Moth"},"title":"Emberwing
    Drake",
    "description":"Flying","fields":[{"name":"Set","value":"First Light"}],"footer":{"text":"base1-4"}}]}
    | hi / Moth / Emberwing Drake / Flying / Set / First Light / base1-4
  and what its files are called and show | {"content":"","attachments":[{${FILE},"description":"a hare"},
    {${FILE.replace(MESSAGE, ALICE)},"title":"Wick, Who Waits"}]} | Candle Hare_12 / a hare / Wick, Who Waits
  and that of a message that it forwards
    | {"message_reference":{"type":1,"message_id":"${ALICE}","channel_id":"${PLACE}"},
    "message_snapshots":[{"message":{"content":"base1-4","attachments":[{${FILE}}]}}]} | base1-4 / Candle Hare_12
  and that of its poll, whose channel is not known | {"content":"","poll":{"question":{"text":"Which?"},
    "answers":[{"answer_id":1,"poll_media":{"text":"Wick, Who Waits"}}],"allow_multiselect":false,
    "layout_type":1,"expiry":null}} | Which? / Wick, Who Waits
  and what its components display | {"content":"","components":[
    {"type":17,"id":1,"components":[{"type":10,"id":2,"content":"Candle Hare"}]},
    {"type":1,"id":3,"components":[{"type":2,"id":4,"style":2,"custom_id":"x","label":"Delete"}]}]} | Candle Hare
  whoever used what it answers | {"content":"hi","interaction_metadata":{"id":"${MESSAGE}","type":2}} | hi
`)(
  'the menu of a message is given its text %s',
  expectSaid(async (message) => {
    const messages = { [MESSAGE]: { ...MESSAGE_OF_OTHERS, ...JSON.parse(message) } };
    const data = { id: MESSAGE, type: 3, name: 'Look up cards', target_id: MESSAGE, resolved: { messages } };
    return (await given(LOOK_UP, 2, { data }))?.replaceAll('\n', ' / ');
  }),
);
