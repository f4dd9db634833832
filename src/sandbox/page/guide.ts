import type { ShownGuide } from '../guide.ts';
import { press, pressStep } from './api.ts';
import { Controls } from './controls.ts';
import { element } from './element.ts';
import { type Panel, whenChanged } from './panel.ts';

const BEGIN = 'One minute: press a button, and this line says what to watch, then what happened.';

/**
 * The guided minute: a button for each step, and a line that says what to watch and what happened.
 *
 * @param onPress called when a step begins, which everyone in the first server sees
 */
export function guidePanel(root: HTMLElement, { onPress }: { onPress: () => void }): Panel {
  const controls = new Controls();
  const line = element('p', { role: 'status' });
  const buttons = new Map<string, HTMLElement>();
  const begin = ({ steps }: ShownGuide) => {
    for (const { id, title, watch } of steps) {
      const button = controls.button(title, title, () => {
        onPress();
        return pressStep(id);
      });
      button.title = watch;
      buttons.set(id, button);
    }
    const list = element('ol', {}, ...buttons.values().map((button) => element('li', {}, button)));
    const reset = controls.button('Reset sandbox', 'Reset sandbox', () => press('/api/reset'));
    root.hidden = false;
    controls.insert(root, list, reset, line);
  };
  const draw = whenChanged((guide: ShownGuide) => {
    if (buttons.size === 0) begin(guide);
    const { steps, current, happened, isResetting } = guide;
    for (const [id, button] of buttons) button.ariaCurrent = id === current ? 'step' : null;
    const watch = steps.find(({ id }) => id === current)?.watch;
    line.textContent = isResetting ? 'Resetting the sandbox…' : (happened ?? watch ?? BEGIN);
    line.classList.toggle('good', happened !== undefined);
  });
  return ({ guide }) => guide && draw(guide);
}
