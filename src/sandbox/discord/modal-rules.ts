import { type APIModalInteractionResponseCallbackData, ComponentType } from 'discord-api-types/v10';
import * as z from 'zod';

import { component, customId, fileTypes, option, TextDisplay } from './component-fields.ts';
import { integer, list, requiredText, text, withoutAnyNulls } from './field-rules.ts';
import { SELECTS } from './select-rules.ts';

const required = z.boolean().exactOptional();

const TextInput = component(ComponentType.TextInput, {
  custom_id: customId,
  style: integer({ min: 1, max: 2 }),
  label: text({ min: 1, max: 45 }).exactOptional(),
  min_length: integer({ min: 0, max: 4_000 }).exactOptional(),
  max_length: integer({ min: 1, max: 4_000 }).exactOptional(),
  required,
  value: text({ max: 4_000 }).exactOptional(),
  placeholder: text({ max: 100 }).exactOptional(),
});

const several = {
  custom_id: customId,
  min_values: integer({ min: 0, max: 10 }).exactOptional(),
  max_values: integer({ min: 1, max: 10 }).exactOptional(),
  required,
};

const FileUpload = component(ComponentType.FileUpload, {
  ...several,
  file_types: fileTypes.exactOptional(),
});

const RadioGroup = component(ComponentType.RadioGroup, {
  custom_id: customId,
  options: list(option, { min: 2, max: 10 }),
  required,
});

const CheckboxGroup = component(ComponentType.CheckboxGroup, {
  ...several,
  options: list(option, { min: 1, max: 10 }),
});

const Checkbox = component(ComponentType.Checkbox, { custom_id: customId, default: z.boolean().exactOptional() });

const Label = component(ComponentType.Label, {
  label: requiredText(45),
  description: text({ min: 1, max: 100 }).exactOptional(),
  component: z.discriminatedUnion('type', [TextInput, ...SELECTS, FileUpload, RadioGroup, CheckboxGroup, Checkbox]),
});

/** The legacy form of a text field in a modal: in an action row. */
const Row = component(ComponentType.ActionRow, {
  components: list(z.discriminatedUnion('type', [TextInput]), { min: 1, max: 1 }),
});

/** interactions/receiving-and-responding, "Modal"; the fields: components/reference */
export const ModalForm = z
  .preprocess(
    withoutAnyNulls,
    z.object({
      custom_id: customId,
      title: requiredText(45),
      components: list(z.discriminatedUnion('type', [Row, Label, TextDisplay]), { min: 1, max: 5 }),
    }),
  )
  .transform((modal) => modal as unknown as APIModalInteractionResponseCallbackData);
