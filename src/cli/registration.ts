import { declarations } from '../../commands/index.ts';
import type { RegistrationConfig } from '../config/config.ts';
import {
  applicationForm,
  diffCommands,
  inviteLinks,
  isSlash,
  type RegisteredCommand,
  registrationAt,
  shownCommand,
} from '../discord/registration.ts';
import { agree, type CliContext } from './context.ts';

export type Action = 'list' | 'diff' | 'register' | 'clear' | 'invite';

export interface Flags {
  /** Absent for the global commands. */
  guild?: string;
  dryRun?: boolean;
  json?: boolean;
  yes?: boolean;
}

/** Costs at most five requests. @throws what `registrationAt` names, CliFailure */
export async function perform(
  action: Action,
  { guild, json, dryRun, yes = false }: Flags,
  config: RegistrationConfig,
  context: CliContext,
): Promise<void> {
  const registration = registrationAt(config);
  const application = await registration.application();
  const { id, name } = application;
  const print = (lines: readonly string[], fields: object) => {
    const object = { application: { id, name }, guildId: guild ?? null, ...fields };
    context.stdout.write(`${json ? JSON.stringify(object, null, 2) : lines.join('\n')}\n`);
  };
  const links = inviteLinks(id, config.hasUserInstall);
  if (action === 'invite') return print(linkLines(links), links);
  const heading = `${guild ? `Commands in server ${guild}` : 'Global commands'} of ${name} (${id})`;
  const commands = await registration.commands(id, guild);
  if (action === 'list') return print(listLines(heading, commands), { commands });

  const { commands: own = declarations(config.hasUserInstall) } = context;
  const wanted = action === 'clear' ? [] : own;
  const isInstall = action !== 'clear' && !guild;
  const form = isInstall ? applicationForm(application, config.hasUserInstall) : {};
  const settings = Object.keys(form);
  const diff = diffCommands(wanted, commands, guild, [...own, ...commands.filter(isSlash)]);
  const ofCommands = Object.entries({ '+': diff.added, '-': diff.removed, '~': diff.changed }).flatMap(
    ([sign, names]) => names.map((name) => `${sign} ${shownCommand(name)}`),
  );
  const changes = [...settings.map((field) => `~ ${field} of the application`), ...ofCommands];
  const result = { same: changes.length === 0, settings, ...diff, sent: false };
  if (result.same) return print([`${heading}: nothing differs.`], result);
  const lines = [`${heading}: something differs.`, ...changes];
  if (action === 'diff') context.exitCode = 2;
  if (action === 'diff' || dryRun) return print(lines, result);
  if (action === 'clear' && !guild) await agree('This removes the commands from every server', yes, context);
  const confirmed = registrationAt(config); // whoever was asked may have thought about it for longer than a run takes
  // First, so that the application offers members' installs before its commands ask for them.
  if (settings.length > 0) await confirmed.edit(form);
  if (ofCommands.length > 0) await confirmed.replace(id, guild, [...wanted, ...diff.kept]);
  lines.push("Done. If a member doesn't see the change, reloading Discord helps (Ctrl+R).");
  if (isInstall) lines.push('If the bot is in no server yet, add it:', ...linkLines(links));
  print(lines, { ...result, sent: true });
}

function listLines(heading: string, commands: readonly RegisteredCommand[]): string[] {
  const rows = commands.map(({ name, id, description }) => `${shownCommand(name)}  ${id}  ${description}`.trimEnd());
  return [`${heading}: ${rows.length || 'none.'}`, ...rows];
}

/** One alone stands as it is, for a script. */
function linkLines({ link, userLink }: ReturnType<typeof inviteLinks>): string[] {
  return userLink ? [`Add to a server:      ${link}`, `Add to your own apps: ${userLink}`] : [link];
}
