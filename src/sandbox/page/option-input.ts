import type { ShownCard, ShownOption } from '../page-protocol.ts';
import { element } from './element.ts';

export interface OptionInput {
  name: string;
  root: HTMLElement;
  field: HTMLInputElement | HTMLSelectElement;
}

/** The labelled field of one option in the command form. */
export function optionInput(option: ShownOption, text: string, cards: readonly ShownCard[]): OptionInput {
  const field = fieldOf(option, text, cards);
  field.title = option.description;
  field.required = option.required;
  const label = element('label', { className: 'option' }, element('span', {}, option.name), field);
  if (field instanceof HTMLInputElement && field.list === null && option.name === 'id') {
    const list = element('datalist', { id: 'sample-ids' });
    list.append(...cards.map(({ id, name, game }) => element('option', { value: id }, `${name} · ${game}`)));
    label.append(list);
  }
  return { name: option.name, root: label, field };
}

function fieldOf(option: ShownOption, text: string, cards: readonly ShownCard[]): OptionInput['field'] {
  const choices = option.kind === 'boolean' ? ['True', 'False'] : option.choices.map(({ name }) => name);
  if (choices.length > 0) {
    const select = element('select', {}, ...choices.map((choice) => element('option', { value: choice }, choice)));
    select.value = choices.find((choice) => choice.toLowerCase() === text.toLowerCase()) ?? choices[0] ?? '';
    return select;
  }
  const input = element('input', { value: text, autocomplete: 'off', spellcheck: false, placeholder: hint(option) });
  if (option.kind === 'string' && option.max !== undefined) input.maxLength = option.max;
  if (option.kind !== 'string') input.inputMode = 'numeric';
  if (option.name === 'id' && cards.length > 0) input.setAttribute('list', 'sample-ids');
  return input;
}

function hint({ description }: ShownOption): string {
  return description.length > 40 ? `${description.slice(0, 39)}…` : description;
}
