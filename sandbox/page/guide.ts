import type { ChatMessage } from '../discord/chat.ts';
import type { ShownGuide } from '../guide.ts';
import { press, pressStep } from './api.ts';
import { avatarOf } from './avatars.ts';
import { Controls } from './controls.ts';
import { element, section } from './element.ts';
import { type Panel, whenChanged } from './panel.ts';

const BEGIN = 'One minute: a button says what to watch, acts two seconds later, and then says below what happened.';

type ShownStep = ShownGuide['steps'][number];

/**
 * The guided minute: a button for each step, who asks in it, what to watch, and below it what happened. *Reset* is in the
 * channel's header.
 *
 * @param onPress called when a step begins
 */
export function guidePanel(root: HTMLElement, { onPress }: { onPress: (step: ShownStep) => void }): Panel {
  const controls = new Controls();
  const toWatch = element('p');
  const outcome = element('p', { className: 'good' });
  const lines = element('div', { role: 'status', tabIndex: 0 }, toWatch, outcome);
  const faces = element('div', { className: 'askers', ariaHidden: 'true' }); // the chat has them in words
  const buttons = new Map<string, HTMLElement>();
  const begin = ({ steps }: ShownGuide) => {
    for (const step of steps) {
      const { id, title, button: words, watch } = step;
      const button = controls.button('', title, () => {
        onPress(step);
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
    controls.insert(root, list, faces, lines);
  };
  const draw = whenChanged((guide: ShownGuide) => {
    if (buttons.size === 0) begin(guide);
    const { steps, current, happened, isResetting } = guide;
    for (const [id, button] of buttons) button.ariaCurrent = id === current ? 'step' : null;
    const watch = steps.find(({ id }) => id === current)?.watch;
    toWatch.textContent = isResetting ? 'Resetting the sandbox…' : (watch ?? BEGIN);
    outcome.textContent = happened ?? '';
    lines.scrollTop = happened === undefined ? 0 : outcome.offsetTop - lines.offsetTop; // where there is little room
  });
  const drawFaces = whenChanged((asked: ReturnType<typeof askersIn>) => {
    const faceOf = (name: string, reply: string) => element('img', { src: avatarOf(name), alt: '', className: reply });
    faces.replaceChildren(...asked.map(({ name, reply }) => element('span', {}, faceOf(name, reply))));
  });
  return ({ guide, messages }) => {
    if (!guide) return;
    draw(guide);
    drawFaces(askersIn(messages, guide.beganAtMs ?? Number.POSITIVE_INFINITY));
  };
}

/** Who has typed a command since a step began, and how each reply stands. */
function askersIn(messages: readonly ChatMessage[], sinceMs: number) {
  return messages
    .filter(({ trigger, typedAtMs }) => trigger === 'command' && typedAtMs >= sinceMs)
    .map(({ member: { name }, state, embeds }) => ({ name, reply: embeds.length > 0 ? 'card' : state }));
}
