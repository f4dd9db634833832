import type { ShownCommand } from '../page-protocol.ts';
import { element } from './element.ts';

/** The list of commands above the composer: the listbox of its combobox, so focus stays in the line. */
export class Suggestions {
  readonly root = element('ul', {
    id: 'suggestions',
    className: 'suggestions',
    role: 'listbox',
    ariaLabel: 'Commands',
    hidden: true,
  });
  readonly #line: HTMLInputElement;
  readonly #onPick: (command: ShownCommand) => void;
  #commands: readonly ShownCommand[] = [];
  #active = 0;

  constructor(line: HTMLInputElement, { onPick }: { onPick: (command: ShownCommand) => void }) {
    this.#line = line;
    this.#onPick = onPick;
    line.role = 'combobox';
    line.ariaAutoComplete = 'list';
    line.setAttribute('aria-controls', this.root.id);
    this.#draw();
  }

  /** The one that Enter would pick; `undefined` while the list is closed. */
  get active(): ShownCommand | undefined {
    return this.#commands[this.#active];
  }

  /** The same commands again leave the choice where it is. */
  show(commands: readonly ShownCommand[]): void {
    if (JSON.stringify(commands) === JSON.stringify(this.#commands)) return;
    this.#commands = commands;
    this.#active = 0;
    this.#draw();
  }

  /** Moves by one and around the ends. */
  move(by: 1 | -1): void {
    const count = this.#commands.length;
    this.#active = (this.#active + by + count) % count;
    this.#draw();
  }

  #draw(): void {
    const items = this.#commands.map((command, index) => this.#item(command, index));
    this.root.replaceChildren(...items);
    this.root.hidden = items.length === 0;
    this.#line.ariaExpanded = String(items.length > 0);

    const active = items[this.#active];
    if (active === undefined) {
      this.#line.removeAttribute('aria-activedescendant');
    } else {
      this.#line.setAttribute('aria-activedescendant', active.id);
      active.scrollIntoView({ block: 'nearest' });
    }
  }

  #item(command: ShownCommand, index: number): HTMLElement {
    const options = command.options.map(({ name, required }) => (required ? name : `${name}?`)).join(' ');
    const item = element(
      'li',
      { id: `suggestion-${index}`, role: 'option', ariaSelected: String(index === this.#active) },
      element('b', {}, `/${command.name}`),
      element('i', {}, options),
      element('span', {}, command.description),
    );
    // Not on click: the line must not lose its focus
    item.addEventListener('mousedown', (event) => {
      event.preventDefault();
      this.#onPick(command);
    });
    return item;
  }
}
