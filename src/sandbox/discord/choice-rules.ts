import * as z from 'zod';

import { descriptions } from './command-name-rules.ts';
import { list, text } from './field-rules.ts';

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
