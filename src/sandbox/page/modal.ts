import { element } from './element.ts';
import { markdown, type Reader } from './markdown-view.ts';

/** The fields of a form's component that this page uses; components/reference. */
interface Field {
  type: number;
  custom_id?: string;
  label?: string | null;
  description?: string;
  content?: string;
  /** 2 = more than one line. */
  style?: number;
  value?: string;
  placeholder?: string;
  required?: boolean;
  min_length?: number;
  max_length?: number;
  options?: readonly { label: string; value: string; default?: boolean }[];
  components?: readonly Field[];
  component?: Field;
}

export interface ModalView {
  title: string;
  components: readonly unknown[];
  reader: Reader;
  /** Called with the values of the fields, by `custom_id`. */
  submit(values: Record<string, string>): void;
}

/** The form with which the bot answered: text fields, and menus that list options. */
export function modalElement({ title, components, reader, submit }: ModalView): HTMLElement {
  const values = new Map<string, () => string>();
  const fields = (components as readonly Field[]).map((field) =>
    fieldElement(field, field.label ?? '', reader, values),
  );
  const send = element('button', { type: 'submit', className: 'send' }, 'Submit');
  const form = element('form', { className: 'modal', ariaLabel: title }, element('h2', {}, title), ...fields, send);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    submit(Object.fromEntries(Array.from(values, ([customId, value]) => [customId, value()])));
  });
  return form;
}

function fieldElement(field: Field, label: string, reader: Reader, values: Map<string, () => string>): HTMLElement {
  const { custom_id, content, components, component, description } = field;
  if (content !== undefined) return element('div', {}, markdown(content, reader));
  const [inner = component] = components ?? [];
  if (inner) return fieldElement(inner, field.label ?? inner.label ?? label, reader, values);
  if (custom_id === undefined) return element('div');
  const input = inputOf(field);
  if (!input) return element('p', { className: 'quiet' }, `${label} (a field that this page does not show)`);
  values.set(custom_id, () => input.value);
  return element('label', { title: description ?? '' }, element('span', {}, label), input);
}

function inputOf({ type, style, value = '', placeholder = '', required = true, ...more }: Field) {
  if (more.options) {
    const options = more.options.map(({ label, value, default: selected = false }) =>
      element('option', { value, selected }, label),
    );
    return element('select', { required }, ...options);
  }
  if (type !== 4) return undefined;
  const input = element(style === 2 ? 'textarea' : 'input', { value, placeholder, required });
  if (more.min_length !== undefined) input.minLength = more.min_length;
  if (more.max_length !== undefined) input.maxLength = more.max_length;
  return input;
}
