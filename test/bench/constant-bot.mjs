import { Client, EmbedBuilder, Options } from 'discord.js';

/**
 * The least that a bot needs: discord.js with caches as small as ours, and one constant embed. JavaScript, so that nothing
 * of this project is loaded. Variables: DISCORD_TOKEN, DISCORD_API_URL, EMBED (JSON).
 */
const { DISCORD_TOKEN, DISCORD_API_URL, EMBED = '{}' } = process.env;
const client = new Client({
  intents: [],
  rest: { api: DISCORD_API_URL },
  makeCache: Options.cacheWithLimits({ UserManager: 50, GuildMemberManager: 0, MessageManager: 0 }),
});
// A builder, as in discord.js' guide, is also faster: the keys of a plain object are converted each time.
const embeds = [new EmbedBuilder(JSON.parse(EMBED))];
client.on('interactionCreate', (interaction) => {
  if (interaction.isChatInputCommand()) void interaction.reply({ embeds });
});
await client.login(DISCORD_TOKEN);
