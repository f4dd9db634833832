import { describe, expect, it } from 'vitest';
import { parseCallback } from '../../../sandbox/discord/callback-rules.ts';
import { withIds } from '../../../sandbox/discord/components.ts';
import { readMessage } from '../../../sandbox/discord/message-rules.ts';
import { leafCodes } from './leaf-codes.ts';

const button = (part: object = {}) => ({ type: 2, style: 1, label: 'A', custom_id: 'a', ...part });
const row = (...components: object[]) => ({ type: 1, components });
/** Rows of buttons, each with its own custom_id. */
const rows = (count: number, each: number) =>
  Array.from({ length: count }, (_, r) =>
    row(...Array.from({ length: each }, (_, c) => button({ custom_id: `${r} ${c}` }))),
  );
const options = (count: number, part: object = {}) =>
  Array.from({ length: count }, (_, index) => ({ label: 'A', value: `v${index}`, ...part }));
const select = (part: object = {}) => ({ type: 3, custom_id: 's', options: options(1), ...part });

const IN_ROW = 'components.0.components.0';
const TWICE = 'custom_id: COMPONENT_CUSTOM_ID_DUPLICATED';
const CUSTOM_ID_TWICE = `components.0.${TWICE}`;
const EXCLUSIVE = (fields: string) => `BUTTON_COMPONENT_${fields}_MUTUALLY_EXCLUSIVE`;
const VALUE_TWICE = 'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED';
const MIN_TOO_LARGE = 'SELECT_COMPONENT_MIN_VALUES_TOO_LARGE';

/** The leaf codes of the errors of a new message with these components. */
function mistakes(components: unknown): string[] {
  const body: unknown = JSON.parse(JSON.stringify({ components })); // removes undefined fields
  return leafCodes(() => readMessage(body));
}

// Other lengths, numbers and required fields are the specification's own.
// Sources: components/reference ("Action Row", "Button", "String Select", …, "Legacy Message Component Behavior").
// Codes as reported: COMPONENT_CUSTOM_ID_DUPLICATED (discord-api-docs#3673),
// COMPONENT_LAYOUT_WIDTH_EXCEEDED (#3395), BASE_TYPE_BAD_LENGTH of a row (TFNS/CTFNote#408); others are guesses.
describe('a message', () => {
  it.each<[string, object[], string]>([
    ['five rows of five buttons', rows(5, 5), 'ok'],
    ['six rows', rows(6, 1), 'components: BASE_TYPE_BAD_LENGTH'],
    ['a button without a row', [button()], 'components.0: UNION_TYPE_CHOICES'],
    [
      'a menu of members, which is not emulated',
      [row(select({ type: 5, options: undefined }))],
      `${IN_ROW}: NOT_EMULATED`,
    ],
    ['a text display, which is not emulated', [{ type: 10, content: 'x' }], 'components.0: NOT_EMULATED'],
    ['the same custom_id twice', [row(button()), row(button())], `components.1.${CUSTOM_ID_TWICE}`],
  ])('with %s', (_what, components, expected) => {
    expect(mistakes(components)).toEqual([expected]);
  });

  it.each<[string, object[], string]>([
    ['nothing', [], ': BASE_TYPE_BAD_LENGTH'],
    ['a row', [row(button())], '.0: UNION_TYPE_CHOICES'],
    ['the same id twice', [button({ id: 7 }), button({ id: 7, custom_id: 'b' })], '.1.id: COMPONENT_ID_DUPLICATED'],
    ['the id 0 twice', [button({ id: 0 }), button({ id: 0, custom_id: 'b' })], 'ok'],
    ['a menu and a button', [select(), button()], '.1: COMPONENT_LAYOUT_WIDTH_EXCEEDED'],
  ])('with a row of %s', (_what, components, expected) => {
    expect(mistakes([row(...components)])).toEqual([expected === 'ok' ? 'ok' : `components.0.components${expected}`]);
  });

  const url = 'https://x.test';
  it.each<[string, object, string]>([
    ['a button without custom_id', button({ custom_id: undefined }), 'custom_id: BUTTON_COMPONENT_CUSTOM_ID_REQUIRED'],
    ['a label of 81', button({ label: 'x'.repeat(81) }), 'label: BASE_TYPE_MAX_LENGTH'],
    ['a button with url', button({ url }), `url: ${EXCLUSIVE('CUSTOM_ID_URL')}`],
    ['a link', { type: 2, style: 5, label: 'A', url }, 'ok'],
    ['a link without url', { type: 2, style: 5, label: 'A' }, 'url: BUTTON_COMPONENT_URL_REQUIRED'],
    ['a link with custom_id', button({ style: 5, url }), `custom_id: ${EXCLUSIVE('URL_CUSTOM_ID')}`],
    ['a link to nowhere', { type: 2, style: 5, label: 'A', url: 'ftp://x.test' }, 'url: URL_TYPE_INVALID_SCHEME'],
    ['a premium button, which is not emulated', { type: 2, style: 6 }, 'style: NOT_EMULATED'],
    ['what only such a one has', button({ sku_id: '1' }), 'sku_id: NOT_EMULATED'],
    ['null for what is not there', button({ emoji: null, url: null, disabled: null }), 'ok'],
    ['an option value twice', select({ options: options(2, { value: 'v' }) }), `options.1.value: ${VALUE_TWICE}`],
    ['more at least than at most', select({ min_values: 3, max_values: 2 }), `min_values: ${MIN_TOO_LARGE}`],
  ])('with %s in a row', (_what, component, expected) => {
    expect(mistakes([row(component)])).toEqual([expected === 'ok' ? 'ok' : `${IN_ROW}.${expected}`]);
  });
});

it('numbers components without an id, and keeps given ids', () => {
  const components = [row(button({ id: 2 }), button({ custom_id: 'b', id: 0 })), row(select())];
  expect(withIds(components)).toMatchObject([
    { id: 1, components: [{ id: 2 }, { id: 3 }] },
    { id: 4, components: [{ id: 5 }] },
  ]);
});

// interactions/receiving-and-responding, "Modal"; components/reference, "Text Input" to "Checkbox"
describe('a modal', () => {
  const input = (part: object = {}) => ({ type: 4, custom_id: 'a', style: 1, ...part });
  const label = (component: object, part: object = {}) => ({ type: 18, label: 'A', component, ...part });
  const labels = (count: number) =>
    Array.from({ length: count }, (_, index) => label(input({ custom_id: `${index}` })));
  const modal = (part: object) => ({ custom_id: 'm', title: 'M', components: [label(input())], ...part });

  it.each<[string, object, string]>([
    ['as it should be', {}, 'ok'],
    ['with a button', { components: [label(button())] }, 'components.0.component: UNION_TYPE_CHOICES'],
    ['with a row, which is not emulated', { components: [row(input())] }, 'components.0: NOT_EMULATED'],
    ['with a custom_id twice', { components: [label(input()), label(input())] }, `components.1.component.${TWICE}`],
    ['with five labels', { components: labels(5) }, 'ok'],
    ['with six labels', { components: labels(6) }, 'components: BASE_TYPE_BAD_LENGTH'],
    ['with a menu, which is not emulated', { components: [label(select())] }, 'components.0.component: NOT_EMULATED'],
  ])('%s', (_what, part, expected) => {
    const body = { type: 9, data: modal(part) };
    const found = leafCodes(() => parseCallback(body, { type: 2, hasSource: false }));
    expect(found).toEqual([expected === 'ok' ? 'ok' : `data.${expected}`]);
  });
});
