import { element } from './element.ts';

/** A group of switches in the panel; errors are shown below it. */
export class Controls {
  readonly #problem = element('p', { className: 'failed', role: 'alert' });
  readonly #onUse: () => void;

  /** @param onUse called whenever a switch of the group is used */
  constructor(onUse: () => void = () => {}) {
    this.#onUse = onUse;
  }

  /** Inserts the group into the page. */
  show(root: HTMLElement, ...parts: Node[]): void {
    root.append(...parts, this.#problem);
  }

  select(label: string, values: readonly (readonly [value: string, words: string])[], use: (value: string) => unknown) {
    const control = element('select', {}, ...values.map(([value, words]) => element('option', { value }, words)));
    this.#on(control, 'change', () => use(control.value));
    return { control, row: element('label', { className: 'switch' }, element('span', {}, label), control) };
  }

  /** A menu of values, each shown in its words or as it is. */
  oneOf<Value extends string>(
    label: string,
    values: readonly Value[],
    use: (value: Value | undefined) => unknown,
    words?: Readonly<Record<Value, string>>,
  ) {
    const rows = values.map((value) => [value, words?.[value] ?? value] as const);
    return this.select(label, rows, (chosen) => use(values.find((value) => value === chosen)));
  }

  tick(label: string, use: (checked: boolean) => unknown) {
    const control = element('input', { type: 'checkbox' });
    this.#on(control, 'change', () => use(control.checked));
    return { control, row: element('label', { className: 'tick' }, control, label) };
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
