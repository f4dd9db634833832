import { ApplicationCommandOptionType as OptionType } from 'discord-api-types/v10';
import * as z from 'zod';

import { descriptions, NAME, names } from './command-name-rules.ts';
import { channelTypes, fileTypes } from './component-fields.ts';
import { integer, list, text } from './field-rules.ts';
import { fieldProblems, orderProblems } from './option-combination-rules.ts';

// The numbers here: interactions/application-commands, "Application Command Option Structure"
const MOST_OPTIONS = 25;

/** An option as Discord stores it: `required` and `autocomplete` only when true. */
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
  file_types?: string[];
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
      options: list(Option, { max: MOST_OPTIONS }).exactOptional(),
      channel_types: channelTypes.exactOptional(),
      file_types: fileTypes.exactOptional(),
      min_value: z.number().exactOptional(),
      max_value: z.number().exactOptional(),
      min_length: integer({ min: 0, max: 6_000 }).exactOptional(),
      max_length: integer({ min: 1, max: 6_000 }).exactOptional(),
    })
    .superRefine((option, context) => {
      const problems = [...fieldProblems(option), ...orderProblems(option.options ?? [], option.type)];
      for (const { path, code, message } of problems) {
        context.addIssue({ code: 'custom', params: { code }, message, path: [...path] });
      }
    })
    .transform(({ required, autocomplete, ...option }) => ({
      ...option,
      ...(required && { required }),
      ...(autocomplete && { autocomplete }),
    })),
);

/** The options of a command. */
export const CommandOptions: z.ZodType<CommandOption[]> = list(Option, { max: MOST_OPTIONS }).superRefine(
  (options, context) => {
    for (const { path, code, message } of orderProblems(options, undefined)) {
      context.addIssue({ code: 'custom', params: { code }, message, path: path.slice(1) });
    }
  },
);

const MOST_CHOICES = 25; // interactions/application-commands, "Application Command Option Choice Structure"

/** A choice of an option, registered or suggested. */
export const ChoiceForm = z.object({
  name: text({ min: 1, max: 100 }),
  name_localizations: descriptions(100),
  value: z.union([text({ max: 100 }), z.number()]),
});

export const ChoiceForms = list(ChoiceForm, { max: MOST_CHOICES });

/** The data of an autocomplete response. */
export const Choices = z.object({ choices: ChoiceForms });
