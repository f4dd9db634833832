import { ApplicationCommandOptionType as OptionType } from 'discord-api-types/v10';
import * as z from 'zod';

import { ChoiceForms } from './choice-rules.ts';
import { descriptions, NAME, names } from './command-name-rules.ts';
import { complaint, integer, text } from './field-rules.ts';

// The numbers here: interactions/application-commands, "Application Command Option Structure"
const MOST_OPTIONS = 25;
const WITH_CHOICES: readonly number[] = [OptionType.String, OptionType.Integer, OptionType.Number];

/** An option as Discord keeps it: `required` and `autocomplete` only when true. */
export interface CommandOption {
  type: OptionType;
  name: string;
  description: string;
  name_localizations: Record<string, string> | null;
  description_localizations: Record<string, string> | null;
  required?: true;
  autocomplete?: true;
  choices?: z.infer<typeof ChoiceForms>;
  options?: CommandOption[];
  channel_types?: number[];
  min_value?: number;
  max_value?: number;
  min_length?: number;
  max_length?: number;
}

const Option: z.ZodType<CommandOption> = z.lazy(() =>
  z
    .object({
      type: integer({ min: OptionType.Subcommand, max: OptionType.Attachment }),
      name: NAME,
      name_localizations: names,
      description: text({ min: 1, max: 100 }),
      description_localizations: descriptions(100),
      required: z.boolean().exactOptional(),
      autocomplete: z.boolean().exactOptional(),
      choices: ChoiceForms.exactOptional(),
      options: CommandOptions.exactOptional(),
      channel_types: z.array(z.int()).exactOptional(),
      min_value: z.number().exactOptional(),
      max_value: z.number().exactOptional(),
      min_length: integer({ min: 0, max: 6_000 }).exactOptional(),
      max_length: integer({ min: 1, max: 6_000 }).exactOptional(),
    })
    .refine(({ choices, autocomplete }) => !(autocomplete && choices?.length), {
      ...complaint('APPLICATION_COMMAND_AUTOCOMPLETE_CHOICES', 'Autocomplete and choices exclude each other.'),
      path: ['choices'],
    })
    .refine(({ choices, type }) => !choices?.length || WITH_CHOICES.includes(type), {
      ...complaint('APPLICATION_COMMAND_OPTION_CHOICES_TYPE', 'This type of option takes no choices.'),
      path: ['choices'],
    })
    .transform(({ required, autocomplete, ...option }) => ({
      ...option,
      ...(required && { required }),
      ...(autocomplete && { autocomplete }),
    })),
);

/** The options of a command, or of a subcommand. */
export const CommandOptions: z.ZodType<CommandOption[]> = z
  .array(Option)
  .max(MOST_OPTIONS)
  .refine(
    (options) => new Set(options.map(({ name }) => name)).size === options.length,
    complaint('APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS', 'Option name already exists'),
  )
  .refine(
    (options) => options.every((option, index) => index === 0 || !option.required || options[index - 1]?.required),
    complaint(
      'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
      'Required options must be placed before non-required options',
    ),
  );
