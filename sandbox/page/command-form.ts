import type { Choice } from '../discord/chat.ts';
import type { CommandOption } from '../discord/command-option-rules.ts';
import type { ShownCommand } from '../page-protocol.ts';
import { element } from './element.ts';
import { type OptionInput, optionInput } from './option-input.ts';

export interface CommandFormOptions {
  command: ShownCommand;
  /** Initial values, by option. */
  texts: Record<string, string>;
  /** The bot's suggestions for an option, given the texts of all fields. */
  suggest(focused: string): Promise<readonly Choice[]>;
  /** Escape, or Backspace in the empty first field. */
  onLeave(): void;
}

/** A picked command: a field for each required option; the others can be added. */
export class CommandForm {
  readonly root = element('div', { className: 'command-form', role: 'group' });
  readonly command: ShownCommand;
  readonly #suggest: CommandFormOptions['suggest'];
  readonly #inputs: OptionInput[] = [];
  readonly #adders = element('span', { className: 'adders' });

  constructor({ command, texts, suggest, onLeave }: CommandFormOptions) {
    this.command = command;
    this.#suggest = suggest;
    this.root.ariaLabel = `/${command.name}: ${command.description}`;
    this.root.append(element('b', { className: 'command-name' }, `/${command.name}`), this.#adders);
    for (const option of command.options) {
      const text = texts[option.name];
      if (option.required || text !== undefined) this.#add(option, text ?? '');
      else this.#adders.append(this.#adder(option));
    }
    this.root.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' || (event.key === 'Backspace' && this.#isEmptyStart(event.target))) {
        event.preventDefault();
        onLeave();
      }
    });
  }

  /** The texts of the fields, by option. */
  get texts(): Record<string, string> {
    return Object.fromEntries(this.#inputs.map(({ name, text }) => [name, text()]));
  }

  /** The first incomplete field, otherwise the first one. */
  focus(): boolean {
    const wanting = this.#inputs.find(({ field }) => field.required && field.value === '') ?? this.#inputs[0];
    wanting?.field.focus();
    return wanting !== undefined;
  }

  #add(option: CommandOption, text: string): OptionInput {
    const input = optionInput(option, text, {
      suggest: () => this.#suggest(option.name),
      onPicked: () => this.#goOn(input),
    });
    this.#inputs.push(input);
    this.#adders.before(input.root);
    return input;
  }

  /** After the last field the focus stays, so that Enter sends. */
  #goOn(from: OptionInput): void {
    this.#inputs[this.#inputs.indexOf(from) + 1]?.field.focus();
  }

  #adder(option: CommandOption): HTMLElement {
    const button = element('button', { type: 'button', title: option.description }, `+ ${option.name}`);
    button.addEventListener('click', () => {
      button.remove();
      this.#add(option, '').field.focus();
    });
    return button;
  }

  #isEmptyStart(target: EventTarget | null): boolean {
    const first = this.#inputs[0]?.field;
    return target === first && first instanceof HTMLInputElement && first.value === '';
  }
}
