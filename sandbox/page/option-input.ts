import type { CommandOption } from '../discord/command-option-rules.ts';
import { ChoiceInput, type ChoiceInputOptions } from './choice-input.ts';
import { element } from './element.ts';
import { BOOLEAN, menuOf, TEXT } from './option-value.ts';

export interface OptionInput {
  name: string;
  root: HTMLElement;
  field: HTMLInputElement | HTMLSelectElement;
  /** The value to send. */
  text(): string;
}

/** The labelled field of one option in the command form. */
export function optionInput(option: CommandOption, text: string, suggestions: ChoiceInputOptions): OptionInput {
  const { name, autocomplete } = option;
  const field = fieldOf(option, text);
  field.title = option.description;
  field.required = option.required === true;
  const label = element('label', { className: 'option' }, element('span', {}, name), field);
  if (!autocomplete || !(field instanceof HTMLInputElement))
    return { name, root: label, field, text: () => field.value };
  const choices = new ChoiceInput(field, name, suggestions);
  return { name, field, root: element('div', {}, label, choices.list), text: () => choices.text };
}

function fieldOf(option: CommandOption, text: string): OptionInput['field'] {
  if (option.type === BOOLEAN) {
    const choices = menuOf(option);
    const select = element('select', {}, ...choices.map((choice) => element('option', { value: choice }, choice)));
    select.value = choices.find((choice) => choice.toLowerCase() === text.toLowerCase()) ?? choices[0] ?? '';
    return select;
  }
  const input = element('input', { value: text, autocomplete: 'off', spellcheck: false });
  if (option.max_length !== undefined) input.maxLength = option.max_length;
  if (option.type !== TEXT) input.inputMode = 'numeric';
  return input;
}
