import type { ApplicationCommandType, RESTPostAPIChatInputApplicationCommandsJSONBody } from 'discord.js';
import { z } from 'zod';

/** A slash command, or one of the menu of a message, which has neither description nor options. */
export type LocalCommand = Omit<RESTPostAPIChatInputApplicationCommandsJSONBody, 'type' | 'description'> & {
  type?: ApplicationCommandType | undefined;
  description?: string | undefined;
};

/** Discord's type number of slash commands; other types are user menus, message menus and entry points. */
export const CHAT_INPUT = 1;

/** A command as Discord lists it, with every field. */
export const RegisteredCommand = z.looseObject({
  id: z.string(),
  name: z.string(),
  type: z.number().default(CHAT_INPUT),
});
export type RegisteredCommand = z.infer<typeof RegisteredCommand>;

/** One field of a command; an absent side means that the field was or will be absent. */
export interface FieldChange {
  /** Such as `options.0.max_length`. */
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
  const compared = local.map((command) => {
    const before = managed.find((other) => keyOf(other) === keyOf(command));
    return { command, changes: before && fieldChanges(commandShape(before, guildId), commandShape(command, guildId)) };
  });
  return {
    added: compared.flatMap(({ command, changes }) => (changes ? [] : command)),
    removed: managed.filter((command) => !ours.has(keyOf(command))),
    changed: compared.flatMap(({ command: { name }, changes = [] }) => (changes.length > 0 ? { name, changes } : [])),
    unchanged: compared.flatMap(({ command: { name }, changes }) => (changes?.length === 0 ? name : [])),
    kept: registered.filter((command) => !isManaged(command)),
  };
}

/** Commands of different types may have the same name. */
function keyOf({ type = CHAT_INPUT, name }: { type?: number | undefined; name: string }): string {
  return `${type} ${name}`;
}

export function isSame({ added, removed, changed }: CommandDiff): boolean {
  return added.length + removed.length + changed.length === 0;
}

/** Every field in which two JSON values differ; lists are compared place by place. */
export function fieldChanges(before: unknown, after: unknown, path = ''): FieldChange[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (isObject(before) && isObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => fieldChanges(before[key], after[key], path ? `${path}.${key}` : key));
  }
  return [{ path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }];
}

/** True for arrays, too. */
function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Discord sends `null` for an unset field or leaves it out; both mean the default. */
const withDefault = <T extends z.ZodType>(schema: T, fallback: z.output<T>) =>
  schema.nullish().transform((value) => value ?? fallback);

const Numbers = z.array(z.number()).transform((numbers) => numbers.toSorted((a, b) => a - b));
const Localizations = withDefault(z.record(z.string(), z.string()), {});
const Bits = z.string().transform((bits) => (/^\d+$/.test(bits) ? String(BigInt(bits)) : bits));
const Limit = withDefault(z.number().optional(), undefined);

const Choice = z.object({
  name: z.string(),
  name_localizations: Localizations,
  value: z.union([z.string(), z.number()]),
});

const Option = z.object({
  type: z.number(),
  name: z.string(),
  name_localizations: Localizations,
  description: z.string(),
  description_localizations: Localizations,
  required: withDefault(z.boolean(), false),
  autocomplete: withDefault(z.boolean(), false),
  choices: withDefault(z.array(Choice), []),
  channel_types: withDefault(Numbers, []),
  min_value: Limit,
  max_value: Limit,
  min_length: Limit,
  max_length: Limit,
  get options() {
    return withDefault(z.array(Option), []);
  },
});

/**
 * A slash command in comparable form: with every default, and without the fields that Discord adds (ids, version,
 * localised copies). Defaults: "Application Command Structure" in Discord's documentation.
 */
const Command = z.object({
  name: z.string(),
  name_localizations: Localizations,
  description: withDefault(z.string(), ''),
  description_localizations: Localizations,
  options: withDefault(z.array(Option), []),
  default_member_permissions: withDefault(Bits.nullable(), null),
  nsfw: withDefault(z.boolean(), false),
  integration_types: withDefault(Numbers, [0]),
  contexts: withDefault(Numbers.optional(), undefined),
  dm_permission: withDefault(z.boolean(), true),
});

/** @param guildId the command's server, whose commands have no contexts; `undefined` for a global command */
function commandShape(command: unknown, guildId: string | undefined): object {
  const { integration_types, contexts, dm_permission, ...shape } = Command.parse(command);
  if (guildId !== undefined) return shape;
  // dm_permission is deprecated in favour of contexts.
  return { ...shape, integration_types, contexts: contexts ?? (dm_permission ? [0, 1, 2] : [0]) };
}
