import { DiscordAPIError } from 'discord.js';
import { CHAT_INPUT, type RegisteredCommand } from './command-diff.ts';
import type { Named } from './registration.ts';
import { shownCommand } from './report.ts';

/** The most servers that are searched; each costs a request. */
const MAX_SEARCHED_GUILDS = 50;

/**
 * Warnings about commands that members see twice, because they are registered both globally and in a server.
 *
 * @param commandsOf the commands of a server, where `names` are registered globally; or the other way round
 * @param names of slash commands
 */
export async function doubledCommands(
  commandsOf: (guildId: string) => Promise<readonly RegisteredCommand[]>,
  names: readonly string[],
  guilds: readonly Named[],
): Promise<string[]> {
  const searched = guilds.slice(0, MAX_SEARCHED_GUILDS).map(async (guild) => {
    const commands = await commandsOf(guild.id).catch(unlessRefused);
    const doubled = commands.filter(({ type, name }) => type === CHAT_INPUT && names.includes(name));
    return doubled.length > 0 ? [sentence(doubled, guild)] : [];
  });
  const unseen =
    guilds.length > MAX_SEARCHED_GUILDS ? [`Only ${MAX_SEARCHED_GUILDS} servers were searched for doubles.`] : [];
  return [...(await Promise.all(searched)).flat(), ...unseen];
}

/** A server without access for the bot must not fail the search of the others. */
function unlessRefused(error: unknown): readonly RegisteredCommand[] {
  if (error instanceof DiscordAPIError && (error.status === 403 || error.status === 404)) return [];
  throw error;
}

function sentence(doubled: readonly { name: string }[], { id, name: guildName }: Named): string {
  const commands = doubled.map(({ name }) => shownCommand(name)).join(', ');
  const server = guildName ? `server ${id} (${guildName})` : `server ${id}`;
  const [are, them] = doubled.length === 1 ? ['is', 'it'] : ['are', 'them'];
  return `${commands} ${are} registered globally and in ${server}: its members see ${them} twice. To drop the server's own: npm run commands -- clear --guild ${id}`;
}
