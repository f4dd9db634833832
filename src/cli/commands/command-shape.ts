import { z } from 'zod';

/** Discord sends `null` for an unset field or leaves it out; both mean the default. */
const withDefault = <T extends z.ZodType>(schema: T, fallback: z.output<T>) =>
  schema.nullish().transform((value) => value ?? fallback);

const Numbers = z.array(z.number()).transform((numbers) => numbers.toSorted((a, b) => a - b));
const Localizations = withDefault(z.record(z.string(), z.string()), {});
const Bits = z.string().transform((bits) => (/^\d+$/.test(bits) ? String(BigInt(bits)) : bits));
/** Absent when unset. */
const limit = () => withDefault(z.number().optional(), undefined);

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

/**
 * @param command as declared, or as Discord sends it
 * @param guildId the command's server; `undefined` for a global command
 * @throws ZodError when it is not a slash command
 */
export function commandShape(command: unknown, guildId: string | undefined): object {
  const { integration_types, contexts, dm_permission, ...shape } = Command.parse(command);
  if (guildId !== undefined) return shape; // commands of a server have no contexts

  // dm_permission is deprecated in favour of contexts
  return { ...shape, integration_types, contexts: contexts ?? (dm_permission ? [0, 1, 2] : [0]) };
}
