import type { Environment } from '../config/config.ts';
import { CHAT_INPUT, type CommandDiff, diffCommands, isSame, type LocalCommand } from './command-diff.ts';
import { doubledCommands } from './doubled-commands.ts';
import type { Named, Registration } from './registration.ts';
import { diffJson, diffReport, listReport } from './report.ts';

export type Action = 'list' | 'diff' | 'register' | 'clear';

export interface Flags {
  /** Absent for the global commands. */
  guild?: string;
  dryRun?: boolean;
  json?: boolean;
  /** Clears the global commands without confirmation. */
  yes?: boolean;
}

/** Everything outside the CLI that it uses. */
export interface CliContext {
  commands: readonly LocalCommand[];
  /** `process.env` unless given. */
  env?: Environment;
  /** Asks a question on the terminal; absent without one. */
  ask?: (question: string) => Promise<string>;
  out: (text: string) => void;
  err: (text: string) => void;
}

export interface ActionContext extends CliContext {
  registration: Registration;
  application: Named;
  /** Explains a failure of Discord or of the connection; `undefined` for a bug. */
  explain: (error: unknown) => string | undefined;
}

/** Runs one action and prints its result. @returns the exit code @throws what `Registration` throws */
export async function performAction(action: Action, flags: Flags, context: ActionContext): Promise<number> {
  const { registration, application, out } = context;
  const { guild } = flags;
  const { id, name } = application;
  const subject = { application: { id, name }, guildId: guild ?? null };
  const print = (text: string, json: object) =>
    out(`${flags.json ? JSON.stringify({ ...subject, ...json }, null, 2) : text}\n`);
  const where = guild === undefined ? 'Global commands' : `Commands in server ${guild}`;
  const heading = `${where} of ${application.name} (${application.id})`;
  const registered = await registration.commands(application.id, guild);

  if (action === 'list') {
    print(listReport(heading, registered), { commands: registered });
    await warnOfDoubles(context, guild, namesOf(registered.filter(({ type }) => type === CHAT_INPUT)));
    return 0;
  }

  const wanted = action === 'clear' ? [] : context.commands;
  const diff = diffCommands(wanted, registered, guild);
  if (action === 'diff') {
    print(diffReport(heading, diff), diffJson(diff));
  } else {
    const sent = !isSame(diff) && !flags.dryRun;
    if (sent && action === 'clear' && !(await isConfirmed(flags, context))) return 1;
    if (sent) await registration.replace(application.id, guild, wanted, diff.kept);
    print(`${diffReport(heading, diff)}\n${outcome(diff, sent)}`, { ...diffJson(diff), sent });
  }
  await warnOfDoubles(context, guild, namesOf(wanted));
  return action === 'diff' && !isSame(diff) ? 2 : 0;
}

/** Clearing removes the commands from every server, and Discord takes a while to show them again. */
async function isConfirmed({ guild, yes }: Flags, { ask, err }: ActionContext): Promise<boolean> {
  if (yes || guild !== undefined) return true;
  const answer = await ask?.('This takes the commands away from every server. Type yes to do it: ');
  if (answer?.trim().toLowerCase() === 'yes') return true;
  const cure = ask ? '' : ' Add --yes to take the commands away from every server, or --guild ID for one server.';
  err(`Nothing was sent.${cure}\n`);
  return false;
}

function namesOf(commands: readonly { name: string }[]): string[] {
  return commands.map(({ name }) => name);
}

function outcome(diff: CommandDiff, sent: boolean): string {
  if (sent) return 'Done. Members who do not see the change yet should reload Discord (Ctrl+R).';
  return isSame(diff) ? 'Nothing was sent.' : 'Nothing was sent: this was a dry run.';
}

/** Runs last, and its failure is only a warning: the action is done by then. */
async function warnOfDoubles(
  { registration, application, explain, err }: ActionContext,
  guildId: string | undefined,
  names: readonly string[],
): Promise<void> {
  try {
    const warnings = await doubledCommands(registration, application.id, guildId, names);
    for (const warning of warnings) err(`Warning: ${warning}\n`);
  } catch (error) {
    const words = explain(error);
    if (words === undefined) throw error;
    err(`Warning: whether commands show up twice could not be checked. ${words}\n`);
  }
}
