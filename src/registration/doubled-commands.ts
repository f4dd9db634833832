import { DiscordAPIError } from 'discord.js';
import { CHAT_INPUT } from './command-diff.ts';
import type { Registration } from './registration.ts';

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
  if (guildId !== undefined) {
    const doubled = await sharedNames(registration, applicationId, undefined, names);
    return doubled.length > 0 ? [sentence(doubled, guildId)] : [];
  }
  const guilds = await unlessRefused(registration.guilds(), []);
  const warnings = await Promise.all(
    guilds.slice(0, MAX_SEARCHED_GUILDS).map(async ({ id, name }) => {
      const doubled = await unlessRefused(sharedNames(registration, applicationId, id, names), []);
      return doubled.length > 0 ? [sentence(doubled, id, name)] : [];
    }),
  );
  const unseen =
    guilds.length > MAX_SEARCHED_GUILDS ? [`Only ${MAX_SEARCHED_GUILDS} servers were searched for doubles.`] : [];
  return [...warnings.flat(), ...unseen];
}

async function sharedNames(
  registration: Registration,
  applicationId: string,
  guildId: string | undefined,
  names: readonly string[],
): Promise<string[]> {
  const commands = await registration.commands(applicationId, guildId);
  return commands.filter(({ type, name }) => type === CHAT_INPUT && names.includes(name)).map(({ name }) => name);
}

/** A server without access for the bot must not fail the search of the others. */
async function unlessRefused<T>(request: Promise<T>, fallback: T): Promise<T> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof DiscordAPIError && (error.status === 403 || error.status === 404)) return fallback;
    throw error;
  }
}

function sentence(names: readonly string[], guildId: string, guildName = ''): string {
  const commands = names.map((name) => `/${name}`).join(', ');
  const server = guildName ? `server ${guildId} (${guildName})` : `server ${guildId}`;
  const [are, them] = names.length === 1 ? ['is', 'it'] : ['are', 'them'];
  return `${commands} ${are} registered globally and in ${server}: its members see ${them} twice. To drop the server's own: npm run commands -- clear --guild ${guildId}`;
}
