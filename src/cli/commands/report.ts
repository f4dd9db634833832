import { z } from 'zod';
import { CHAT_INPUT, type CommandDiff, type FieldChange, isSame, type RegisteredCommand } from './command-diff.ts';

const KINDS: Readonly<Record<number, string>> = { 2: 'member menu', 3: 'message menu', 4: 'entry point' };

/** Menus and entry points have neither description nor options. */
const Described = z.object({ description: z.string().catch('') });

/** The registered commands, as text. */
export function listReport(heading: string, commands: readonly RegisteredCommand[]): string {
  if (commands.length === 0) return `${heading}: none.`;
  const rows = commands.map((command) => {
    const { description } = Described.parse(command);
    return `\n${shownName(command)}  ${command.id}  ${description}`.trimEnd();
  });
  return `${heading}: ${commands.length}${rows.join('')}`;
}

/** The differences, as text: `+` only in this checkout, `-` only at Discord, `~` different, `=` same. */
export function diffReport(heading: string, diff: CommandDiff, settings: readonly FieldChange[]): string {
  const same = diff.unchanged.map(shownCommand).join(', ');
  const lines = [...changeLines(diff, settings), ...(same ? [`= ${same}`] : [])];
  const says = isSame(diff) && settings.length === 0 ? 'nothing differs.' : 'something differs.';
  return [`${heading}: ${says}`, ...lines].join('\n');
}

/** What registering changes or would change, and what it leaves alone. @param settings of the application */
export function changeLines(diff: CommandDiff, settings: readonly FieldChange[]): string[] {
  return [
    ...(settings.length > 0 ? ['~ the application', ...settings.map(changeLine)] : []),
    ...diff.added.map(
      ({ name, description = 'in the menu of a message' }) => `+ ${shownCommand(name)}  ${description}`,
    ),
    ...diff.removed.map(({ name, id }) => `- ${shownCommand(name)}  ${id}`),
    ...diff.changed.flatMap(({ name, changes }) => [`~ ${shownCommand(name)}`, ...changes.map(changeLine)]),
    ...diff.kept.map((command) => `= ${shownName(command)} is left alone`),
  ];
}

/** What was done, or would be, in one line. */
export function outcome(
  action: 'register' | 'clear',
  names: readonly string[],
  diff: CommandDiff,
  settings: readonly FieldChange[],
  sent: boolean,
): string {
  const changed = action === 'register' ? names : diff.removed.map(({ name }) => name);
  const commands = `${changed.length} ${changed.length === 1 ? 'command' : 'commands'}: ${slashed(changed)}`;
  if (isSame(diff) && settings.length > 0)
    return `${sent ? 'Set up' : 'Would set up'} the application. Nothing to change in its commands: ${slashed(names)}`;
  if (isSame(diff)) return action === 'clear' ? 'Nothing to remove' : `Nothing to change: ${slashed(names)}`;
  if (action === 'clear') return `${sent ? 'Removed' : 'Would remove'} ${commands}`;
  return `${sent ? 'Registered' : 'Would register'} ${commands}`;
}

function slashed(names: readonly string[]): string {
  return names.map(shownCommand).join(', ');
}

/** The differences, as JSON. @param settings of the application */
export function diffJson(diff: CommandDiff, settings: readonly FieldChange[]): object {
  return {
    same: isSame(diff) && settings.length === 0,
    settings,
    added: diff.added.map(({ name }) => name),
    removed: diff.removed.map(({ name, id }) => ({ name, id })),
    changed: diff.changed,
    unchanged: diff.unchanged,
    kept: diff.kept.map(({ name, id, type }) => ({ name, id, type })),
  };
}

function changeLine({ path, before, after }: FieldChange): string {
  return `    ${path}: ${shown(before)} → ${shown(after)}`;
}

/** A whole option would fill the line, so its description replaces it. */
function shown(value: unknown): string {
  if (value === undefined) return 'absent';
  const isOption = typeof value === 'object' && value !== null && 'description' in value;
  return JSON.stringify(isOption ? value.description : value);
}

function shownName({ type, name }: RegisteredCommand): string {
  return type === CHAT_INPUT ? `/${name}` : `${name} (${KINDS[type] ?? `kind ${type}`})`;
}

/** A command as members see it: `/card`, or its name in a menu. A slash command's name has no blank and no capital. */
export function shownCommand(name: string): string {
  return /[\s\p{Lu}]/u.test(name) ? name : `/${name}`;
}

/** Where an operator sets what an application is. */
export function portalPage(applicationId: string, page: 'information' | 'bot'): string {
  return `https://discord.com/developers/applications/${applicationId}/${page}`;
}

const AUTHORIZE = 'https://discord.com/oauth2/authorize';

/**
 * Where a server's owner adds the bot: as a member, so that it is seen in the list, and with its commands. It needs no
 * permission there: it answers commands, and that needs none
 * (https://docs.discord.com/developers/topics/oauth2#bot-authorization-flow).
 */
export function inviteLink(applicationId: string): string {
  return `${AUTHORIZE}?client_id=${applicationId}&scope=bot+applications.commands&permissions=0&integration_type=0`;
}

/** What each owner authorises by themselves: a server's, and where members can install the bot, a member. */
interface InviteLinks {
  link: string;
  /** It lets a member use the bot everywhere. */
  userLink?: string;
}

export function inviteLinks(applicationId: string, hasUserInstall: boolean): InviteLinks {
  const userLink = `${AUTHORIZE}?client_id=${applicationId}&scope=applications.commands&integration_type=1`;
  return { link: inviteLink(applicationId), ...(hasUserInstall && { userLink }) };
}

/** The links, as text; one alone stands as it is, for a script. */
export function inviteReport({ link, userLink }: InviteLinks): string {
  return userLink === undefined ? link : `Add to a server:      ${link}\nAdd to your own apps: ${userLink}`;
}
