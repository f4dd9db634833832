import { EmbedBuilder } from '@discordjs/builders';
import { createClient } from '../../src/discord/gateway/client.ts';
import { createLog } from '../../src/log.ts';
import { LocalClaims } from '../../src/model/claims.ts';
import { Events } from '../../src/model/events.ts';

/**
 * The least that a bot needs: discord.js with the same options as ours, and one constant embed.
 * Variables: DISCORD_TOKEN, DISCORD_API_URL, EMBED (JSON).
 */
const { DISCORD_TOKEN = '', DISCORD_API_URL = '', EMBED = '{}' } = process.env;
const client = createClient({
  apiUrl: DISCORD_API_URL,
  shards: 'auto',
  claims: new LocalClaims(),
  events: new Events(),
  log: createLog({ level: 'warn', secrets: [] }),
});
// A builder, as in discord.js' guide, is also faster: the keys of a plain object are converted each time.
const embeds = [new EmbedBuilder(JSON.parse(EMBED))];
client.on('interactionCreate', (interaction) => {
  if (interaction.isChatInputCommand()) void interaction.reply({ embeds });
});
await client.login(DISCORD_TOKEN);
