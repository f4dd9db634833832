import { describe, expect, it } from 'vitest';

import { parseCallback } from '../../../src/sandbox/discord/callback-rules.ts';
import { withIds } from '../../../src/sandbox/discord/components.ts';
import { parseForm } from '../../../src/sandbox/discord/form-error.ts';
import { EMPTY_REPLY, edited, MessageForm, refuseUnfit } from '../../../src/sandbox/discord/message-rules.ts';
import { leafCodes } from './leaf-codes.ts';

const long = (length: number) => 'x'.repeat(length);
const button = (part: object = {}) => ({ type: 2, style: 1, label: 'A', custom_id: 'a', ...part });
const buttons = (count: number) => Array.from({ length: count }, (_, index) => button({ custom_id: `b${index}` }));
const row = (...components: object[]) => ({ type: 1, components });
const options = (count: number, part: object = {}) =>
  Array.from({ length: count }, (_, index) => ({ label: 'A', value: `v${index}`, ...part }));
const select = (part: object = {}) => ({ type: 3, custom_id: 's', options: options(1), ...part });
const users = (part: object = {}) => ({ type: 5, custom_id: 's', ...part });
const text = (content = 'x') => ({ type: 10, content });
const texts = (count: number, content = 'x') => Array.from({ length: count }, () => text(content));
const picture = (url = 'https://x.test/a.png') => ({ media: { url } });

/** The leaf codes of the errors of a new message with these components. */
function mistakes(components: unknown, form: object = {}): string[] {
  const body: unknown = JSON.parse(JSON.stringify({ components, ...form })); // removes undefined fields
  return leafCodes(() => refuseUnfit(edited(EMPTY_REPLY, parseForm(MessageForm, body), [])));
}

// Sources: components/reference ("Action Row", "Button", "String Select", …, "Legacy Message Component Behavior").
// Codes as reported: COMPONENT_CUSTOM_ID_DUPLICATED (discord-api-docs#3673),
// COMPONENT_LAYOUT_WIDTH_EXCEEDED (#3395), BASE_TYPE_BAD_LENGTH of a row (TFNS/CTFNote#408); others are guesses.
describe('a message', () => {
  it.each<[string, unknown[], string]>([
    [
      'five rows of five buttons',
      Array.from({ length: 5 }, (_, r) => row(...buttons(5).map((b, c) => ({ ...b, custom_id: `${r} ${c}` })))),
      'ok',
    ],
    [
      'six rows',
      Array.from({ length: 6 }, (_, r) => row(button({ custom_id: `${r}` }))),
      'components: BASE_TYPE_BAD_LENGTH',
    ],
    ['six buttons in a row', [row(...buttons(6))], 'components.0.components: BASE_TYPE_BAD_LENGTH'],
    ['an empty row', [row()], 'components.0.components: BASE_TYPE_BAD_LENGTH'],
    ['a row in a row', [row(row(button()))], 'components.0.components.0: UNION_TYPE_CHOICES'],
    ['a text field', [row({ type: 4, custom_id: 'a', style: 1 })], 'components.0.components.0: UNION_TYPE_CHOICES'],
    ['a button without a row', [button()], 'components.0: UNION_TYPE_CHOICES'],
    ['a thing that is no component', [{}], 'components.0: UNION_TYPE_CHOICES'],
    [
      'the same custom_id twice',
      [row(button()), row(button({ disabled: true }))],
      'components.1.components.0.custom_id: COMPONENT_CUSTOM_ID_DUPLICATED',
    ],
    [
      'the same id twice',
      [row(button({ id: 7 })), row(button({ id: 7, custom_id: 'b' }))],
      'components.1.components.0.id: COMPONENT_ID_DUPLICATED',
    ],
    ['the id 0 twice', [row(button({ id: 0 })), row(button({ id: 0, custom_id: 'b' }))], 'ok'],
    [
      'a button without custom_id',
      [row(button({ custom_id: undefined }))],
      'components.0.components.0.custom_id: BUTTON_COMPONENT_CUSTOM_ID_REQUIRED',
    ],
    [
      'a button with an empty custom_id',
      [row(button({ custom_id: '' }))],
      'components.0.components.0.custom_id: BASE_TYPE_BAD_LENGTH',
    ],
    ['a custom_id of 100', [row(button({ custom_id: long(100) }))], 'ok'],
    [
      'a custom_id of 101',
      [row(button({ custom_id: long(101) }))],
      'components.0.components.0.custom_id: BASE_TYPE_BAD_LENGTH',
    ],
    ['a label of 80', [row(button({ label: long(80) }))], 'ok'],
    ['a label of 81', [row(button({ label: long(81) }))], 'components.0.components.0.label: BASE_TYPE_MAX_LENGTH'],
    ['a style of 7', [row(button({ style: 7 }))], 'components.0.components.0.style: NUMBER_TYPE_MAX'],
    ['a link', [row({ type: 2, style: 5, label: 'A', url: 'https://x.test' })], 'ok'],
    [
      'a link without url',
      [row({ type: 2, style: 5, label: 'A' })],
      'components.0.components.0.url: BUTTON_COMPONENT_URL_REQUIRED',
    ],
    [
      'a link with custom_id',
      [row(button({ style: 5, url: 'https://x.test' }))],
      'components.0.components.0.custom_id: BUTTON_COMPONENT_URL_CUSTOM_ID_MUTUALLY_EXCLUSIVE',
    ],
    [
      'a button with url',
      [row(button({ url: 'https://x.test' }))],
      'components.0.components.0.url: BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE',
    ],
    [
      'a link of 513',
      [row({ type: 2, style: 5, url: `https://x.test/${long(498)}` })],
      'components.0.components.0.url: BASE_TYPE_MAX_LENGTH',
    ],
    ['a premium button', [row({ type: 2, style: 6, sku_id: '1' })], 'ok'],
    [
      'a premium button without sku_id',
      [row({ type: 2, style: 6 })],
      'components.0.components.0.sku_id: BUTTON_COMPONENT_SKU_ID_REQUIRED',
    ],
    [
      'a premium button with a label',
      [row({ type: 2, style: 6, sku_id: '1', label: 'A' })],
      'components.0.components.0.label: BUTTON_COMPONENT_SKU_ID_LABEL_MUTUALLY_EXCLUSIVE',
    ],
    ['null for what is not there', [row(button({ emoji: null, url: null, disabled: null }))], 'ok'],
    ['a menu', [row(select())], 'ok'],
    [
      'a menu and a button in a row',
      [row(select(), button())],
      'components.0.components.1: COMPONENT_LAYOUT_WIDTH_EXCEEDED',
    ],
    [
      'a menu without custom_id',
      [row(select({ custom_id: undefined }))],
      'components.0.components.0.custom_id: BASE_TYPE_REQUIRED',
    ],
    ['25 options', [row(select({ options: options(25), max_values: 25 }))], 'ok'],
    ['26 options', [row(select({ options: options(26) }))], 'components.0.components.0.options: BASE_TYPE_BAD_LENGTH'],
    ['no options', [row(select({ options: [] }))], 'components.0.components.0.options: BASE_TYPE_BAD_LENGTH'],
    [
      'an option label of 101',
      [row(select({ options: options(1, { label: long(101) }) }))],
      'components.0.components.0.options.0.label: BASE_TYPE_BAD_LENGTH',
    ],
    [
      'an option value of 101',
      [row(select({ options: options(1, { value: long(101) }) }))],
      'components.0.components.0.options.0.value: BASE_TYPE_BAD_LENGTH',
    ],
    [
      'an option description of 101',
      [row(select({ options: options(1, { description: long(101) }) }))],
      'components.0.components.0.options.0.description: BASE_TYPE_MAX_LENGTH',
    ],
    [
      'an option value twice',
      [row(select({ options: options(2, { value: 'v' }) }))],
      'components.0.components.0.options.1.value: SELECT_COMPONENT_OPTION_VALUE_DUPLICATED',
    ],
    [
      'a placeholder of 151',
      [row(select({ placeholder: long(151) }))],
      'components.0.components.0.placeholder: BASE_TYPE_MAX_LENGTH',
    ],
    ['26 values to choose', [row(users({ max_values: 26 }))], 'components.0.components.0.max_values: NUMBER_TYPE_MAX'],
    ['0 values at most', [row(users({ max_values: 0 }))], 'components.0.components.0.max_values: NUMBER_TYPE_MIN'],
    ['0 values at least', [row(users({ min_values: 0 }))], 'ok'],
    [
      'more at least than at most',
      [row(users({ min_values: 3, max_values: 2 }))],
      'components.0.components.0.min_values: SELECT_COMPONENT_MIN_VALUES_TOO_LARGE',
    ],
    [
      'two defaults of one',
      [
        row(
          users({
            default_values: [
              { id: '1', type: 'user' },
              { id: '2', type: 'user' },
            ],
          }),
        ),
      ],
      'components.0.components.0.default_values: SELECT_COMPONENT_INVALID_DEFAULT_VALUES',
    ],
    [
      'a role as the default user',
      [row(users({ default_values: [{ id: '1', type: 'role' }] }))],
      'components.0.components.0.default_values.0.type: BASE_TYPE_CHOICES',
    ],
    ['a text display, without components V2', [text()], 'components.0: UNION_TYPE_CHOICES'],
  ])('with %s', (_what, components, expected) => {
    expect(mistakes(components)).toEqual([expected]);
  });
});

// components/reference; the 4,000 characters: discord-api-docs#8554
describe('a message of components V2', () => {
  it.each<[string, unknown[], string]>([
    ['40 components', texts(40), 'ok'],
    ['41 components', texts(41), 'components: COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED'],
    ['40 components, some of them in a container', [{ type: 17, components: texts(39) }], 'ok'],
    [
      '41 components, some of them in a container',
      [{ type: 17, components: texts(40) }],
      'components: COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED',
    ],
    ['4,000 characters', texts(2, long(2_000)), 'ok'],
    ['4,001 characters', [...texts(2, long(2_000)), text()], 'components: COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED'],
    ['an empty text', [text('')], 'components.0.content: BASE_TYPE_BAD_LENGTH'],
    ['six rows', Array.from({ length: 6 }, (_, r) => row(button({ custom_id: `${r}` }))), 'ok'],
    ['a section with a button', [{ type: 9, components: texts(3), accessory: button() }], 'ok'],
    ['a section with a picture', [{ type: 9, components: texts(1), accessory: { type: 11, ...picture() } }], 'ok'],
    ['a section without accessory', [{ type: 9, components: texts(1) }], 'components.0.accessory: BASE_TYPE_REQUIRED'],
    [
      'a section of four texts',
      [{ type: 9, components: texts(4), accessory: button() }],
      'components.0.components: BASE_TYPE_BAD_LENGTH',
    ],
    ['ten pictures', [{ type: 12, items: Array(10).fill(picture()) }], 'ok'],
    ['eleven pictures', [{ type: 12, items: Array(11).fill(picture()) }], 'components.0.items: BASE_TYPE_BAD_LENGTH'],
    [
      'a picture by javascript:',
      [{ type: 12, items: [picture('javascript:1')] }],
      'components.0.items.0.media.url: URL_TYPE_INVALID_SCHEME',
    ],
    [
      'a file from the network',
      [{ type: 13, file: { url: 'https://x.test/a' } }],
      'components.0.file.url: URL_TYPE_INVALID_SCHEME',
    ],
    ['a separator', [{ type: 14, divider: false, spacing: 2 }], 'ok'],
    ['a separator that is too wide', [{ type: 14, spacing: 3 }], 'components.0.spacing: NUMBER_TYPE_MAX'],
    [
      'a container in a container',
      [{ type: 17, components: [{ type: 17, components: [] }] }],
      'components.0.components.0: UNION_TYPE_CHOICES',
    ],
    [
      'a container of a colour beyond white',
      [{ type: 17, components: texts(1), accent_color: 0x1_00_00_00 }],
      'components.0.accent_color: NUMBER_TYPE_MAX',
    ],
    [
      'a custom_id twice, once in a section',
      [row(button()), { type: 9, components: texts(1), accessory: button() }],
      'components.1.accessory.custom_id: COMPONENT_CUSTOM_ID_DUPLICATED',
    ],
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
    ['with a title of 46', { title: long(46) }, 'title: BASE_TYPE_MAX_LENGTH'],
    ['without custom_id', { custom_id: undefined }, 'custom_id: BASE_TYPE_REQUIRED'],
    ['without components', { components: [] }, 'components: BASE_TYPE_BAD_LENGTH'],
    ['with six components', { components: texts(6) }, 'components: BASE_TYPE_BAD_LENGTH'],
    [
      'with a label of 46',
      { components: [label(input(), { label: long(46) })] },
      'components.0.label: BASE_TYPE_MAX_LENGTH',
    ],
    [
      'with a text of up to 4,001',
      { components: [label(input({ max_length: 4_001 }))] },
      'components.0.component.max_length: NUMBER_TYPE_MAX',
    ],
    [
      'with a custom_id twice',
      { components: [label(input()), label(input())] },
      'components.1.component.custom_id: COMPONENT_CUSTOM_ID_DUPLICATED',
    ],
    ['with a menu', { components: [label(select())] }, 'ok'],
    ['with files', { components: [label({ type: 19, custom_id: 'f', max_values: 10 })] }, 'ok'],
    [
      'with one radio button',
      { components: [label({ type: 21, custom_id: 'r', options: options(1) })] },
      'components.0.component.options: BASE_TYPE_BAD_LENGTH',
    ],
    ['with a checkbox', { components: [label({ type: 23, custom_id: 'c' })] }, 'ok'],
  ])('%s', (_what, part, expected) => {
    const body = { type: 9, data: modal(part) };
    const found = leafCodes(() => parseCallback(body, { type: 2, hasSource: false }));

    expect(found).toEqual([expected === 'ok' ? 'ok' : `data.${expected}`]);
  });
});
