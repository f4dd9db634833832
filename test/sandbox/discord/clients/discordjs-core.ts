import {
  API,
  type APIInteraction,
  ApplicationCommandType,
  Client,
  GatewayDispatchEvents,
  GatewayIntentBits,
  InteractionType,
} from '@discordjs/core';
import { REST } from '@discordjs/rest';
import {
  CompressionMethod,
  type CreateWebSocketManagerOptions,
  WebSocketManager,
  WebSocketShardEvents,
} from '@discordjs/ws2';

import { AGAIN_BUTTON, COMMANDS, DISCORD_API_URL, DISCORD_TOKEN, LATE_COMMAND, namesOf, say } from './script.ts';

const rest = new REST({ api: DISCORD_API_URL }).setToken(DISCORD_TOKEN);
const api = new API(rest);
const gateway = managerOf({ rest, intents: GatewayIntentBits.Guilds, compression: CompressionMethod.ZlibNative });
const client = new Client({ rest, gateway });
client.on(GatewayDispatchEvents.Ready, ({ data }) => say(`ready as ${data.user.username}`));
const guilds: string[] = [];
const everywhere = new Promise<void>((resolve) => {
  client.on(GatewayDispatchEvents.GuildCreate, ({ data: { name, members } }) => {
    guilds.push(`in ${name} as ${members[0]?.user.username}`);
    if (guilds.length === 2) resolve();
  });
});
client.on(GatewayDispatchEvents.Resumed, () => say('resumed'));
client.on(GatewayDispatchEvents.InteractionCreate, ({ data }) => answer(data));
await gateway.connect();
await everywhere;
guilds.forEach(say);

const { id, name, owner } = await api.applications.getCurrent();
say(`application ${name} of ${owner?.global_name}`);

const commands = api.applicationCommands;
const set = await commands.bulkOverwriteGlobalCommands(id, [...COMMANDS]);
say(`set ${namesOf(set)}`);
const spare = await commands.getGlobalCommand(id, set.find((command) => command.name === 'spare')?.id ?? '');
say(`got ${spare.name}: ${spare.description}`);
const edited = await commands.editGlobalCommand(id, spare.id, { description: 'Says nothing' });
say(`edited ${edited.name}: ${edited.description}`);
await commands.deleteGlobalCommand(id, edited.id);
await commands.createGlobalCommand(id, LATE_COMMAND);
say(`left ${namesOf(await commands.getGlobalCommands(id))}`);

async function answer(interaction: APIInteraction): Promise<unknown> {
  const at = [interaction.id, interaction.token] as const;
  const { interactions } = api;
  switch (interaction.type) {
    case InteractionType.ApplicationCommandAutocomplete:
      return interactions.createAutocompleteResponse(...at, { choices: [{ name: 'Some text', value: 'some' }] });
    case InteractionType.MessageComponent:
      return interactions.updateMessage(...at, { content: 'now, again', components: [] });
    case InteractionType.ApplicationCommand:
      if (interaction.data.type === ApplicationCommandType.ChatInput) return run(interaction.data, at);
  }
}

async function run({ name, options }: { name: string; options?: object[] }, at: readonly [string, string]) {
  const { interactions } = api;
  const [, token] = at;
  switch (name) {
    case 'now':
      return interactions.reply(...at, { content: 'now', components: [{ type: 1, components: [AGAIN_BUTTON] }] });
    case 'find': {
      const [text] = options ?? [];
      return interactions.reply(...at, { content: `found ${text && 'value' in text ? text.value : ''}` });
    }
    case 'later': {
      await interactions.defer(...at);
      await interactions.editReply(id, token, { content: 'later' });
      const more = await interactions.followUp(id, token, { content: 'more' });
      const { content } = await api.webhooks.getMessage(id, token, more.id);
      say(`followed up with ${content}`);
      await interactions.deleteReply(id, token, more.id);
      return say(`answered ${(await interactions.getOriginalReply(id, token)).content}`);
    }
    default:
      await interactions.reply(...at, { content: 'bye' });
      await gateway.destroy();
      return loginAgain();
  }
}

/** With version 9 of the API and the gateway, and payloads that are compressed one by one. */
async function loginAgain() {
  const rest9 = new REST({ api: DISCORD_API_URL, version: '9' }).setToken(DISCORD_TOKEN);
  const again = managerOf({ rest: rest9, intents: 0, version: '9', useIdentifyCompression: true });
  again.once(WebSocketShardEvents.Ready, ({ user }) => say(`again as ${user.username}`));
  await again.connect();
  await again.destroy();
}

function managerOf(options: Omit<CreateWebSocketManagerOptions, 'token'>) {
  return new WebSocketManager({ token: DISCORD_TOKEN, ...options });
}
