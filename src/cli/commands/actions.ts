import { type CliContext, CliFailure } from '../context.ts';
import { type Application, type ApplicationForm, applicationChanges, applicationForm } from './application.ts';
import { type CommandDiff, diffCommands, isSame, type LocalCommand } from './command-diff.ts';
import type { Registration } from './registration.ts';
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
  application: Application;
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
  const diff = diffCommands(action === 'clear' ? [] : commands, registered, guild, commands);
  const form = guild === undefined && action !== 'clear' ? applicationForm(application, context.hasUserInstall) : {};
  const settings = applicationChanges(application, form);
  const differs = !isSame(diff) || settings.length > 0;
  if (action === 'diff') {
    print(diffReport(heading, diff, settings), diffJson(diff, settings));
    return differs ? 2 : 0;
  }
  const sent = differs && !flags.dryRun;
  const more = sent ? await send(action, { diff, form }, flags, context) : [];
  const names = action === 'clear' ? [] : commands.map(({ name }) => name);
  const report = [outcome(action, names, diff, settings, sent), ...changeLines(diff, settings), ...more];
  print(report.join('\n'), { ...diffJson(diff, settings), sent });
  return 0;
}

/** @returns what the operator may have to know next @throws CliFailure */
async function send(
  action: 'register' | 'clear',
  { diff, form }: { diff: CommandDiff; form: ApplicationForm },
  flags: Flags,
  context: ActionContext,
): Promise<string[]> {
  const { registration, application, commands, hasUserInstall } = context;
  if (action === 'clear') await confirm(flags, context);
  // First, so that the application offers members' installs before its commands ask for them.
  if (Object.keys(form).length > 0) await registration.edit(form);
  const isChanged = !isSame(diff);
  if (isChanged) await registration.replace(application.id, flags.guild, action === 'clear' ? [] : commands, diff.kept);
  const links = [INVITE, inviteReport(inviteLinks(application.id, hasUserInstall))];
  const isInstall = action === 'register' && flags.guild === undefined;
  return [...(isChanged ? [RELOAD] : []), ...(isInstall ? links : [])];
}

function placeOf({ guild }: Flags): string {
  return guild === undefined ? 'Global commands' : `Commands in server ${guild}`;
}

const INVITE = 'If the bot is in no server yet, add it:';
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
