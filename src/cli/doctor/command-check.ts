import { diffCommands, isSame, type LocalCommand } from '../commands/command-diff.ts';
import { failureSays } from '../commands/failure.ts';
import { doubledCommands, type Named, type Registration } from '../commands/registration.ts';
import { shownCommand } from '../commands/report.ts';
import { type Finding, right, unknown, wrong } from './finding.ts';

/** A trial in a server of one's own is found in these; a trial rarely has more. */
const SEARCHED_GUILDS = 20;

/**
 * Whether Discord has the commands of this version, once.
 *
 * @param id of the application
 * @param guilds where the bot is; `undefined`: that is not known
 * @throws what `Registration` throws
 */
export async function commandFindings(
  registration: Registration,
  { id, guilds, commands }: { id: string; guilds: readonly Named[] | undefined; commands: readonly LocalCommand[] },
): Promise<Finding[]> {
  const diffIn = async (guildId?: string) => diffCommands(commands, await registration.commands(id, guildId), guildId);
  const diff = await diffIn();
  if (isSame(diff)) {
    const names = commands.map(({ name }) => name);
    const doubles = await doubledCommands((guildId) => registration.commands(id, guildId), names, guilds ?? []);
    return [right('commands', names.map(shownCommand).join(', ')), ...doubles.map((each) => wrong('commands', each))];
  }
  const searched = guilds?.slice(0, SEARCHED_GUILDS) ?? [];
  const diffs = await Promise.allSettled(searched.map((guild) => diffIn(guild.id)));
  const trial = searched.find((_, at) => diffs[at]?.status === 'fulfilled' && isSame(diffs[at].value));
  if (trial) return [right('commands', `in the server ${trial.name} only`)];
  const named = [...diff.added, ...diff.removed, ...diff.changed].map(({ name }) => shownCommand(name)).join(', ');
  const differ = `The commands at Discord differ from those of this version of the bot (${named}).`;
  // A server without access for the bot has no commands of it.
  const isSearched = diffs.every((each) => each.status === 'fulfilled' || failureSays(each.reason) === 'what is wrong');
  if (guilds && isSearched) return [wrong('commands', `${differ} Run: npm run commands -- register`)];
  const unsure = 'Whether a server has them for a trial could not be found out. Try again later.';
  return [unknown('commands', `${differ} ${unsure}`)];
}
