import type { ShownCommand } from '../page-protocol.ts';
import { suggestCommands } from './command-line.ts';
import { element } from './element.ts';
import type { KnownCommands } from './known-commands.ts';
import { Suggestions } from './suggestions.ts';

export interface LineInputOptions {
  commands: KnownCommands;
  onInput(): void;
  onPick(command: ShownCommand): void;
}

/** The input line, with suggestions of commands that begin with the typed text. */
export class LineInput {
  readonly field = element('input', {
    className: 'line',
    title: 'Type / for commands',
    autocomplete: 'off',
    spellcheck: false,
  });
  readonly #options: LineInputOptions;
  readonly #suggestions: Suggestions<ShownCommand>;

  constructor(options: LineInputOptions) {
    this.#options = options;
    this.#suggestions = new Suggestions(this.field, {
      id: 'suggestions',
      label: 'Commands',
      content: commandRow,
      begins: 'with the first',
      picksWithEnter: (command) => !this.#isComplete(command),
      onPick: options.onPick,
    });
    this.field.addEventListener('input', () => {
      options.onInput();
      void this.#suggest();
    });
  }

  get list(): HTMLElement {
    return this.#suggestions.root;
  }

  set(text: string): void {
    this.field.value = text;
    this.#suggestions.show([]);
  }

  async #suggest(): Promise<void> {
    const { commands } = this.#options;
    const typed = this.field.value;
    // Synchronously, because Enter picks from this list and must not pick an outdated entry
    this.#suggestions.show(suggestCommands(typed, commands.last));
    if (!typed.startsWith('/')) return;
    const latest = await commands.refresh().catch(() => commands.last);
    // Meanwhile the text may have changed, or a command may have been picked
    const stale = typed !== this.field.value || this.field.hidden;
    if (!stale) this.#suggestions.show(suggestCommands(typed, latest));
  }

  /** A complete name without required options is sent at once. */
  #isComplete({ name, options }: ShownCommand): boolean {
    return this.field.value.toLowerCase() === `/${name}` && !options.some(({ required }) => required);
  }
}

function commandRow({ name, description, options }: ShownCommand): HTMLElement[] {
  const optionNames = options.map(({ name, required }) => (required ? name : `${name}?`)).join(' ');
  return [element('b', {}, `/${name}`), element('i', {}, optionNames), element('span', {}, description)];
}
