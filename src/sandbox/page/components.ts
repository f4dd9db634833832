import { element, linkTo } from './element.ts';
import { markdown, type Reader } from './markdown-view.ts';

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
  min_values?: number;
  max_values?: number;
  options?: readonly { label: string; value: string; description?: string; default?: boolean }[];
  components?: readonly Component[];
  accessory?: Component;
  content?: string;
  items?: readonly { media: Media; description?: string | null }[];
  media?: Media;
  file?: Media;
}

interface Media {
  url: string;
  proxy_url?: string;
}

export interface ComponentsView {
  reader: Reader;
  members: readonly { id: string; name: string }[];
  /** Called for a click on a button or, with values, a choice. */
  use(customId: string, values?: string[]): void;
}

const BUTTON_STYLES = ['', 'primary', 'secondary', 'success', 'danger', 'link', 'premium'];
const USER_SELECT = 5;

/** The components of a message as elements; select menus only if they list options or members. */
export function componentNodes(components: readonly unknown[], view: ComponentsView): HTMLElement[] {
  return (components as readonly Component[]).flatMap((component) => node(component, view) ?? []);
}

function node(component: Component, view: ComponentsView): HTMLElement | undefined {
  const { type, components = [], accessory, content = '', items = [], media, file } = component;
  switch (type) {
    case 1: // action row
      return element('div', { className: 'components' }, ...componentNodes(components, view));
    case 2:
      return button(component, view);
    case 3: // string select
    case USER_SELECT:
    case 6: // role
    case 7: // mentionable
    case 8: // channel
      return select(component, view);
    case 9: // section
      return element('div', { className: 'section' }, ...componentNodes([...components, accessory ?? []].flat(), view));
    case 10: // text display
      return element('div', {}, markdown(content, view.reader));
    case 11: // thumbnail
      return media && picture(media, 'thumbnail');
    case 12: // media gallery
      return element(
        'div',
        { className: 'gallery' },
        ...items.map((item) => picture(item.media, item.description ?? '')),
      );
    case 13:
      return file && linkTo(file.url, file.url.split('/').at(-1) ?? 'file');
    case 14: // separator
      return element('hr');
    case 17: // container
      return element('div', { className: 'container' }, ...componentNodes(components, view));
    default:
      return element('span', { className: 'quiet' }, `(a component of type ${type}, which this page does not show)`);
  }
}

function picture({ url, proxy_url }: Media, alt: string): HTMLElement {
  return element('img', { src: proxy_url ?? url, alt });
}

function button({ custom_id, label, emoji, style = 2, url, disabled }: Component, view: ComponentsView): HTMLElement {
  const words = [emoji?.name, label].filter(Boolean).join(' ');
  if (url !== undefined && /^https?:/i.test(url)) return linkTo(url, words);
  const made = element(
    'button',
    { type: 'button', className: BUTTON_STYLES[style], disabled: disabled ?? false },
    words,
  );
  made.addEventListener('click', () => custom_id !== undefined && view.use(custom_id));
  return made;
}

/** A single value is sent when it is chosen, several when the menu loses focus. */
function select(component: Component, view: ComponentsView): HTMLElement {
  const { type, custom_id = '', placeholder = 'Make a selection', disabled, max_values = 1 } = component;
  const members = view.members.map(({ id, name }) => ({ label: name, value: id, description: '', default: false }));
  const options = type === USER_SELECT ? members : (component.options ?? []);
  const made = element('select', { ariaLabel: placeholder, disabled: (disabled ?? false) || options.length === 0 });
  made.multiple = max_values > 1;
  if (!made.multiple) made.append(element('option', { value: '', disabled: true, selected: true }, placeholder));
  for (const { label, value, description, default: selected = false } of options) {
    made.append(element('option', { value, selected }, description ? `${label} · ${description}` : label));
  }
  const values = () => Array.from(made.selectedOptions, ({ value }) => value);
  const send = () => view.use(custom_id, values());
  if (made.multiple) made.addEventListener('blur', send);
  else sendWhenChosen(made, send);
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
