import { element, linkTo } from './element.ts';

/** The fields of a component that this page uses; components/reference, "Component Structure". */
interface Component {
  type: number;
  custom_id?: string;
  label?: string;
  style?: number;
  disabled?: boolean;
  emoji?: { name?: string | null };
  url?: string;
  placeholder?: string;
  options?: readonly { label: string; value: string; description?: string; default?: boolean }[];
}

/** The actions of a reader on what stands below a message. */
export interface ActionsBelow {
  /** Called for a click on a button or, with values, a choice. */
  use(messageId: string, customId: string, values?: string[]): void;
  /** Called when a context menu command is picked. */
  pick(messageId: string, command: string): void;
}

type Use = (customId: string, values?: string[]) => void;

const BUTTON_STYLES = ['', 'primary', 'secondary', 'success', 'danger', 'link'];
const BUTTON = 2;

/** What stands below a message: its rows of buttons and select menus, and its context menu, if it has any of them. */
export function belowMessage(
  messageId: string,
  rows: readonly { components: readonly Component[] }[],
  menu: readonly string[],
  actions: ActionsBelow,
): HTMLElement[] {
  const use: Use = (customId, values) => actions.use(messageId, customId, values);
  const shown: HTMLElement[] = rows.map(({ components }) =>
    element(
      'div',
      { className: 'components' },
      ...components.map((component) => (component.type === BUTTON ? button(component, use) : select(component, use))),
    ),
  );
  if (menu.length > 0) shown.push(menuElement(menu, (command) => actions.pick(messageId, command)));
  return shown.length > 0 ? [element('div', { slot: 'components' }, ...shown)] : [];
}

function button({ custom_id, label, emoji, style = 2, url, disabled }: Component, use: Use): HTMLElement {
  const words = [emoji?.name, label].filter(Boolean).join(' ');
  if (url !== undefined && /^https?:/i.test(url)) return linkTo(url, words);
  const made = element(
    'button',
    { type: 'button', className: BUTTON_STYLES[style], disabled: disabled ?? false },
    words,
  );
  made.addEventListener('click', () => custom_id !== undefined && use(custom_id));
  return made;
}

/** A menu of which one value is chosen. */
function select(component: Component, use: Use): HTMLElement {
  const { custom_id = '', placeholder = 'Make a selection', disabled = false, options = [] } = component;
  const made = element('select', { ariaLabel: placeholder, disabled });
  made.append(element('option', { value: '', disabled: true, selected: true }, placeholder));
  for (const { label, value, description, default: selected = false } of options) {
    made.append(element('option', { value, selected }, description ? `${label} · ${description}` : label));
  }
  sendWhenChosen(made, () => use(custom_id, [made.value]));
  return made;
}

/** In a closed menu arrow keys and letters choose the values on the way, too, and Enter sends; otherwise it opens the list. */
function sendWhenChosen(menu: HTMLSelectElement, send: () => void): void {
  let isOnTheWay = false;
  menu.addEventListener('pointerdown', () => {
    isOnTheWay = false;
  });
  menu.addEventListener('keydown', (event) => {
    const opensList = ['Enter', ' '].includes(event.key) || event.altKey;
    const isSent = event.key === 'Enter' && isOnTheWay && menu.value !== '';
    isOnTheWay = !opensList;
    if (!isSent) return;
    event.preventDefault();
    send();
  });
  menu.addEventListener('change', () => {
    if (!isOnTheWay) send();
  });
}

function menuElement(menu: readonly string[], pick: (command: string) => void): HTMLElement {
  const made = element('details', { className: 'apps' }, element('summary', {}, 'Apps'));
  for (const command of menu) {
    const button = element('button', { type: 'button' }, command);
    button.addEventListener('click', () => {
      made.open = false;
      pick(command);
    });
    made.append(button);
  }
  made.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && made.contains(relatedTarget))) made.open = false;
  });
  return made;
}
