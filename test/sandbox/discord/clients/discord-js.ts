import { Client, Events, GatewayIntentBits, type Interaction } from 'discord.js';

import { AGAIN_BUTTON, COMMANDS, DISCORD_API_URL, DISCORD_TOKEN, LATE_COMMAND, namesOf, say } from './script.ts';

const client = new Client({ intents: GatewayIntentBits.Guilds, rest: { api: DISCORD_API_URL } });
client.on(Events.ShardResume, () => say('resumed'));
client.on(Events.InteractionCreate, (interaction) => void answer(interaction));
await login(client);
say(`ready as ${client.user?.username}`);
for (const { name, members } of client.guilds.cache.values()) say(`in ${name} as ${members.me?.user.username}`);

const { application } = client;
if (!application) throw new Error('There is no application.');
const { name, owner } = await application.fetch();
say(`application ${name} of ${owner && 'globalName' in owner ? owner.globalName : 'nobody'}`);

const { commands } = application;
const set = await commands.set(COMMANDS);
say(`set ${namesOf(set.values())}`);
const spare = await commands.fetch(set.find((command) => command.name === 'spare')?.id ?? '');
say(`got ${spare.name}: ${spare.description}`);
const edited = await commands.edit(spare, { description: 'Says nothing' });
say(`edited ${edited.name}: ${edited.description}`);
await commands.delete(edited);
await commands.create(LATE_COMMAND);
say(`left ${namesOf((await commands.fetch()).values())}`);

async function answer(interaction: Interaction): Promise<unknown> {
  if (interaction.isAutocomplete()) return interaction.respond([{ name: 'Some text', value: 'some' }]);
  if (interaction.isButton()) return interaction.update({ content: 'now, again', components: [] });
  if (!interaction.isChatInputCommand()) return undefined;
  switch (interaction.commandName) {
    case 'now':
      return interaction.reply({ content: 'now', components: [{ type: 1, components: [AGAIN_BUTTON] }] });
    case 'find':
      return interaction.reply(`found ${interaction.options.getString('text', true)}`);
    case 'later': {
      await interaction.deferReply();
      await interaction.editReply('later');
      const more = await interaction.followUp('more');
      say(`followed up with ${(await interaction.fetchReply(more.id)).content}`);
      await interaction.deleteReply(more);
      return say(`answered ${(await interaction.fetchReply()).content}`);
    }
    default:
      await interaction.reply('bye');
      await client.destroy();
      return loginAgain();
  }
}

/** With version 9 of the API and the gateway. */
async function loginAgain() {
  const again = new Client({ intents: 0, rest: { api: DISCORD_API_URL, version: '9' }, ws: { version: 9 } });
  await login(again);
  say(`again as ${again.user?.username}`);
  await again.destroy();
}

async function login(who: Client) {
  const ready = new Promise((resolve) => who.once(Events.ClientReady, resolve));
  await who.login(DISCORD_TOKEN);
  await ready;
}
