import type { APITextInputComponent } from 'discord-api-types/v10';

import type { SubmittedModal } from './chat.ts';

/** Validates the text in a field as Discord's client does. @throws Error with a sentence. */
export function checkField(field: APITextInputComponent, text = ''): void {
  const { custom_id, required = true, min_length: min = 0, max_length: max = 4_000 } = field;
  if (text === '' && required) throw new Error(`The form needs the field "${custom_id}".`);
  if (text === '' || (text.length >= min && text.length <= max)) return;
  throw new Error(`The field "${custom_id}" must have ${min} to ${max} characters.`);
}

/** The components with the submitted values; interactions/receiving-and-responding, "Modal Submit Data Structure". */
export function filledIn(components: readonly unknown[], values: SubmittedModal['values']): object[] {
  return (components as Record<string, unknown>[]).map(({ type, id, components: inner, component, custom_id }) => ({
    type,
    ...(id !== undefined && { id }),
    ...(Array.isArray(inner) && { components: filledIn(inner, values) }),
    ...(component !== undefined && { component: filledIn([component], values)[0] }),
    ...(typeof custom_id === 'string' && { custom_id, value: values[custom_id] ?? '' }),
  }));
}
