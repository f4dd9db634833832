import {
  type APIButtonComponent,
  type APIStringSelectComponent,
  ButtonStyle,
  ComponentType,
} from 'discord-api-types/v10';

import { everyComponent, type Row } from './components.ts';
import { type Mistake, notEmulated, otherScheme, when, within } from './forms.ts';

const MOST_ROWS = 5; // components/reference, "Legacy Message Component Behavior"
const TOO_MANY = `Must be between 1 and ${MOST_ROWS} in length.`;

/** Kinds of components, at any depth, that are not among these; and premium buttons. */
export function kindMistakes(components: readonly unknown[], emulated: readonly ComponentType[]): Mistake[] {
  return everyComponent(components)
    .toArray()
    .flatMap(({ component, path }) => {
      const { type, style, sku_id } = component as { type: ComponentType; style?: ButtonStyle; sku_id?: string };
      return [
        ...notEmulated(!emulated.includes(type), path),
        ...notEmulated(style === ButtonStyle.Premium, [...path, 'style']),
        ...notEmulated(sku_id !== undefined, [...path, 'sku_id']),
      ];
    });
}

/** What the specification does not say of the components of a message. */
export function componentMistakes(rows: readonly Row[]): Mistake[] {
  return [
    ...when(rows.length > MOST_ROWS, [], 'BASE_TYPE_BAD_LENGTH', TOO_MANY),
    ...rows.flatMap(({ components }, index) => within([index, 'components'], mistakesInRow(components))),
    ...repeatedIds(rows),
  ];
}

/** components/reference, "Action Row"; the code as reported: discord-api-docs#3395 */
function mistakesInRow(components: Row['components']): Mistake[] {
  const isTooWide = components.length > 1 && components.some(({ type }) => type === ComponentType.StringSelect);
  return [
    ...when(isTooWide, [1], 'COMPONENT_LAYOUT_WIDTH_EXCEEDED', 'The specified component exceeds the maximum width'),
    ...components.flatMap((each, index) =>
      within([index], each.type === ComponentType.Button ? mistakesInButton(each) : mistakesInMenu(each)),
    ),
  ];
}

/** components/reference, "Button Structure". The messages are as reported, the codes are guesses. */
function mistakesInButton(button: APIButtonComponent): Mistake[] {
  const { custom_id, url } = button as { custom_id?: string; url?: string };
  const common = otherScheme(['url'], url, ['http', 'https', 'discord']);
  if (button.style === ButtonStyle.Link) {
    const both = ['BUTTON_COMPONENT_URL_CUSTOM_ID_MUTUALLY_EXCLUSIVE', 'A url and custom id cannot both be specified'];
    return [
      ...common,
      ...when(url === undefined, ['url'], 'BUTTON_COMPONENT_URL_REQUIRED', 'A url is required'),
      ...when(custom_id !== undefined, ['custom_id'], ...(both as [string, string])),
    ];
  }
  const both = ['BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE', 'A custom id and url cannot both be specified'];
  return [
    ...common,
    ...when(custom_id === undefined, ['custom_id'], 'BUTTON_COMPONENT_CUSTOM_ID_REQUIRED', 'A custom id is required'),
    ...when(url !== undefined, ['url'], ...(both as [string, string])),
  ];
}

/** components/reference, "String Select". The codes are guesses. */
function mistakesInMenu({ options, min_values = 1, max_values = 1 }: APIStringSelectComponent): Mistake[] {
  const values = options.map(({ value }) => value);
  const again = values.findIndex((value, index) => values.indexOf(value) < index);
  const [used, range] = ['The specified option value is already used', 'The minimum is larger than the maximum.'];
  return [
    ...when(again !== -1, ['options', again, 'value'], 'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED', used),
    ...when(min_values > max_values, ['min_values'], 'SELECT_COMPONENT_MIN_VALUES_TOO_LARGE', range),
  ];
}

/** The ids of the components of a message or a form must be unique. The first code as reported: discord-api-docs#3673. */
export function repeatedIds(components: readonly unknown[]): Mistake[] {
  const placed = [...everyComponent(components)];
  return (['custom_id', 'id'] as const).flatMap((key) => {
    const ids = placed.map(({ component }) => component[key]);
    const [code, name] = key === 'id' ? ['COMPONENT_ID', 'id'] : ['COMPONENT_CUSTOM_ID', 'custom id'];
    return placed.flatMap(({ path }, index) => {
      const isUsed = Boolean(ids[index]) && ids.indexOf(ids[index]) < index; // 0 means no id
      return when(isUsed, [...path, key], `${code}_DUPLICATED`, `Component ${name} was already specified`);
    });
  });
}
