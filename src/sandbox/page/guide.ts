import type { ShownGuide } from '../guide.ts';
import { press, pressStep } from './api.ts';
import { Controls } from './controls.ts';
import { element, section } from './element.ts';
import { type Panel, whenChanged } from './panel.ts';

const BEGIN =
  'One minute: press a button, and it says what to watch, two seconds later it acts, and then what happened is written below.';

/**
 * The guided minute: a button for each step, what to watch, and below it what happened. *Reset* is in the channel's header.
 *
 * @param onPress called when a step begins, which everyone in the first server sees
 */
export function guidePanel(root: HTMLElement, { onPress }: { onPress: () => void }): Panel {
  const controls = new Controls();
  const toWatch = element('p');
  const outcome = element('p', { className: 'good' });
  const lines = element('div', { role: 'status' }, toWatch, outcome);
  const buttons = new Map<string, HTMLElement>();
  const begin = ({ steps }: ShownGuide) => {
    for (const { id, title, button: words, watch } of steps) {
      const button = controls.button('', title, () => {
        onPress();
        return pressStep(id);
      });
      button.title = watch;
      button.append(element('span', {}, words));
      buttons.set(id, button);
    }
    const list = element('ol', {}, ...buttons.values().map((button) => element('li', {}, button)));
    const reset = controls.button('Reset', 'Reset sandbox', () => press('/api/reset'));
    root.hidden = false;
    section('reset').append(reset);
    controls.insert(root, list, lines);
  };
  const draw = whenChanged((guide: ShownGuide) => {
    if (buttons.size === 0) begin(guide);
    const { steps, current, happened, isResetting } = guide;
    for (const [id, button] of buttons) button.ariaCurrent = id === current ? 'step' : null;
    const watch = steps.find(({ id }) => id === current)?.watch;
    toWatch.textContent = isResetting ? 'Resetting the sandbox…' : (watch ?? BEGIN);
    outcome.textContent = happened ?? '';
  });
  return ({ guide }) => guide && draw(guide);
}
