import type { CardServiceSwitches } from '../card-service-controls.ts';
import type { ChangeSwitches } from '../page-protocol.ts';
import { changeSwitches } from './api.ts';
import { element } from './element.ts';

/** A group of controls in the panel; errors are shown below it. */
export class Controls {
  readonly #problem = element('p', { className: 'failed', role: 'alert' });
  readonly #shows: ((switches: CardServiceSwitches) => void)[] = [];
  readonly #onUse: () => void;

  /** @param onUse called whenever a control of the group is used */
  constructor(onUse: () => void = () => {}) {
    this.#onUse = onUse;
  }

  /** Inserts the group into the page. */
  insert(root: HTMLElement, ...parts: Node[]): void {
    root.append(...parts, this.#problem);
  }

  /** Shows how the switches of the card service are. */
  show(switches: CardServiceSwitches): void {
    for (const show of this.#shows) show(switches);
  }

  /** A menu of changes to the switches, in words; it shows those that are made. */
  menu(label: string, rows: readonly (readonly [words: string, changes: ChangeSwitches])[]): HTMLElement {
    const control = element('select', {}, ...rows.map(([words]) => element('option', { value: words }, words)));
    this.#on(control, 'change', () => changeSwitches(rows[control.selectedIndex]?.[1] ?? {}));
    this.#shows.push((switches) => {
      control.selectedIndex = rows.findIndex(([, changes]) => areMade(changes, switches));
    });
    return element('label', { className: 'switch' }, element('span', {}, label), control);
  }

  tick(label: string, on: ChangeSwitches, off: ChangeSwitches): HTMLElement {
    const control = element('input', { type: 'checkbox' });
    this.#on(control, 'change', () => changeSwitches(control.checked ? on : off));
    this.#shows.push((switches) => {
      control.checked = !areMade(off, switches);
    });
    return element('label', { className: 'tick' }, control, label);
  }

  /** @param label the accessible name */
  button(words: string, label: string, use: () => unknown): HTMLElement {
    const button = element('button', { type: 'button', ariaLabel: label, title: label }, words);
    this.#on(button, 'click', use);
    return button;
  }

  #on(control: HTMLElement, event: 'change' | 'click', use: () => unknown): void {
    control.addEventListener(event, async () => {
      this.#problem.textContent = '';
      this.#onUse();
      try {
        await use();
      } catch (error) {
        this.#problem.textContent = error instanceof Error ? error.message : String(error);
      }
    });
  }
}

export function row(label: Node | string, ...buttons: HTMLElement[]): HTMLElement {
  return element('div', { className: 'switch' }, element('span', {}, label), ...buttons);
}

function areMade(changes: ChangeSwitches, switches: CardServiceSwitches): boolean {
  return Object.entries(changes).every(([name, value]) => switches[name as keyof ChangeSwitches] === value);
}
