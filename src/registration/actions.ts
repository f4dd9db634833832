import { CHAT_INPUT, type CommandDiff, diffCommands, isSame, type LocalCommand } from './command-diff.ts';
import type { Scope } from './command-shape.ts';
import { doubledCommands } from './doubled-commands.ts';
import type { Application, Registration } from './registration.ts';
import { diffJson, diffReport, listReport } from './report.ts';

export type Action = 'list' | 'diff' | 'register' | 'clear';

export interface Flags {
  /** Absent for the global commands. */
  guild?: string;
  dryRun?: boolean;
  json?: boolean;
  /** `clear` of the global commands without being asked. */
  yes?: boolean;
}

export interface ActionParts {
  registration: Registration;
  application: Application;
  commands: readonly LocalCommand[];
  /** Words for a failure of Discord or of the way there; absent for a bug. */
  explain: (error: unknown) => string | undefined;
  /** Puts a question to whoever sits at the terminal; absent where nobody does. */
  ask: ((question: string) => Promise<string>) | undefined;
  out: (text: string) => void;
  err: (text: string) => void;
}

/** Does one action and prints what it found. @returns the exit code. Throws what `Registration` throws. */
export async function performAction(action: Action, flags: Flags, parts: ActionParts): Promise<number> {
  const { registration, application, out } = parts;
  const scope: Scope = { guildId: flags.guild };
  const subject = { application, scope };
  const print = (text: string, json: object) => out(`${flags.json ? JSON.stringify(json, null, 2) : text}\n`);
  const registered = await registration.commands(application.id, scope);

  if (action === 'list') {
    print(listReport(subject, registered), { application, guildId: scope.guildId ?? null, commands: registered });
    await warnOfDoubles(parts, scope, namesOf(registered.filter(({ type }) => type === CHAT_INPUT)));
    return 0;
  }

  const wanted = action === 'clear' ? [] : parts.commands;
  const diff = diffCommands(wanted, registered, scope);
  if (action === 'diff') {
    print(diffReport(subject, diff), diffJson(subject, diff));
  } else {
    const sent = !isSame(diff) && !flags.dryRun;
    if (sent && action === 'clear' && !(await isConfirmed(flags, parts))) return 1;
    if (sent) await registration.replace(application.id, scope, wanted, diff.kept);
    print(`${diffReport(subject, diff)}\n${outcome(diff, sent)}`, { ...diffJson(subject, diff), sent });
  }
  await warnOfDoubles(parts, scope, namesOf(wanted));
  return action === 'diff' && !isSame(diff) ? 2 : 0;
}

/** Every server loses its commands by this, and it takes Discord a while to show them again. */
async function isConfirmed({ guild, yes }: Flags, { ask, err }: ActionParts): Promise<boolean> {
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

/** Comes last and fails nothing: by then the work is done. */
async function warnOfDoubles(parts: ActionParts, scope: Scope, names: readonly string[]): Promise<void> {
  const { registration, application, explain, err } = parts;
  try {
    for (const warning of await doubledCommands(registration, application, scope, names)) err(`Warning: ${warning}\n`);
  } catch (error) {
    const words = explain(error);
    if (words === undefined) throw error;
    err(`Warning: whether commands show up twice could not be checked. ${words}\n`);
  }
}
