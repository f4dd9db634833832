import {
  type CommandDiff,
  diffCommands,
  failureSays,
  type LocalCommand,
  type RegisteredCommand,
  type Registration,
  shownCommand,
} from '../commands.ts';
import { type Finding, right, unknown, wrong } from './finding.ts';

/** A trial in a server of one's own, and commands left over from it, are found in these; a trial rarely has more. */
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
  const diff = diffCommands(commands, await registration.commands(id, undefined), undefined);
  const searched = guilds?.slice(0, SEARCHED_GUILDS) ?? [];
  const answers = await Promise.allSettled(searched.map((guild) => registration.commands(id, guild.id)));
  const servers = answers.flatMap((answer, at) => {
    const guild = searched[at];
    return guild && answer.status === 'fulfilled' ? { guild, registered: answer.value } : [];
  });
  if (isSame(diff)) {
    const names = commands.map(({ name }) => name);
    const doubles = servers.flatMap(({ guild, registered }) => doubledIn(guild, registered, names));
    return [right('commands', names.map(shownCommand).join(', ')), ...doubles];
  }
  const isNowhereElse = diff.added.length === commands.length;
  const trial = servers.find(({ guild, registered }) => isSame(diffCommands(commands, registered, guild.id)));
  if (trial && isNowhereElse) return [right('commands', `in the server ${trial.guild.name} only`)];
  const named = [...diff.added, ...diff.removed, ...diff.changed].map(shownCommand).join(', ');
  const differ = `The commands at Discord differ from those of this version of the bot (${named}).`;
  // A server without access for the bot has no commands of it.
  const isSearched = answers.every(
    (each) => each.status === 'fulfilled' || failureSays(each.reason) === 'what is wrong',
  );
  if (guilds && isSearched) return [wrong('commands', `${differ} Run: npm run commands -- register`)];
  const unsure = 'Whether a server has them for a trial could not be found out. Try again later.';
  return [unknown('commands', `${differ} ${unsure}`)];
}

type Named = Record<'id' | 'name', string>;

function isSame({ added, removed, changed }: CommandDiff): boolean {
  return added.length + removed.length + changed.length === 0;
}

/** Slash commands that members of a server see twice, because they are also registered globally. */
function doubledIn({ id, name: server }: Named, registered: readonly RegisteredCommand[], names: string[]): Finding[] {
  const doubled = registered.filter(({ type, name }) => type === 1 && names.includes(name));
  if (doubled.length === 0) return [];
  const list = doubled.map(({ name }) => shownCommand(name)).join(', ');
  const why = `Registered globally and in server ${id} (${server}), whose members see them twice: ${list}.`;
  return [wrong('commands', `${why} To drop the server's own: npm run commands -- clear --guild ${id}`)];
}
