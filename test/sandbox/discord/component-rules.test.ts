import { describe, expect, it } from 'vitest';
import { parseCallback } from '../../../src/sandbox/discord/callback-rules.ts';
import { withIds } from '../../../src/sandbox/discord/components.ts';
import { parseForm } from '../../../src/sandbox/discord/form-error.ts';
import { EMPTY_REPLY, edited, MessageForm, refuseUnfit } from '../../../src/sandbox/discord/message-rules.ts';
import { leafCodes } from './leaf-codes.ts';

const long = (length: number) => 'x'.repeat(length);
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
const users = (part: object = {}) => ({ type: 5, custom_id: 's', ...part });
const defaults = (...types: string[]) => types.map((type, index) => ({ id: `${index + 1}`, type }));
const text = (content = 'x') => ({ type: 10, content });
const texts = (count: number, content = 'x') => Array.from({ length: count }, () => text(content));
const picture = (url = 'https://x.test/a.png') => ({ media: { url } });

const TWICE = 'custom_id: COMPONENT_CUSTOM_ID_DUPLICATED';
const CUSTOM_ID_TWICE = `components.0.${TWICE}`;
const EXCLUSIVE = (fields: string) => `BUTTON_COMPONENT_${fields}_MUTUALLY_EXCLUSIVE`;
const VALUE_TWICE = 'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED';
const MIN_TOO_LARGE = 'SELECT_COMPONENT_MIN_VALUES_TOO_LARGE';
const BAD_DEFAULTS = 'SELECT_COMPONENT_INVALID_DEFAULT_VALUES';
const SCHEME = 'url: URL_TYPE_INVALID_SCHEME';

/** The leaf codes of the errors of a new message with these components. */
function mistakes(components: unknown, form: object = {}): string[] {
  const body: unknown = JSON.parse(JSON.stringify({ components, ...form })); // removes undefined fields
  return leafCodes(() => refuseUnfit(edited(EMPTY_REPLY, parseForm(MessageForm, body), [])));
}

// Lengths, numbers and required fields: specification.test.ts.
// Sources: components/reference ("Action Row", "Button", "String Select", …, "Legacy Message Component Behavior").
// Codes as reported: COMPONENT_CUSTOM_ID_DUPLICATED (discord-api-docs#3673),
// COMPONENT_LAYOUT_WIDTH_EXCEEDED (#3395), BASE_TYPE_BAD_LENGTH of a row (TFNS/CTFNote#408); others are guesses.
describe('a message', () => {
  it.each<[string, object[], string]>([
    ['five rows of five buttons', rows(5, 5), 'ok'],
    ['six rows', rows(6, 1), 'components: BASE_TYPE_BAD_LENGTH'],
    ['a button without a row', [button()], 'components.0: UNION_TYPE_CHOICES'],
    ['a text display, without components V2', [text()], 'components.0: UNION_TYPE_CHOICES'],
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
    ['a custom_id of 100', button({ custom_id: long(100) }), 'ok'],
    ['a label of 80', button({ label: long(80) }), 'ok'],
    ['a label of 81', button({ label: long(81) }), 'label: BASE_TYPE_MAX_LENGTH'],
    ['a style of 7', button({ style: 7 }), 'style: NUMBER_TYPE_MAX'],
    ['a button with url', button({ url }), `url: ${EXCLUSIVE('CUSTOM_ID_URL')}`],
    ['a link', { type: 2, style: 5, label: 'A', url }, 'ok'],
    ['a link without url', { type: 2, style: 5, label: 'A' }, 'url: BUTTON_COMPONENT_URL_REQUIRED'],
    ['a link with custom_id', button({ style: 5, url }), `custom_id: ${EXCLUSIVE('URL_CUSTOM_ID')}`],
    ['a premium button', { type: 2, style: 6, sku_id: '1' }, 'ok'],
    ['a premium button without sku_id', { type: 2, style: 6 }, 'sku_id: BUTTON_COMPONENT_SKU_ID_REQUIRED'],
    ['one with a label', { type: 2, style: 6, sku_id: '1', label: 'A' }, `label: ${EXCLUSIVE('SKU_ID_LABEL')}`],
    ['null for what is not there', button({ emoji: null, url: null, disabled: null }), 'ok'],
    ['25 options', select({ options: options(25), max_values: 25 }), 'ok'],
    ['an option value twice', select({ options: options(2, { value: 'v' }) }), `options.1.value: ${VALUE_TWICE}`],
    ['0 values at least', users({ min_values: 0 }), 'ok'],
    ['more at least than at most', users({ min_values: 3, max_values: 2 }), `min_values: ${MIN_TOO_LARGE}`],
    ['two defaults of one', users({ default_values: defaults('user', 'user') }), `default_values: ${BAD_DEFAULTS}`],
    ['a role as user', users({ default_values: defaults('role') }), 'default_values.0.type: BASE_TYPE_CHOICES'],
  ])('with %s in a row', (_what, component, expected) => {
    expect(mistakes([row(component)])).toEqual([expected === 'ok' ? 'ok' : `components.0.components.0.${expected}`]);
  });
});

// components/reference; the 4,000 characters: discord-api-docs#8554
describe('a message of components V2', () => {
  const section = (part: object) => ({ type: 9, components: texts(3), accessory: button(), ...part });
  const container = (components: object[]) => [{ type: 17, components }];
  const SCRIPT = { type: 12, items: [picture('javascript:1')] };
  const TOO_MANY = 'components: COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED';

  it.each<[string, object[], string]>([
    ['40 components', texts(40), 'ok'],
    ['41 components', texts(41), TOO_MANY],
    ['40 components, some of them in a container', container(texts(39)), 'ok'],
    ['41 components, some of them in a container', container(texts(40)), TOO_MANY],
    ['4,000 characters', texts(2, long(2_000)), 'ok'],
    ['4,001 characters', [...texts(2, long(2_000)), text()], 'components: COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED'],
    ['six rows', rows(6, 1), 'ok'],
    ['a section with a button', [section({})], 'ok'],
    ['a section with a picture', [section({ accessory: { type: 11, ...picture() } })], 'ok'],
    ['ten pictures', [{ type: 12, items: Array(10).fill(picture()) }], 'ok'],
    ['a picture by javascript:', [SCRIPT], `components.0.items.0.media.${SCHEME}`],
    ['a file from the network', [{ type: 13, file: { url: 'https://x.test/a' } }], `components.0.file.${SCHEME}`],
    ['a separator', [{ type: 14, divider: false, spacing: 2 }], 'ok'],
    ['a container in a container', container(container([])), 'components.0.components.0: UNION_TYPE_CHOICES'],
    ['a custom_id twice, once in a section', [row(button()), section({})], `components.1.accessory.${TWICE}`],
  ])('with %s', (_what, components, expected) => {
    expect(mistakes(components, { flags: 32_768 })).toEqual([expected]);
  });

  // resources/message, "Create Message" and "Edit Message"
  it.each<[string, object]>([
    ['content', { content: 'x' }],
    ['embeds', { embeds: [{ title: 'x' }] }],
    ['poll', { poll: { question: { text: 'x' }, answers: [{ poll_media: { text: 'a' } }] } }],
  ])('allows no %s, neither at first nor by an edit', (field, form) => {
    const expected = [`${field}: MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2`];
    const before = edited(EMPTY_REPLY, parseForm(MessageForm, { components: texts(1), flags: 32_768 }), []);
    expect(mistakes(texts(1), { flags: 32_768, ...form })).toEqual(expected);
    expect(leafCodes(() => refuseUnfit(edited(before, parseForm(MessageForm, form), [])))).toEqual(expected);
  });

  it('replaces a legacy one whose content is cleared, and cannot be changed back', () => {
    const before = { ...EMPTY_REPLY, content: 'x' };
    const form = parseForm(MessageForm, { components: texts(1), flags: 32_768 });
    const after = edited(before, { ...form, content: null }, []);
    expect(() => refuseUnfit(edited(before, form, []))).toThrow('Invalid Form Body');
    expect(after.flags).toBe(32_768);
    expect(edited(after, { flags: 0 }, []).flags).toBe(32_768);
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
  const modal = (part: object) => ({ custom_id: 'm', title: 'M', components: [label(input())], ...part });

  it.each<[string, object, string]>([
    ['as it should be', {}, 'ok'],
    ['with a text field in a row', { components: [row(input({ label: 'A' }))] }, 'ok'],
    ['with a button', { components: [row(button())] }, 'components.0.components.0: UNION_TYPE_CHOICES'],
    ['with a custom_id twice', { components: [label(input()), label(input())] }, `components.1.component.${TWICE}`],
    ['with a menu', { components: [label(select())] }, 'ok'],
    ['with files', { components: [label({ type: 19, custom_id: 'f', max_values: 10 })] }, 'ok'],
    ['with a checkbox', { components: [label({ type: 23, custom_id: 'c' })] }, 'ok'],
  ])('%s', (_what, part, expected) => {
    const body = { type: 9, data: modal(part) };
    const found = leafCodes(() => parseCallback(body, { type: 2, hasSource: false }));
    expect(found).toEqual([expected === 'ok' ? 'ok' : `data.${expected}`]);
  });
});
