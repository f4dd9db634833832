import * as z from 'zod';

/** Error options of a zod refinement that carry Discord's leaf code. */
export function complaint(code: string, message: string): { error: string; params: { code: string } } {
  return { error: message, params: { code } };
}

/**
 * Text of `min` to `max` characters, trimmed before counting (resources/message, "Embed limits").
 * Counted in UTF-16 units: the docs name no unit, and this is the strictest reading.
 */
export function text({ min = 0, max }: { min?: number; max: number }) {
  const words =
    min === 0
      ? complaint('BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`)
      : complaint('BASE_TYPE_BAD_LENGTH', `Must be between ${min} and ${max} in length.`);
  return z
    .string()
    .trim()
    .refine((value) => value.length >= min && value.length <= max, words);
}

/** Text of 1 to `max` characters; an absent and an empty value give the same error. */
export function requiredText(max: number) {
  return z
    .string()
    .trim()
    .refine((value) => value !== '', complaint('BASE_TYPE_REQUIRED', 'This field is required'))
    .refine((value) => value.length <= max, complaint('BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`));
}

export function integer({ min, max }: { min: number; max: number }) {
  return z
    .int()
    .refine((value) => value <= max, complaint('NUMBER_TYPE_MAX', `int value should be less than or equal to ${max}.`))
    .refine(
      (value) => value >= min,
      complaint('NUMBER_TYPE_MIN', `int value should be greater than or equal to ${min}.`),
    );
}

const LONGEST_URL = 2_048;

/** A well-formed address of at most 2,048 characters under one of the schemes. */
export function address(...schemes: readonly string[]) {
  return z
    .string()
    .refine(
      (value) => value.length <= LONGEST_URL,
      complaint('BASE_TYPE_MAX_LENGTH', `Must be ${LONGEST_URL} or fewer in length.`),
    )
    .refine((value) => URL.canParse(value), complaint('URL_TYPE_INVALID_URL', 'Not a well formed URL.'))
    .refine(
      (value) => !URL.canParse(value) || schemes.includes(new URL(value).protocol.slice(0, -1)),
      complaint(
        'URL_TYPE_INVALID_SCHEME',
        `Scheme is not supported. Scheme must be one of (${schemes.map((scheme) => `'${scheme}'`).join(', ')}).`,
      ),
    );
}

/** Many of Discord's fields accept null for "absent". */
export function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
}

/** The same at every depth. */
export function withoutAnyNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAnyNulls);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(fields.map(([key, field]) => [key, withoutAnyNulls(field)]));
}
