import { type CliContext, CliFailure } from '../context.ts';
import { CHAT_INPUT, type CommandDiff, diffCommands, isSame, type LocalCommand } from './command-diff.ts';
import { doubledCommands, type Named, type Registration } from './registration.ts';
import { changeLines, diffJson, diffReport, inviteLink, listReport, outcome } from './report.ts';

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
  /** Explains a failure of Discord or of the connection; `undefined` for a bug. */
  explain: (error: unknown) => string | undefined;
}

/** Runs one action and prints its result. @returns the exit code @throws what `Registration` throws, CliFailure */
export async function performAction(action: Action, flags: Flags, context: ActionContext): Promise<number> {
  const { registration, application, stdout } = context;
  const { guild } = flags;
  const { id, name } = application;
  const subject = { application: { id, name }, guildId: guild ?? null };
  const print = (text: string, json: object) =>
    stdout.write(`${flags.json ? JSON.stringify({ ...subject, ...json }, null, 2) : text}\n`);
  if (action === 'invite') {
    const link = inviteLink(application.id);
    print(link, { link });
    return 0;
  }
  const where = guild === undefined ? 'Global commands' : `Commands in server ${guild}`;
  const heading = `${where} of ${application.name} (${application.id})`;
  const registered = await registration.commands(application.id, guild);

  if (action === 'list') {
    print(listReport(heading, registered), { commands: registered });
    await warnOfDoubles(context, guild, namesOf(registered.filter(({ type }) => type === CHAT_INPUT)));
    return 0;
  }

  const wanted = action === 'clear' ? [] : context.commands;
  const diff = diffCommands(wanted, registered, guild, context.commands);
  if (action === 'diff') print(diffReport(heading, diff), diffJson(diff));
  else {
    const sent = await change(action, wanted, diff, flags, context);
    const report = [outcome(action, namesOf(wanted), diff, sent), ...changeLines(diff), ...(sent ? [RELOAD] : [])];
    print(report.join('\n'), { ...diffJson(diff), sent });
  }
  await warnOfDoubles(context, guild, namesOf(wanted));
  return action === 'diff' && !isSame(diff) ? 2 : 0;
}

/** Makes Discord hold what is wanted. @returns whether anything was sent @throws as `performAction` */
async function change(
  action: 'register' | 'clear',
  wanted: readonly LocalCommand[],
  diff: CommandDiff,
  flags: Flags,
  context: ActionContext,
): Promise<boolean> {
  if (isSame(diff) || flags.dryRun) return false;
  if (action === 'clear') {
    await confirm(flags, context);
    context.registration.restartDeadline(); // whoever was asked may have thought about it
  }
  await context.registration.replace(context.application.id, flags.guild, wanted, diff.kept);
  return true;
}

const RELOAD = "If a member doesn't see the change, reloading Discord helps (Ctrl+R).";

/**
 * Clearing removes the commands from every server, and Discord takes a while to show them again.
 *
 * @throws CliFailure when the operator was asked, and did not say yes
 */
async function confirm({ guild, yes }: Flags, { ask }: ActionContext): Promise<void> {
  if (yes || guild !== undefined) return;
  const answer = await ask?.('This removes the commands from every server. Type yes to go ahead: ');
  if (answer?.trim().toLowerCase() === 'yes') return;
  const cure = ask ? '' : ' Add --yes to remove the commands from every server, or --guild ID for one server.';
  throw new CliFailure(`Nothing was removed.${cure}`);
}

function namesOf(commands: readonly { name: string }[]): string[] {
  return commands.map(({ name }) => name);
}

/** Runs last, and its failure is only a warning: the action is done by then. */
async function warnOfDoubles(
  { registration, application, explain, stderr }: ActionContext,
  guildId: string | undefined,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  try {
    const guilds = guildId === undefined ? await registration.guilds() : [{ id: guildId, name: '' }];
    const elsewhere = (id: string) => registration.commands(application.id, guildId === undefined ? id : undefined);
    const warnings = await doubledCommands(elsewhere, names, guilds);
    for (const warning of warnings) stderr.write(`Warning: ${warning}\n`);
  } catch (error) {
    const words = explain(error);
    if (words === undefined) throw error;
    stderr.write(`Warning: couldn't check whether commands show up twice. ${words}\n`);
  }
}
