import { describe, expect, it } from 'vitest';
import { ApiError, type ErrorTree } from '../../../sandbox/discord/api-error.ts';
import { parseCallback, parseChoices } from '../../../sandbox/discord/callback-rules.ts';
import { readCommand } from '../../../sandbox/discord/command-rules.ts';
import { FileStore } from '../../../sandbox/discord/file-store.ts';
import { changedReply, EMPTY_REPLY, standingFiles } from '../../../sandbox/discord/message-body.ts';
import { type MessageForm, readMessage, withIds } from '../../../sandbox/discord/message-rules.ts';

// Lengths, numbers and required fields are the specification's own: here is what it does not say, and how a refusal reads.
// Codes as reported: COMPONENT_CUSTOM_ID_DUPLICATED (discord-api-docs#3673), COMPONENT_LAYOUT_WIDTH_EXCEEDED (#3395),
// BASE_TYPE_BAD_LENGTH of a row (TFNS/CTFNote#408); others are guesses.

/** The errors of a 50035 as `path: CODE`; `['ok']` when there are none. */
function leafCodes(check: () => unknown): string[] {
  try {
    check();
    return ['ok'];
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 50_035) throw error;
    return flat(error.errors ?? {}, '');
  }
}

function flat(tree: ErrorTree, path: string): string[] {
  return Object.entries(tree).flatMap(([key, value]) =>
    Array.isArray(value) ? value.map(({ code }) => `${path}: ${code}`) : flat(value, path ? `${path}.${key}` : key),
  );
}

const long = (length: number) => 'x'.repeat(length);
const embed = (part: object) => ({ embeds: [{ title: 'Title', ...part }] });
const HALVES = Array(2).fill({ description: long(3_000) });

const button = (part: object = {}) => ({ type: 2, style: 1, label: 'A', custom_id: 'a', ...part });
const row = (...components: object[]) => ({ type: 1, components });
/** Rows of five buttons, each with its own custom_id. */
const rows = (count: number) =>
  Array.from({ length: count }, (_, r) =>
    row(...Array.from({ length: 5 }, (_, c) => button({ custom_id: `${r} ${c}` }))),
  );
const OPTION = { label: 'A', value: 'v' };
const select = (part: object = {}) => ({ type: 3, custom_id: 's', options: [OPTION], ...part });

describe('a message', () => {
  it.each<[string, object, string]>([
    ['content of 2,000 and blanks around it', { content: ` ${long(2_000)} ` }, 'ok'],
    ['content of 2,001', { content: long(2_001) }, 'content: BASE_TYPE_MAX_LENGTH'],
    ['content that is a number', { content: 7 }, 'content: BASE_TYPE_REQUIRED'],
    ['an embed with nothing in it', { embeds: [{}] }, 'embeds.0.description: BASE_TYPE_REQUIRED'],
    ['a blank field', embed({ fields: [{ name: ' ', value: 'v' }] }), 'embeds.0.fields.0.name: BASE_TYPE_REQUIRED'],
    ['6,000 in all', { embeds: HALVES }, 'ok'],
    ['6,001 in all', { embeds: [...HALVES, { title: 'x' }] }, 'embeds: MAX_EMBED_SIZE_EXCEEDED'],
    ['a javascript: picture', embed({ image: { url: 'javascript:1' } }), 'embeds.0.image.url: URL_TYPE_INVALID_SCHEME'],
    ['an address that is none', embed({ url: 'nowhere' }), 'embeds.0.url: BASE_TYPE_INVALID'],
    ['null for everything', { content: null, embeds: null, flags: null, components: null }, 'ok'],
    ['components V2', { flags: 1 << 15 }, 'flags: MESSAGE_FLAGS_INVALID'],
    ['a button without a row', { components: [button()] }, 'components.0: UNION_TYPE_CHOICES'],
    ['five rows', { components: rows(5) }, 'ok'],
    ['six rows', { components: rows(6) }, 'components: BASE_TYPE_BAD_LENGTH'],
    ['a text display', { components: [{ type: 10, content: 'x' }] }, 'components.0: NOT_EMULATED'],
  ])('with %s', (_what, form, expected) => {
    expect(leafCodes(() => readMessage(form))).toEqual([expected]);
  });

  const url = 'https://x.test';
  const link = { type: 2, style: 5, label: 'A', url };
  it.each<[string, object[], string]>([
    ['nothing', [], 'BASE_TYPE_BAD_LENGTH'],
    ['a button with null for what is absent', [button({ emoji: null, url: null, disabled: null })], 'ok'],
    ['a menu and a button', [select(), button()], '1: COMPONENT_LAYOUT_WIDTH_EXCEEDED'],
    ['a custom_id twice', [button(), button()], '1.custom_id: COMPONENT_CUSTOM_ID_DUPLICATED'],
    ['an id twice', [button({ id: 7 }), button({ id: 7, custom_id: 'b' })], '1.id: COMPONENT_ID_DUPLICATED'],
    ['the id 0 twice', [button({ id: 0 }), button({ id: 0, custom_id: 'b' })], 'ok'],
    ['a button for nothing', [{ type: 2, style: 1, label: 'A' }], '0.custom_id: BASE_TYPE_REQUIRED'],
    ['a button with url', [button({ url })], '0.url: BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE'],
    ['a link', [link], 'ok'],
    ['a link without url', [{ ...link, url: undefined }], '0.url: BASE_TYPE_REQUIRED'],
    [
      'a link with custom_id',
      [{ ...button(), ...link }],
      '0.custom_id: BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE',
    ],
    ['a link to nowhere', [{ ...link, url: 'ftp://x.test' }], '0.url: URL_TYPE_INVALID_SCHEME'],
    [
      'a value twice',
      [select({ options: [OPTION, OPTION] })],
      '0.options.1.value: SELECT_COMPONENT_OPTION_VALUE_DUPLICATED',
    ],
    [
      'more than at most',
      [select({ min_values: 3, max_values: 2 })],
      '0.min_values: SELECT_COMPONENT_MIN_VALUES_TOO_LARGE',
    ],
  ])('with a row of %s', (_what, components, expected) => {
    const body: unknown = JSON.parse(JSON.stringify({ components: [row(...components)] })); // without undefined fields
    const told = leafCodes(() => readMessage(body)).map((code) => code.replace(/^components.0.components\W+/, ''));
    expect(told).toEqual([expected]);
  });

  it('loses unknown fields, spaces around its texts, and null anywhere but in itself', () => {
    const fields = [{ name: 'n', value: 'v', inline: null }];
    expect(
      readMessage({ content: null, embeds: [{ title: ' b ', mood: 'good', image: null, fields }], mood: 'good' }),
    ).toEqual({
      content: null,
      embeds: [{ title: 'b', fields: [{ name: 'n', value: 'v', inline: false }] }],
    });
  });

  it('keeps the ids of its components, and numbers those without one', () => {
    const components = [row(button({ id: 2 }), button({ custom_id: 'b', id: 0 })), row(select())];
    expect(withIds(components)).toMatchObject([
      { id: 1, components: [{ id: 2 }, { id: 3 }] },
      { id: 4, components: [{ id: 5 }] },
    ]);
  });
});

const NONE = 'url: UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND';

describe('an edit', () => {
  const file = (id: string) => ({ id, filename: `${id}.txt`, size: 1, url: `http://x.test/${id}`, proxy_url: '' });
  const before = {
    ...EMPTY_REPLY,
    content: 'wait',
    embeds: [{ title: 'old' }],
    attachments: [file('101'), file('102')],
  };
  const upload = (number: number) => ({
    ...{ number, filename: `${number}.txt`, contentType: undefined, bytes: Buffer.from('x') },
  });

  function edited(form: MessageForm, uploads: readonly number[] = []) {
    const served = { files: new FileStore('http://x.test', () => '9'), channelId: '7', origin: 'http://x.test' };
    return changedReply(before, { form, uploads: uploads.map(upload), at: [] }, served);
  }

  it.each<[string, MessageForm, object]>([
    ['keeps what it does not name', { content: 'new' }, { content: 'new', embeds: [{ title: 'old' }] }],
    ['clears what it names with null', { content: null }, { content: '', embeds: [{ title: 'old' }] }],
    ['leaves a message of files alone', { content: '', embeds: [] }, { content: '', embeds: [] }],
  ])('%s', (_what, form, expected) => {
    expect(edited(form)).toMatchObject(expected);
  });

  it('leaves no message without content, embeds, components and files', () => {
    const nothing = { content: '', embeds: [], attachments: [] };
    expect(() => edited(nothing)).toThrow(expect.objectContaining({ code: 50_006 }));
  });

  // reference.md, "Uploading Files" and "Editing Message Attachments"
  it.each<[string, { id: string }[] | null | undefined, number[], string[]]>([
    ['keeps all files, beside new ones, when it names none', undefined, [0], ['101.txt', '102.txt', '0.txt']],
    ['removes files with an empty list', [], [], []],
    ['removes files with null', null, [], []],
    ['replaces them by those that it names', [{ id: '3' }], [3], ['3.txt']],
  ])('%s', (_what, listed, uploads, kept) => {
    const { attachments } = edited(listed === undefined ? {} : { attachments: listed }, uploads);
    expect(attachments.map(({ filename }) => filename)).toEqual(kept);
  });

  it('describes the files that it adds', () => {
    const { attachments } = edited({ attachments: [{ id: '0', description: 'new' }] }, [0]);
    expect(attachments.map(({ description }) => description)).toEqual(['new']);
  });

  it('lists no file once more that an embed shows', () => {
    const shown = edited({ embeds: [{ image: { url: 'attachment://101.txt' } }] });
    expect(standingFiles(shown)).toEqual([file('102')]);
  });

  it.each<[string, MessageForm, string]>([
    ['a file that was not uploaded', { attachments: [{ id: '0' }] }, 'attachments.0.id: ATTACHMENT_NOT_FOUND'],
    [
      'a picture that it does not have',
      { embeds: [{}, { image: { url: 'attachment://9.txt' } }] },
      `embeds.1.image.${NONE}`,
    ],
    [
      'an icon that it does not have',
      { embeds: [{ footer: { text: 'x', icon_url: 'attachment://9.txt' } }] },
      `embeds.0.footer.icon_${NONE}`,
    ],
  ])('is refused with %s', (_what, form, expected) => {
    expect(leafCodes(() => edited(form))).toEqual([expected]);
  });

  it('is refused with an eleventh file', () => {
    expect(() => edited({}, [...Array(9).keys()])).toThrow(expect.objectContaining({ code: 30_015 }));
  });
});

// interactions/receiving-and-responding, "Modal"; components/reference, "Text Input" to "Checkbox"
const input = (custom_id: string) => ({ type: 4, custom_id, style: 1 });
const label = (component: object) => ({ type: 18, label: 'A', component });
const modal = (...components: object[]) => ({ type: 9, data: { custom_id: 'm', title: 'M', components } });
const labels = (count: number) => Array.from({ length: count }, (_, index) => label(input(`${index}`)));

describe('a callback', () => {
  it.each<[string, unknown, string]>([
    ['that defers without data', { type: 5 }, 'ok'],
    ['that defers with another flag', { type: 5, data: { flags: 4 } }, 'data.flags: MESSAGE_FLAGS_INVALID'],
    ['without a type', {}, 'type: BASE_TYPE_REQUIRED'],
    ['that replies without data', { type: 4 }, 'data: BASE_TYPE_REQUIRED'],
    ['that is no object', [], ': BASE_TYPE_REQUIRED'],
    ['with a form of six', modal(...labels(6)), 'data.components: BASE_TYPE_BAD_LENGTH'],
    [
      'with a field twice',
      modal(label(input('a')), label(input('a'))),
      'data.components.1.component.custom_id: COMPONENT_CUSTOM_ID_DUPLICATED',
    ],
  ])('%s', (_what, body, expected) => {
    expect(leafCodes(() => parseCallback({ json: body, files: [] }, { type: 2, hasSource: false }))).toEqual([
      expected,
    ]);
  });

  // interactions/receiving-and-responding, "Interaction Callback Type"
  it.each([
    ['a command', 2, false, [4, 5, 9]],
    ['a component', 3, true, [4, 5, 6, 7, 9]],
    ['a modal of a command', 5, false, [4, 5]],
    ['a modal of a component', 5, true, [4, 5, 6, 7]],
  ] as const)('to %s has a type that Discord documents', (_what, type, hasSource, allowed) => {
    const types = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12].filter((callback) => {
      const body = callback === 9 ? modal(...labels(1)) : { type: callback, data: { content: 'x' } };
      return leafCodes(() => parseCallback({ json: body, files: [] }, { type, hasSource }))[0] === 'ok';
    });
    expect(types).toEqual(allowed);
  });

  it('to an autocomplete has values of at most 100 characters', () => {
    const values = (length: number) => ({ type: 8, data: { choices: [{ name: 'a', value: long(length) }] } });
    const codes = [100, 101].flatMap((length) => leafCodes(() => parseChoices(values(length), 'de')));
    expect(codes).toEqual(['ok', 'data.choices.0.value: BASE_TYPE_MAX_LENGTH']);
  });
});

describe('a command', () => {
  const ID = { type: 3, name: 'id', description: 'Card id' };
  const options = (...parts: object[]) => ({ options: parts.map((part) => ({ ...ID, ...part })) });
  const MENU = { type: 3, name: 'Look Up' };

  it.each<[string, object, string]>([
    ['with a name in another script', { name: 'カード' }, 'ok'],
    ['with a capital in its name', { name: 'Card' }, 'name: APPLICATION_COMMAND_INVALID_NAME'],
    ['with an option twice', options({}, {}), 'options.1: APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS'],
    [
      'with a required option after one that is not',
      options({}, { name: 'b', required: true }),
      'options.1: APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
    ],
    ['in no language', { name_localizations: { xx: 'k' } }, 'name_localizations.xx: BASE_TYPE_INVALID'],
    ['for a message, with a description', MENU, 'description: BASE_TYPE_CHOICES'],
    [
      'with permissions in words',
      { default_member_permissions: 'x' },
      'default_member_permissions: BASE_TYPE_REQUIRED',
    ],
    ['with an odd age limit', { nsfw: 'x' }, 'nsfw: BOOLEAN_TYPE_CONVERT'],
    ['with choices', options({ choices: [{ name: 'a', value: 'b' }] }), 'options.0.choices: NOT_EMULATED'],
  ])('%s', (_what, part, expected) => {
    expect(leafCodes(() => readCommand({ name: 'card', description: 'Show one card', ...part }))).toEqual([expected]);
  });
});
