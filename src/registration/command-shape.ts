import { z } from 'zod';

/** Which commands: those of all servers and direct messages, or those of one server. */
export interface Scope {
  guildId: string | undefined;
}

/** Discord sends `null` or leaves out what nobody set; both mean the same as the default. */
const orElse = <T extends z.ZodType>(schema: T, standard: z.output<T>) =>
  schema.nullish().transform((value) => value ?? standard);

const Numbers = z.array(z.number()).transform((numbers) => numbers.toSorted((a, b) => a - b));
const Localizations = orElse(z.record(z.string(), z.string()), {});
const Bits = z.string().transform((bits) => (/^\d+$/.test(bits) ? String(BigInt(bits)) : bits));
/** Kept absent when nobody set it. */
const limit = () => orElse(z.number().optional(), undefined);

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
  required: orElse(z.boolean(), false),
  autocomplete: orElse(z.boolean(), false),
  choices: orElse(z.array(Choice), []),
  channel_types: orElse(Numbers, []),
  min_value: limit(),
  max_value: limit(),
  min_length: limit(),
  max_length: limit(),
  get options() {
    return z
      .array(Option)
      .nullish()
      .transform((options): z.output<typeof Option>[] => options ?? []);
  },
});

/**
 * A slash command as it is compared: every default written out, everything that Discord adds
 * (ids, version, localised copies) left out. Defaults: Discord's "Application Command Structure".
 */
const Command = z.object({
  name: z.string(),
  name_localizations: Localizations,
  description: z.string(),
  description_localizations: Localizations,
  options: orElse(z.array(Option), []),
  default_member_permissions: orElse(Bits.nullable(), null),
  nsfw: orElse(z.boolean(), false),
  integration_types: orElse(Numbers, [0]),
  contexts: orElse(Numbers.optional(), undefined),
  dm_permission: orElse(z.boolean(), true),
});

export type CommandShape = Omit<z.output<typeof Command>, 'integration_types' | 'contexts' | 'dm_permission'> & {
  integration_types?: number[];
  contexts?: number[];
};

/**
 * @param command as it is declared, or as Discord sends it.
 * @throws ZodError when it is no slash command.
 */
export function commandShape(command: unknown, { guildId }: Scope): CommandShape {
  const { integration_types, contexts, dm_permission, ...shape } = Command.parse(command);
  if (guildId !== undefined) return shape; // where a command may be used is a matter of global commands only

  // dm_permission is the older way to say the same (deprecated in favour of contexts)
  return { ...shape, integration_types, contexts: contexts ?? (dm_permission ? [0, 1, 2] : [0]) };
}
