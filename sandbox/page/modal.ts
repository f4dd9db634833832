import type { Field, Modal } from '../discord/components.ts';
import { element } from './element.ts';

/** The form with which the bot answered. @param submit called with the values of the fields, by `custom_id` */
export function modalElement(
  { title, components }: Modal,
  submit: (values: Record<string, string>) => void,
): HTMLElement {
  const inputs = components.map(({ component }) => [component.custom_id, inputOf(component)] as const);
  const fields = components.map(({ label, description = '' }, index) =>
    element('label', { title: description }, element('span', {}, label), inputs[index]?.[1] ?? ''),
  );
  const send = element('button', { type: 'submit', className: 'send' }, 'Submit');
  const form = element('form', { className: 'modal', ariaLabel: title }, element('h2', {}, title), ...fields, send);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    submit(Object.fromEntries(inputs.map(([customId, { value }]) => [customId, value])));
  });
  return form;
}

const MANY_LINES = 2;

function inputOf({ style, value = '', placeholder = '', required = true, ...more }: Field['component']) {
  const input = element(style === MANY_LINES ? 'textarea' : 'input', { value, placeholder, required });
  if (more.min_length !== undefined) input.minLength = more.min_length;
  if (more.max_length !== undefined) input.maxLength = more.max_length;
  return input;
}
