import { ComponentType } from 'discord-api-types/v10';
import * as z from 'zod';

import { address, complaint, integer, text } from './field-rules.ts';

/** For a component, a modal, or an option in a menu: not trimmed. components/reference, "Custom ID". */
export const customId = exactText({ min: 1, max: 100 });

/** Text that is counted and stored without trimming. */
export function exactText({ min, max }: { min: number; max: number }) {
  return z
    .string()
    .refine(
      (value) => value.length >= min && value.length <= max,
      complaint('BASE_TYPE_BAD_LENGTH', `Must be between ${min} and ${max} in length.`),
    );
}

/** A list of `min` to `max` items. */
export function list<T extends z.ZodType>(thing: T, { min, max }: { min: number; max: number }) {
  return z
    .array(thing)
    .refine(
      (things) => things.length >= min && things.length <= max,
      complaint('BASE_TYPE_BAD_LENGTH', `Must be between ${min} and ${max} in length.`),
    );
}

/** A component of one type with its fields; unknown fields are dropped. */
export function component<T extends ComponentType, S extends z.ZodRawShape>(type: T, fields: S) {
  return z.object({ type: z.literal(type), id: integer({ min: 0, max: 2 ** 31 - 1 }).exactOptional(), ...fields });
}

export const emoji = z.object({
  id: z.string().nullable().exactOptional(),
  name: z.string().nullable().exactOptional(),
  animated: z.boolean().exactOptional(),
});

/** Alternative text of a picture. */
export const altText = text({ max: 1_024 }).nullable().exactOptional();

/** components/reference, "Unfurled Media Item" */
export const media = z.object({ url: address('http', 'https', 'attachment') });

export const TextDisplay = component(ComponentType.TextDisplay, { content: text({ min: 1, max: 4_000 }) });
