import type { ShownOption } from '../page-protocol.ts';
import { ChoiceInput, type ChoiceInputOptions } from './choice-input.ts';
import { element } from './element.ts';
import { menuOf } from './option-value.ts';

export interface OptionInput {
  name: string;
  root: HTMLElement;
  field: HTMLInputElement | HTMLSelectElement;
  /** The value to send. */
  text(): string;
}

/** The labelled field of one option in the command form. */
export function optionInput(option: ShownOption, text: string, suggestions: ChoiceInputOptions): OptionInput {
  const { name, autocomplete } = option;
  const field = fieldOf(option, text);
  field.title = option.description;
  field.required = option.required;
  const label = element('label', { className: 'option' }, element('span', {}, name), field);
  if (!autocomplete || !(field instanceof HTMLInputElement))
    return { name, root: label, field, text: () => field.value };
  const choices = new ChoiceInput(field, name, suggestions);
  return { name, field, root: element('div', {}, label, choices.list), text: () => choices.text };
}

function fieldOf(option: ShownOption, text: string): OptionInput['field'] {
  const choices = menuOf(option);
  if (choices.length > 0) {
    const select = element('select', {}, ...choices.map((choice) => element('option', { value: choice }, choice)));
    select.value = choices.find((choice) => choice.toLowerCase() === text.toLowerCase()) ?? choices[0] ?? '';
    return select;
  }
  const input = element('input', { value: text, autocomplete: 'off', spellcheck: false });
  if (option.kind === 'string' && option.max !== undefined) input.maxLength = option.max;
  if (option.kind !== 'string') input.inputMode = 'numeric';
  return input;
}
