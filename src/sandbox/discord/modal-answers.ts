import { type APIComponentInLabel, type APISelectMenuComponent, ComponentType } from 'discord-api-types/v10';

import type { SubmittedModal } from './chat.ts';
import type { Resolvable } from './resolvable.ts';
import { checkValues } from './select-values.ts';

/** Validates the values of a field as Discord's client does. @throws Error with a sentence. */
export function checkField(
  field: APIComponentInLabel,
  given: string | readonly string[] = [],
  known: Resolvable,
): void {
  const values = listed(given);
  const isRequired = 'required' in field ? (field.required ?? true) : field.type !== ComponentType.Checkbox;
  if (values.length === 0 && isRequired) throw new Error(`The form needs the field "${field.custom_id}".`);
  if (values.length === 0) return;
  if (isSelect(field)) checkValues(field, values, known);
  const problem = isSelect(field) ? undefined : misfit(field, values);
  if (problem !== undefined) throw new Error(`The field "${field.custom_id}" ${problem}.`);
}

function misfit(
  field: Exclude<APIComponentInLabel, APISelectMenuComponent>,
  values: readonly string[],
): string | undefined {
  if (field.type === ComponentType.FileUpload) return 'takes files, which cannot be sent here';
  if (field.type === ComponentType.Checkbox) return undefined;
  if (field.type === ComponentType.TextInput) {
    const { min_length: min = 0, max_length: max = 4_000 } = field;
    const length = values.join('').length;
    return length < min || length > max ? `must have ${min} to ${max} characters` : undefined;
  }
  const notOffered = values.find((value) => !field.options.some((option) => option.value === value));
  return notOffered === undefined ? undefined : `does not offer "${notOffered}"`;
}

export function isSelect(field: APIComponentInLabel): field is APISelectMenuComponent {
  return field.type === ComponentType.StringSelect || (field.type >= 5 && field.type <= 8);
}

/** An empty text is no value. */
export function listed(given: string | readonly string[] = []): readonly string[] {
  if (typeof given !== 'string') return given;
  return given === '' ? [] : [given];
}

/** The components with the submitted values; interactions/receiving-and-responding, "Modal Submit Data Structure". */
export function filledIn(components: readonly unknown[], values: SubmittedModal['values']): object[] {
  return (components as Record<string, unknown>[]).map(({ type, id, components: inner, component, custom_id }) => ({
    type,
    ...(id !== undefined && { id }),
    ...(Array.isArray(inner) && { components: filledIn(inner, values) }),
    ...(component !== undefined && { component: filledIn([component], values)[0] }),
    ...(typeof custom_id === 'string' && { custom_id, ...answerOf(type as ComponentType, listed(values[custom_id])) }),
  }));
}

// components/reference, the tables "Interaction Response Structure"
function answerOf(type: ComponentType, [value, ...others]: readonly string[]): object {
  if (type === ComponentType.TextInput) return { value: value ?? '' };
  if (type === ComponentType.RadioGroup) return { value: value ?? null };
  if (type === ComponentType.Checkbox) return { value: value === 'true' };
  return { values: value === undefined ? [] : [value, ...others] };
}
