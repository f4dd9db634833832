import { Locale } from 'discord-api-types/v10';
import * as z from 'zod';

import { complaint, text } from './field-rules.ts';

// interactions/application-commands, "Application Command Naming"
const NAMING = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const LOCALES: ReadonlySet<string> = new Set(Object.values(Locale));

/** The name of a slash command or of an option. */
export const NAME = z
  .string()
  .refine(
    (name) => NAMING.test(name) && name === name.toLowerCase(),
    complaint('APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid'),
  );

/** The name of a context menu command: spaces and capitals are allowed. */
export const MENU_NAME = text({ min: 1, max: 32 });

const localized = <T extends z.ZodType<string>>(value: T) =>
  z
    .record(
      z.string().refine((locale) => LOCALES.has(locale), complaint('BASE_TYPE_CHOICES', 'Not a locale of Discord.')),
      value,
    )
    .nullable()
    .default(null);

export const names = localized(NAME);

export function descriptions(max: number) {
  return localized(text({ min: 1, max }));
}
