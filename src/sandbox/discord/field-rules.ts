import * as z from 'zod';

/** Error options of a zod refinement that carry Discord's leaf code. */
export function complaint(code: string, message: string): { error: string; params: { code: string } } {
  return { error: message, params: { code } };
}

interface Range {
  min?: number;
  max: number;
}

/** The arguments of a refinement: a length of `min` to `max`. */
function length({ min = 0, max }: Range) {
  const words =
    min === 0
      ? complaint('BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`)
      : complaint('BASE_TYPE_BAD_LENGTH', `Must be between ${min} and ${max} in length.`);
  return [(value: { length: number }) => value.length >= min && value.length <= max, words] as const;
}

/** Text that is counted and stored without trimming. */
export function exactText(range: Range) {
  return z.string().refine(...length(range));
}

/**
 * Text of `min` to `max` characters, trimmed before counting (resources/message, "Embed limits").
 * Counted in UTF-16 units: the docs name no unit, and this is the strictest reading.
 */
export function text(range: Range) {
  const trimmed = z.string().trim();
  return trimmed.refine(...length(range));
}

/** A list of `min` to `max` items. */
export function list<T extends z.ZodType>(thing: T, range: Range) {
  return z.array(thing).refine(...length(range));
}

/** Text of 1 to `max` characters; an absent and an empty value give the same error. */
export function requiredText(max: number) {
  return z
    .string()
    .trim()
    .refine((value) => value !== '', complaint('BASE_TYPE_REQUIRED', 'This field is required'))
    .refine(...length({ max }));
}

export function integer({ min, max }: { min: number; max: number }) {
  return z.int().min(min).max(max);
}

/** An id of Discord: a number in text. */
export const snowflake = z
  .string()
  .refine((value) => /^(?:0|[1-9]\d*)$/.test(value), complaint('NUMBER_TYPE_COERCE', 'Value is not snowflake.'));

/** A list of at most `max` items that names nothing twice. The leaf code is a guess. */
export function distinct<T extends z.ZodType>(thing: T, max: number) {
  const different = complaint('SET_TYPE_DUPLICATE', 'Must be unique.');
  return list(thing, { max }).refine((things) => new Set(things).size === things.length, different);
}

/** A field that Discord validates, and that changes nothing here: it is dropped. */
export function unused(value: z.ZodType) {
  const dropped = value.nullish().transform(() => undefined);
  return dropped as unknown as z.ZodExactOptional<z.ZodType<never>>; // an absent field, for the types
}

/** A well-formed address of at most `max` characters under one of the schemes. */
export function address(schemes: readonly string[], max = 2_048) {
  return exactText({ max })
    .refine((value) => URL.canParse(value), complaint('URL_TYPE_INVALID_URL', 'Not a well formed URL.'))
    .refine(
      (value) => !URL.canParse(value) || schemes.includes(new URL(value).protocol.slice(0, -1)),
      complaint(
        'URL_TYPE_INVALID_SCHEME',
        `Scheme is not supported. Scheme must be one of (${schemes.map((scheme) => `'${scheme}'`).join(', ')}).`,
      ),
    );
}

/** Many of Discord's fields accept null for "absent", at every depth. */
export function withoutAnyNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAnyNulls);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(fields.map(([key, field]) => [key, withoutAnyNulls(field)]));
}
