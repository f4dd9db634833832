import { element } from './element.ts';

/** The fields of a form's component that this page uses; components/reference. */
interface Field {
  custom_id?: string;
  label?: string | null;
  description?: string;
  /** 2 = more than one line. */
  style?: number;
  value?: string;
  placeholder?: string;
  required?: boolean;
  min_length?: number;
  max_length?: number;
  components?: readonly Field[];
  component?: Field;
}

export interface ModalView {
  title: string;
  components: readonly unknown[];
  /** Called with the values of the fields, by `custom_id`. */
  submit(values: Record<string, string>): void;
}

/** The form with which the bot answered. */
export function modalElement({ title, components, submit }: ModalView): HTMLElement {
  const values = new Map<string, () => string>();
  const fields = (components as readonly Field[]).map((field) => fieldElement(field, field.label ?? '', values));
  const send = element('button', { type: 'submit', className: 'send' }, 'Submit');
  const form = element('form', { className: 'modal', ariaLabel: title }, element('h2', {}, title), ...fields, send);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    submit(Object.fromEntries(Array.from(values, ([customId, value]) => [customId, value()])));
  });
  return form;
}

/** A text field, or what is around it: a label, or a row. */
function fieldElement(field: Field, label: string, values: Map<string, () => string>): HTMLElement {
  const { custom_id = '', components, component, description } = field;
  const [inner = component] = components ?? [];
  if (inner) return fieldElement(inner, field.label ?? inner.label ?? label, values);
  const input = inputOf(field);
  values.set(custom_id, () => input.value);
  return element('label', { title: description ?? '' }, element('span', {}, label), input);
}

function inputOf({ style, value = '', placeholder = '', required = true, ...more }: Field) {
  const input = element(style === 2 ? 'textarea' : 'input', { value, placeholder, required });
  if (more.min_length !== undefined) input.minLength = more.min_length;
  if (more.max_length !== undefined) input.maxLength = more.max_length;
  return input;
}
