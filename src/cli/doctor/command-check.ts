import { diffCommands, isSame, type LocalCommand } from '../commands/command-diff.ts';
import { doubledCommands } from '../commands/doubled-commands.ts';
import { failureSays } from '../commands/failure.ts';
import type { Named, Registration } from '../commands/registration.ts';
import { shownCommand } from '../commands/report.ts';
import { type Finding, right, unknown, wrong } from './finding.ts';

/** A trial in a server of one's own is found in these; a trial rarely has more. */
const SEARCHED_GUILDS = 20;

/** Turns a failure of Discord into a finding. */
export type Attempt = (check: string, work: () => Promise<Finding[]>) => Promise<Finding[]>;

interface CommandSearch {
  registration: Registration;
  /** The application's id. */
  id: string;
  /** `undefined`: they are not known. */
  guilds: readonly Named[] | undefined;
  commands: readonly LocalCommand[];
  attempt: Attempt;
}

/** Whether Discord has the commands of this version, once. @throws what `Registration` throws */
export async function commandFindings({
  registration,
  id,
  guilds,
  commands,
  attempt,
}: CommandSearch): Promise<Finding[]> {
  const differs = async (guildId: string | undefined) => {
    const diff = diffCommands(commands, await registration.commands(id, guildId), guildId);
    return isSame(diff) ? undefined : diff;
  };
  const diff = await differs(undefined);
  if (diff === undefined) {
    const names = commands.map(({ name }) => name);
    const doubles = async () =>
      (await doubledCommands(registration, id, undefined, names)).map((double) => wrong('commands', double));
    return [right('commands', names.map(shownCommand).join(', ')), ...(await attempt('doubled commands', doubles))];
  }
  let isSearched = guilds !== undefined;
  for (const { id: guildId, name } of guilds?.slice(0, SEARCHED_GUILDS) ?? []) {
    const isThere = await differs(guildId).then(
      (found) => found === undefined,
      (error) => {
        isSearched &&= failureSays(error) === 'what is wrong'; // a server without access for the bot has no commands of it
        return false;
      },
    );
    if (isThere) return [right('commands', `in the server ${name} only`)];
  }
  const named = [...diff.added, ...diff.removed, ...diff.changed].map(({ name }) => shownCommand(name)).join(', ');
  const differ = `The commands at Discord differ from those of this version of the bot (${named}).`;
  return [
    isSearched
      ? wrong('commands', `${differ} Run: npm run commands -- register`)
      : unknown('commands', `${differ} Whether a server has them for a trial could not be found out. Try again later.`),
  ];
}
