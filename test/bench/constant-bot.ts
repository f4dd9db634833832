import { EmbedBuilder } from '@discordjs/builders';
import { createClient, onInteraction } from '../../src/discord/gateway/client.ts';
import { LocalIdentifySlots } from '../../src/discord/gateway/identify.ts';
import { createLog } from '../../src/log.ts';

/**
 * What a bot cannot do without: discord.js with the options that ours gives it, and one embed that never changes.
 * Variables: DISCORD_TOKEN, DISCORD_API_URL, EMBED (JSON).
 */
const { DISCORD_TOKEN = '', DISCORD_API_URL = '', EMBED = '{}' } = process.env;
const client = createClient({
  apiUrl: DISCORD_API_URL,
  shards: 'auto',
  identifySlots: new LocalIdentifySlots(),
  log: createLog({ level: 'warn', secrets: [] }),
});
// A builder, as discord.js' guide has it, is also the quicker way: the names in a plain object are converted each time.
const embeds = [new EmbedBuilder(JSON.parse(EMBED))];
onInteraction(client, async (interaction) => {
  if (interaction.isChatInputCommand()) await interaction.reply({ embeds });
});
await client.login(DISCORD_TOKEN);
