import type { ApplicationCommandType, RESTPostAPIChatInputApplicationCommandsJSONBody } from 'discord.js';
import { z } from 'zod';
import { commandShape } from './command-shape.ts';

/** A slash command, or one of the menu of a message, which has neither description nor options. */
export type LocalCommand = Omit<RESTPostAPIChatInputApplicationCommandsJSONBody, 'type' | 'description'> & {
  type?: ApplicationCommandType | undefined;
  description?: string | undefined;
};

/** Discord's type number of slash commands; other types are user menus, message menus and entry points. */
export const CHAT_INPUT = 1;

/** As Discord lists it, with every field. */
export const RegisteredCommand = z.looseObject({
  id: z.string(),
  name: z.string(),
  type: z.number().default(CHAT_INPUT),
});
export type RegisteredCommand = z.infer<typeof RegisteredCommand>;

/** One field of a command; an absent side means that the field was or will be absent. */
export interface FieldChange {
  /** Such as `options[id].max_length`. */
  path: string;
  before?: unknown;
  after?: unknown;
}

/** How registering would change the slash commands of one scope. */
export interface CommandDiff {
  added: LocalCommand[];
  removed: RegisteredCommand[];
  changed: { name: string; changes: FieldChange[] }[];
  unchanged: string[];
  /** Commands of other types that are not ours, which are never changed. */
  kept: RegisteredCommand[];
}

/** @param known every command of this checkout, also when it is not wanted */
export function diffCommands(
  local: readonly LocalCommand[],
  registered: readonly RegisteredCommand[],
  guildId: string | undefined,
  known = local,
): CommandDiff {
  const ours = new Set(local.map(keyOf));
  const isManaged = (command: RegisteredCommand) =>
    command.type === CHAT_INPUT || known.some((each) => keyOf(each) === keyOf(command));
  const managed = registered.filter(isManaged);
  const diff: CommandDiff = {
    added: [],
    removed: managed.filter((command) => !ours.has(keyOf(command))),
    changed: [],
    unchanged: [],
    kept: registered.filter((command) => !isManaged(command)),
  };
  for (const command of local) {
    const known = managed.find((other) => keyOf(other) === keyOf(command));
    if (!known) {
      diff.added.push(command);
      continue;
    }
    const changes = fieldChanges(commandShape(known, guildId), commandShape(command, guildId));
    if (changes.length > 0) diff.changed.push({ name: command.name, changes });
    else diff.unchanged.push(command.name);
  }
  return diff;
}

/** Commands of different types may have the same name. */
function keyOf({ type = CHAT_INPUT, name }: { type?: number | undefined; name: string }): string {
  return `${type} ${name}`;
}

export function isSame({ added, removed, changed }: CommandDiff): boolean {
  return added.length + removed.length + changed.length === 0;
}

/** Every field in which two JSON values differ. Lists of named objects are compared by name, then by order. */
export function fieldChanges(before: unknown, after: unknown, path = ''): FieldChange[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (isNamedList(before) && isNamedList(after)) return namedChanges(before, after, path);
  if (isRecord(before) && isRecord(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => fieldChanges(before[key], after[key], path ? `${path}.${key}` : key));
  }
  return [{ path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }];
}

type Named = Record<string, unknown> & { name: string };

function namedChanges(before: readonly Named[], after: readonly Named[], path: string): FieldChange[] {
  const order = { before: before.map(({ name }) => name), after: after.map(({ name }) => name) };
  const names = [...new Set([...order.before, ...order.after])];
  const changes = names.flatMap((name) => {
    const find = (list: readonly Named[]) => list.find((item) => item.name === name);
    return fieldChanges(find(before), find(after), `${path}[${name}]`);
  });
  const reordered = changes.length === 0 && order.before.join() !== order.after.join();
  return reordered ? [{ path: `${path} order`, ...order }] : changes;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNamedList(value: unknown): value is Named[] {
  return Array.isArray(value) && value.every((item) => isRecord(item) && typeof item.name === 'string');
}
