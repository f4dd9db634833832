import { ComponentType } from 'discord-api-types/v10';
import * as z from 'zod';

import { address, distinct, exactText, integer, list, snowflake, text } from './field-rules.ts';

/** For a component, a modal, or an option in a menu: not trimmed. components/reference, "Custom ID". */
export const customId = exactText({ min: 1, max: 100 });

/** A component of one type with its fields; unknown fields are dropped. */
export function component<T extends ComponentType, S extends z.ZodRawShape>(type: T, fields: S) {
  return z.object({ type: z.literal(type), id: integer({ min: 0, max: 2 ** 31 - 1 }).exactOptional(), ...fields });
}

export const emoji = z.object({
  id: snowflake.exactOptional(),
  name: exactText({ max: 32 }),
  animated: z.boolean().exactOptional(),
});

/** What a member can choose, in a menu or a group of boxes. */
export const option = z.object({
  label: text({ min: 1, max: 100 }),
  value: exactText({ min: 1, max: 100 }),
  description: text({ max: 100 }).exactOptional(),
  default: z.boolean().exactOptional(),
});

export const channelTypes = distinct(z.literal([0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15]), 12);

/** File extensions and kinds of media. */
export const fileTypes = list(exactText({ min: 1, max: 16 }), { max: 10 });

/** Alternative text of a picture. */
export const altText = text({ min: 1, max: 1_024 }).nullable().exactOptional();

/** components/reference, "Unfurled Media Item" */
export const media = z.object({ url: address(['http', 'https', 'attachment']) });

export const TextDisplay = component(ComponentType.TextDisplay, { content: text({ min: 1, max: 4_000 }) });
