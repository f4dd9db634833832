import { type CliContext, CliFailure } from '../context.ts';
import { diffCommands, isSame, type LocalCommand } from './command-diff.ts';
import type { Named, Registration } from './registration.ts';
import { changeLines, diffJson, diffReport, inviteLinks, inviteReport, listReport, outcome } from './report.ts';

export type Action = 'list' | 'diff' | 'register' | 'clear' | 'invite';

export interface Flags {
  /** Absent for the global commands. */
  guild?: string;
  dryRun?: boolean;
  json?: boolean;
  /** Clears the global commands without confirmation. */
  yes?: boolean;
}

export interface ActionContext extends CliContext {
  commands: readonly LocalCommand[];
  registration: Registration;
  application: Named;
  /** Whether members can install the bot for themselves. */
  hasUserInstall: boolean;
}

/** Runs one action and prints its result. @returns the exit code @throws what `Registration` throws, CliFailure */
export async function performAction(action: Action, flags: Flags, context: ActionContext): Promise<number> {
  const { registration, application, commands, stdout } = context;
  const { id, name } = application;
  const { guild } = flags;
  const print = (text: string, json: object) => {
    const result = { application: { id, name }, guildId: guild ?? null, ...json };
    stdout.write(`${flags.json ? JSON.stringify(result, null, 2) : text}\n`);
  };
  if (action === 'invite') {
    const links = inviteLinks(id, context.hasUserInstall);
    print(inviteReport(links), links);
    return 0;
  }
  const heading = `${placeOf(flags)} of ${name} (${id})`;
  const registered = await registration.commands(id, guild);
  if (action === 'list') {
    print(listReport(heading, registered), { commands: registered });
    return 0;
  }
  const wanted = action === 'clear' ? [] : commands;
  const diff = diffCommands(wanted, registered, guild, commands);
  if (action === 'diff') print(diffReport(heading, diff), diffJson(diff));
  else {
    const sent = !isSame(diff) && !flags.dryRun;
    if (sent && action === 'clear') await confirm(flags, context);
    if (sent) await registration.replace(id, guild, wanted, diff.kept);
    const names = wanted.map(({ name }) => name);
    const report = [outcome(action, names, diff, sent), ...changeLines(diff), ...(sent ? [RELOAD] : [])];
    print(report.join('\n'), { ...diffJson(diff), sent });
  }
  return action === 'diff' && !isSame(diff) ? 2 : 0;
}

function placeOf({ guild }: Flags): string {
  return guild === undefined ? 'Global commands' : `Commands in server ${guild}`;
}

const RELOAD = "If a member doesn't see the change, reloading Discord helps (Ctrl+R).";

/**
 * Clearing removes the commands from every server, and Discord takes a while to show them again.
 *
 * @throws CliFailure when the operator was asked, and did not say yes
 */
async function confirm({ guild, yes }: Flags, { ask, registration }: ActionContext): Promise<void> {
  if (yes || guild !== undefined) return;
  const answer = await ask?.('This removes the commands from every server. Type yes to go ahead: ');
  registration.restartDeadline(); // whoever was asked may have thought about it
  if (answer?.trim().toLowerCase() === 'yes') return;
  const cure = ask ? '' : ' Add --yes to remove the commands from every server, or --guild ID for one server.';
  throw new CliFailure(`Nothing was removed.${cure}`);
}
