import { DiscordAPIError } from 'discord.js';
import { CHAT_INPUT } from './command-diff.ts';
import type { Named, Registration } from './registration.ts';
import { shownCommand } from './report.ts';

/** The most servers that are searched for doubles of global commands; each costs a request. */
const MAX_SEARCHED_GUILDS = 50;

/**
 * Warnings about commands that members see twice, because they are registered both globally and in a server.
 *
 * @param guildId the server whose commands were changed; `undefined` for the global ones
 * @param names the slash commands that it has or is about to have
 */
export async function doubledCommands(
  registration: Registration,
  applicationId: string,
  guildId: string | undefined,
  names: readonly string[],
): Promise<string[]> {
  if (names.length === 0) return [];
  const warnings = async (searchedId: string | undefined, server: Named) => {
    const commands = await registration.commands(applicationId, searchedId);
    const doubled = commands.filter(({ type, name }) => type === CHAT_INPUT && names.includes(name));
    return doubled.length > 0 ? [sentence(doubled, server)] : [];
  };
  if (guildId !== undefined) return warnings(undefined, { id: guildId, name: '' });
  const guilds = await unlessRefused(registration.guilds());
  const searched = guilds.slice(0, MAX_SEARCHED_GUILDS).map((guild) => unlessRefused(warnings(guild.id, guild)));
  const unseen =
    guilds.length > MAX_SEARCHED_GUILDS ? [`Only ${MAX_SEARCHED_GUILDS} servers were searched for doubles.`] : [];
  return [...(await Promise.all(searched)).flat(), ...unseen];
}

/** A server without access for the bot must not fail the search of the others. */
async function unlessRefused<T>(request: Promise<T[]>): Promise<T[]> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof DiscordAPIError && (error.status === 403 || error.status === 404)) return [];
    throw error;
  }
}

function sentence(doubled: readonly { name: string }[], { id, name: guildName }: Named): string {
  const commands = doubled.map(({ name }) => shownCommand(name)).join(', ');
  const server = guildName ? `server ${id} (${guildName})` : `server ${id}`;
  const [are, them] = doubled.length === 1 ? ['is', 'it'] : ['are', 'them'];
  return `${commands} ${are} registered globally and in ${server}: its members see ${them} twice. To drop the server's own: npm run commands -- clear --guild ${id}`;
}
