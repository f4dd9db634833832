import { describe, expect, it } from 'vitest';
import { ApiError, type ErrorTree } from '../../../sandbox/discord/api-error.ts';
import { parseCallback, parseChoices } from '../../../sandbox/discord/callback-rules.ts';
import { readCommand } from '../../../sandbox/discord/command-rules.ts';
import { FileStore } from '../../../sandbox/discord/file-store.ts';
import { changedReply, EMPTY_REPLY, standingFiles } from '../../../sandbox/discord/message-body.ts';
import { readMessage, withIds } from '../../../sandbox/discord/message-rules.ts';
import { changed, expectSaid, table } from '../../table.ts';
import { button, row } from './embedded.ts';

// Lengths, numbers and required fields are the specification's own: here is what it does not say, and how a refusal reads.
// Codes as reported: COMPONENT_CUSTOM_ID_DUPLICATED (discord-api-docs#3673), COMPONENT_LAYOUT_WIDTH_EXCEEDED (#3395),
// BASE_TYPE_BAD_LENGTH of a row (TFNS/CTFNote#408); others are guesses.

/** The errors of a 50035 as `path: CODE`, or the code of another refusal; `ok` when there is none. */
function refusalOf(check: () => unknown): string {
  try {
    check();
    return 'ok';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.code === 50_035 ? flat(error.errors ?? {}, '').join(', ') : `${error.code}`;
  }
}

function flat(tree: ErrorTree, path: string): string[] {
  return Object.entries(tree).flatMap(([key, value]) =>
    Array.isArray(value) ? value.map(({ code }) => `${path}: ${code}`) : flat(value, path ? `${path}.${key}` : key),
  );
}

const MENU = { type: 3, custom_id: 's', options: [{ label: 'A', value: 'v' }] };
const MESSAGE = {
  content: 'Hi',
  embeds: [
    { title: 'Title', url: 'https://x.test', image: { url: 'https://x.test' }, fields: [{ name: 'n', value: 'v' }] },
  ],
  components: [row(button('a'), button('b')), row(MENU)],
};

describe('a message', () => {
  it.each(table`
    nothing special | | ok
    content of 2,000 and blanks around it | content=" x*2000 " | ok
    content of 2,001 | content="x*2001" | content: BASE_TYPE_MAX_LENGTH
    content that is a number | content=7 | content: BASE_TYPE_REQUIRED
    an embed with nothing in it | embeds.0={} | embeds.0.description: BASE_TYPE_REQUIRED
    a blank field | embeds.0.fields.0.name=" " | embeds.0.fields.0.name: BASE_TYPE_REQUIRED
    6,000 in all | embeds=[{"description":"x*3000"},{"description":"x*3000"}] | ok
    6,001 in all | embeds=[{"description":"x*3000"},{"description":"x*3001"}] | embeds: MAX_EMBED_SIZE_EXCEEDED
    a javascript: picture | embeds.0.image.url="javascript:1" | embeds.0.image.url: URL_TYPE_INVALID_SCHEME
    an address that is none | embeds.0.url="nowhere" | embeds.0.url: BASE_TYPE_INVALID
    null for everything | content=null; embeds=null; flags=null; components=null | ok
    components V2 | flags=32768 | flags: MESSAGE_FLAGS_INVALID
    a button without a row | components.0={"type":2,"style":1,"label":"A","custom_id":"a"}
      | components.0: UNION_TYPE_CHOICES
    a text display | components.0={"type":10,"content":"x"} | components.0: NOT_EMULATED
    a row of nothing | components.0.components=[] | components.0.components: BASE_TYPE_BAD_LENGTH
  `)(
    'with %s',
    expectSaid((changes) => refusalOf(() => readMessage(changed(MESSAGE, changes)))),
  );

  it('with five rows of five buttons is full', () => {
    const rows = (count: number) => ({
      components: Array.from({ length: count }, (_, at) =>
        row(...['a', 'b', 'c', 'd', 'e'].map((id) => button(id + at))),
      ),
    });
    const told = [5, 6].map((count) => refusalOf(() => readMessage(rows(count))));
    expect(told).toEqual(['ok', 'components: BASE_TYPE_BAD_LENGTH']);
  });

  // Of two buttons, `0` and `1`
  it.each(table`
    a button with null for what is absent | 0.emoji=null; 0.url=null; 0.disabled=null | ok
    a menu and a button | 1={"type":3,"custom_id":"m","options":[{"label":"A","value":"v"}]}
      | 1: COMPONENT_LAYOUT_WIDTH_EXCEEDED
    a custom_id twice | 1.custom_id="a" | 1.custom_id: COMPONENT_CUSTOM_ID_DUPLICATED
    an id twice | 0.id=7; 1.id=7 | 1.id: COMPONENT_ID_DUPLICATED
    the id 0 twice | 0.id=0; 1.id=0 | ok
    a button for nothing | 0.custom_id= | 0.custom_id: BASE_TYPE_REQUIRED
    a button with url | 0.url="https://x.test" | 0.url: BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE
    a link | 0.style=5; 0.url="https://x.test"; 0.custom_id= | ok
    a link without url | 0.style=5; 0.custom_id= | 0.url: BASE_TYPE_REQUIRED
    a link with custom_id | 0.style=5; 0.url="https://x.test"
      | 0.custom_id: BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE
    a link to nowhere | 0.style=5; 0.url="ftp://x.test"; 0.custom_id= | 0.url: URL_TYPE_INVALID_SCHEME
  `)(
    'with a row of %s',
    expectSaid((changes) => {
      const components = changed([button('a'), button('b')], changes);
      const told = refusalOf(() => readMessage({ components: [row(...components)] }));
      return told.replace('components.0.components.', '');
    }),
  );

  it.each(table`
    a value twice | options.1={"label":"B","value":"v"} | options.1.value: SELECT_COMPONENT_OPTION_VALUE_DUPLICATED
    more than at most | min_values=3; max_values=2 | min_values: SELECT_COMPONENT_MIN_VALUES_TOO_LARGE
  `)(
    'with a menu of %s',
    expectSaid((changes) => {
      const told = refusalOf(() => readMessage({ components: [row(changed(MENU, changes))] }));
      return told.replace('components.0.components.0.', '');
    }),
  );

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
    const components = [row({ ...button('a'), id: 2 }, { ...button('b'), id: 0 }), row(MENU)];
    expect(withIds(components)).toMatchObject([
      { id: 1, components: [{ id: 2 }, { id: 3 }] },
      { id: 4, components: [{ id: 5 }] },
    ]);
  });
});

// reference.md, "Uploading Files" and "Editing Message Attachments". What is left is the content, the titles of embeds, and
// the files below them.
it.each(table`
  keeps what it does not name | {"content": "new"} | | new [old] 101.txt 102.txt
  clears what it names with null | {"content": null} | | [old] 101.txt 102.txt
  leaves a message of files alone | {"content": "", "embeds": []} | | 101.txt 102.txt
  leaves no empty message | {"content": "", "embeds": [], "attachments": []} | | 50006
  keeps all files, beside new ones, when it names none | {} | 0 | wait [old] 101.txt 102.txt 0.txt
  removes files with an empty list | {"attachments": []} | | wait [old]
  removes files with null | {"attachments": null} | | wait [old]
  replaces them by those that it names | {"attachments": [{"id": "3"}]} | 3 | wait [old] 3.txt
  describes the files that it adds | {"attachments": [{"id": "0", "description": "new"}]} | 0 | wait [old] 0.txt (new)
  lists no file once more that an embed shows
    | {"embeds": [{"title": "a", "image": {"url": "attachment://101.txt"}}]} | | wait [a] 102.txt
  has no file that was not uploaded | {"attachments": [{"id": "0"}]} | | attachments.0.id: ATTACHMENT_NOT_FOUND
  has no picture that is not there | {"embeds": [{}, {"image": {"url": "attachment://9.txt"}}]} |
    | embeds.1.image.url: UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND
  has no icon that is not there | {"embeds": [{"footer": {"text": "x", "icon_url": "attachment://9.txt"}}]} |
    | embeds.0.footer.icon_url: UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND
  has no eleventh file | {} | 0 1 2 3 4 5 6 7 8 | 30015
`)('an edit %s', (_, form = '', uploads = '', left) => {
  const file = (id: string) => ({ id, filename: `${id}.txt`, size: 1, url: `http://x.test/${id}`, proxy_url: '' });
  const before = { ...EMPTY_REPLY, content: 'wait', embeds: [{ title: 'old' }], attachments: ['101', '102'].map(file) };
  const served = { files: new FileStore('http://x.test', () => '9'), channelId: '7', origin: 'http://x.test' };
  const sent = (uploads.match(/\d/g) ?? []).map((number) => ({
    ...{ number: Number(number), filename: `${number}.txt`, contentType: undefined, bytes: Buffer.from('x') },
  }));
  let shown = '';
  const refusal = refusalOf(() => {
    const reply = changedReply(before, { form: JSON.parse(form), uploads: sent, at: [] }, served);
    const files = standingFiles(reply).map(
      (each) => `${each.filename} ${each.description ? `(${each.description})` : ''}`,
    );
    shown = [reply.content, ...reply.embeds.map(({ title }) => `[${title}]`), ...files].join(' ').trim();
  });
  expect(refusal === 'ok' ? shown.replaceAll(/ +/g, ' ') : refusal).toBe(left);
});

// interactions/receiving-and-responding, "Modal"; components/reference, "Text Input" to "Checkbox"
const label = (custom_id: string) => ({ type: 18, label: 'A', component: { type: 4, custom_id, style: 1 } });
const modal = (...ids: string[]) => ({ type: 9, data: { custom_id: 'm', title: 'M', components: ids.map(label) } });

describe('a callback', () => {
  it.each<[string, unknown, string]>([
    ['that defers without data', { type: 5 }, 'ok'],
    ['that defers with another flag', { type: 5, data: { flags: 4 } }, 'data.flags: MESSAGE_FLAGS_INVALID'],
    ['without a type', {}, 'type: BASE_TYPE_REQUIRED'],
    ['that replies without data', { type: 4 }, 'data: BASE_TYPE_REQUIRED'],
    ['that is no object', [], ': BASE_TYPE_REQUIRED'],
    ['with a form of six', modal('a', 'b', 'c', 'd', 'e', 'f'), 'data.components: BASE_TYPE_BAD_LENGTH'],
    ['with a field twice', modal('a', 'a'), 'data.components.1.component.custom_id: COMPONENT_CUSTOM_ID_DUPLICATED'],
  ])('%s', (_, json, expected) => {
    expect(refusalOf(() => parseCallback({ json, files: [] }, { type: 2, hasSource: false }))).toBe(expected);
  });

  // interactions/receiving-and-responding, "Interaction Callback Type"
  it.each([
    ['a command', 2, false, [4, 5, 9]],
    ['a component', 3, true, [4, 5, 6, 7, 9]],
    ['a modal of a command', 5, false, [4, 5]],
    ['a modal of a component', 5, true, [4, 5, 6, 7]],
  ] as const)('to %s has a type that Discord documents', (_, type, hasSource, allowed) => {
    const types = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12].filter((callback) => {
      const json = callback === 9 ? modal('a') : { type: callback, data: { content: 'x' } };
      return refusalOf(() => parseCallback({ json, files: [] }, { type, hasSource })) === 'ok';
    });
    expect(types).toEqual(allowed);
  });

  it('to an autocomplete has values of at most 100 characters', () => {
    const values = (length: number) => ({ type: 8, data: { choices: [{ name: 'a', value: 'x'.repeat(length) }] } });
    const told = [100, 101].map((length) => refusalOf(() => parseChoices(values(length), 'de')));
    expect(told).toEqual(['ok', 'data.choices.0.value: BASE_TYPE_MAX_LENGTH']);
  });
});

const option = (name: string) => ({ type: 3, name, description: 'Card id' });

it.each(table`
  a name in another script | name="カード" | ok
  a capital in its name | name="Card" | name: APPLICATION_COMMAND_INVALID_NAME
  an option twice | options.1.name="id" | options.1: APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS
  a required option after one that is not | options.1.required=true
    | options.1: APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID
  a name in no language | name_localizations={"xx":"k"} | name_localizations.xx: BASE_TYPE_INVALID
  a description in the menu of a message | type=3; name="Look Up"; options= | description: BASE_TYPE_CHOICES
  permissions in words | default_member_permissions="x" | default_member_permissions: BASE_TYPE_REQUIRED
  an odd age limit | nsfw="x" | nsfw: BOOLEAN_TYPE_CONVERT
  choices | options.0.choices=[{"name":"a","value":"b"}] | options.0.choices: NOT_EMULATED
`)(
  'a command with %s',
  expectSaid((changes) => {
    const command = { name: 'card', description: 'Show one card', options: [option('id'), option('b')] };
    return refusalOf(() => readCommand(changed(command, changes)));
  }),
);
