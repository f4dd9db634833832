import { type AnyInteractionGateway, Client, type CommandInteraction } from 'oceanic.js';

const { DISCORD_API_URL = '', DISCORD_TOKEN = '' } = process.env;
const text = { type: 3, name: 'text', description: 'Any text', required: true, autocomplete: true } as const;
const slash = (name: string) => ({ type: 1, name, description: `Says ${name}` }) as const;
/** One line of the transcript. */
const say = (line: string) => void process.stdout.write(`${line}\n`);
const namesOf = (commands: readonly { name: string }[]) => commands.map(({ name }) => name).join(', ');

const client = newClient();
client.on('shardResume', () => say('resumed'));
client.on('interactionCreate', (interaction) => void answer(interaction));
await login(client);
say(`ready as ${client.user.username}`);
for (const { name, clientMember } of client.guilds.values()) say(`in ${name} as ${clientMember.username}`);

const { id, name, owner } = await client.rest.applications.getCurrent();
say(`application ${name} of ${owner?.globalName}`);

const commands = client.rest.applications;
const set = await commands.bulkEditGlobalCommands(id, [
  slash('now'),
  slash('later'),
  { ...slash('find'), options: [text] },
  slash('spare'),
]);
say(`set ${namesOf(set)}`);
const spare = await commands.getGlobalCommand(id, set.find((command) => command.name === 'spare')?.id ?? '');
say(`got ${spare.name}: ${spare.description}`);
const edited = await commands.editGlobalCommand(id, spare.id, { description: 'Says nothing' });
say(`edited ${edited.name}: ${edited.description}`);
await commands.deleteGlobalCommand(id, edited.id);
await commands.createGlobalCommand(id, slash('bye'));
say(`left ${namesOf(await commands.getGlobalCommands(id))}`);

async function answer(interaction: AnyInteractionGateway): Promise<unknown> {
  if (interaction.isAutocompleteInteraction()) return interaction.result([{ name: 'Some text', value: 'some' }]);
  if (interaction.isComponentInteraction()) return interaction.editParent({ content: 'now, again', components: [] });
  return interaction.isCommandInteraction() ? run(interaction) : undefined;
}

async function run(interaction: CommandInteraction): Promise<unknown> {
  switch (interaction.data.name) {
    case 'now':
      return interaction.createMessage({
        content: 'now',
        components: [{ type: 1, components: [{ type: 2, style: 1, label: 'Again', customID: 'again' }] }],
      });
    case 'find':
      return interaction.createMessage(`found ${interaction.data.options.getString('text', true)}`);
    case 'later': {
      await interaction.defer();
      await interaction.editOriginal('later');
      const more = await (await interaction.createFollowup('more')).getMessage();
      say(`followed up with ${(await interaction.getFollowup(more.id)).content}`);
      await interaction.deleteFollowup(more.id);
      return say(`answered ${(await interaction.getOriginal()).content}`);
    }
    default:
      await interaction.createMessage('bye');
      client.disconnect(false);
      return loginAgain();
  }
}

async function loginAgain() {
  const again = newClient();
  await login(again);
  say(`again as ${again.user.username}`);
  again.disconnect(false);
}

function newClient(): Client {
  return new Client({ token: DISCORD_TOKEN, rest: { baseURL: `${DISCORD_API_URL}/v10` } });
}

async function login(who: Client) {
  const ready = new Promise((resolve) => who.once('ready', () => resolve(undefined)));
  await who.connect();
  await ready;
}
