import type { ShownCard, ShownChoice, ShownOption } from '../page-protocol.ts';
import { ChoiceInput } from './choice-input.ts';
import { element } from './element.ts';

export interface OptionInput {
  name: string;
  root: HTMLElement;
  field: HTMLInputElement | HTMLSelectElement;
  /** The value to send. */
  text(): string;
}

export interface OptionHelp {
  /** Suggested for an id. */
  cards: readonly ShownCard[];
  /** The bot's suggestions for this option. */
  suggest(): Promise<readonly ShownChoice[]>;
}

/** The labelled field of one option in the command form. */
export function optionInput(option: ShownOption, text: string, { cards, suggest }: OptionHelp): OptionInput {
  const { name, autocomplete } = option;
  const offered = name === 'id' && !autocomplete ? cards : [];
  const field = fieldOf(option, text, offered);
  field.title = option.description;
  field.required = option.required;
  const label = element('label', { className: 'option' }, element('span', {}, name), field);
  if (autocomplete && field instanceof HTMLInputElement) {
    const choices = new ChoiceInput(field, name, suggest);
    return { name, field, root: element('div', {}, label, choices.list), text: () => choices.text };
  }
  if (field instanceof HTMLInputElement && offered.length > 0) {
    const list = element('datalist', { id: 'sample-ids' });
    list.append(...offered.map(({ id, name, game }) => element('option', { value: id }, `${name} · ${game}`)));
    label.append(list);
  }
  return { name, root: label, field, text: () => field.value };
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
  if (cards.length > 0) input.setAttribute('list', 'sample-ids');
  return input;
}

function hint({ description }: ShownOption): string {
  return description.length > 40 ? `${description.slice(0, 39)}…` : description;
}
