import type { Snapshot } from '../page-protocol.ts';
import { press, pressStep } from './api.ts';
import { Controls } from './controls.ts';
import { element } from './element.ts';

const BEGIN = 'One minute, five buttons: press one, and this line says what to watch, then what happened.';

/** The guided minute: a button for each step, and a line that says what to watch and what happened. */
export class GuidePanel {
  readonly #root: HTMLElement;
  readonly #controls = new Controls();
  readonly #line = element('p', { role: 'status' });
  readonly #buttons = new Map<string, HTMLElement>();
  readonly #onPress: () => void;
  #drawn = '';

  /** @param onPress called when a step begins, which everyone in the first server sees */
  constructor(root: HTMLElement, { onPress }: { onPress: () => void }) {
    this.#root = root;
    this.#onPress = onPress;
  }

  show({ guide }: Snapshot): void {
    const wanted = JSON.stringify(guide);
    if (guide === undefined || wanted === this.#drawn) return;
    this.#drawn = wanted;
    if (this.#buttons.size === 0) this.#begin(guide);

    const { current, happened, isResetting } = guide;
    for (const [id, button] of this.#buttons) button.ariaCurrent = id === current ? 'step' : null;
    const step = guide.steps.find(({ id }) => id === current);
    const said = isResetting ? 'Resetting the sandbox…' : (happened ?? step?.watch ?? BEGIN);
    this.#line.textContent = said;
    this.#line.classList.toggle('good', happened !== undefined);
  }

  #begin({ steps }: NonNullable<Snapshot['guide']>): void {
    for (const { id, title, watch } of steps) {
      const button = this.#controls.button(title, title, () => {
        this.#onPress();
        return pressStep(id);
      });
      button.title = watch;
      this.#buttons.set(id, button);
    }
    const list = element('ol', {}, ...this.#buttons.values().map((button) => element('li', {}, button)));
    const reset = this.#controls.button('Reset sandbox', 'Reset sandbox', () => press('/api/reset'));
    this.#root.hidden = false;
    this.#controls.insert(this.#root, list, reset, this.#line);
  }
}
