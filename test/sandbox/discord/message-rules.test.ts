import { describe, expect, it } from 'vitest';
import { standingFiles, withServedMedia } from '../../../sandbox/discord/attachment-links.ts';
import { attachmentPlan } from '../../../sandbox/discord/attachment-rules.ts';
import { parseCallback, parseChoices } from '../../../sandbox/discord/callback-rules.ts';
import { EMPTY_REPLY, edited, isEmpty, type MessageForm, readMessage } from '../../../sandbox/discord/message-rules.ts';
import { leafCodes } from './leaf-codes.ts';

const long = (length: number) => 'x'.repeat(length);
const embed = (part: object) => ({ embeds: [{ title: 'Title', ...part }] });
const HALVES = Array(2).fill({ description: long(3_000) });
const POLL = { question: { text: 'x' }, answers: [{ poll_media: { text: 'x' } }] };
const NOT_FOUND = 'url: UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND';

// Other lengths, numbers and required fields are the specification's own.
describe('a message', () => {
  it.each<[string, object, string]>([
    ['content of 2,000 and blanks around it', { content: ` ${long(2_000)} ` }, 'ok'],
    ['content of 2,001', { content: long(2_001) }, 'content: BASE_TYPE_MAX_LENGTH'],
    ['content that is a number', { content: 7 }, 'content: BASE_TYPE_REQUIRED'],
    ['null for everything', { content: null, embeds: null, flags: null, components: null }, 'ok'],
    ['an embed with nothing in it', { embeds: [{}] }, 'embeds.0.description: BASE_TYPE_REQUIRED'],
    ['a field without a value', embed({ fields: [{ name: 'n' }] }), 'embeds.0.fields.0.value: BASE_TYPE_REQUIRED'],
    ['a blank field', embed({ fields: [{ name: ' ', value: 'v' }] }), 'embeds.0.fields.0.name: BASE_TYPE_REQUIRED'],
    ['6,000 in all', { embeds: HALVES }, 'ok'],
    ['6,001 in all', { embeds: [...HALVES, { title: 'x' }] }, 'embeds: MAX_EMBED_SIZE_EXCEEDED'],
    ['a javascript: picture', embed({ image: { url: 'javascript:1' } }), 'embeds.0.image.url: URL_TYPE_INVALID_SCHEME'],
    ['an address that is none', embed({ url: 'nowhere' }), 'embeds.0.url: BASE_TYPE_INVALID'],
    // What is not emulated
    ['a poll', { content: 'x', poll: POLL }, 'poll: NOT_EMULATED'],
    ['no poll', { content: 'x', poll: null }, 'ok'],
    ['components V2', { flags: 1 << 15 }, 'flags: MESSAGE_FLAGS_INVALID'],
    ['a flag that bots cannot set', { flags: 1 << 7 }, 'flags: MESSAGE_FLAGS_INVALID'],
  ])('with %s', (_what, form, expected) => {
    expect(leafCodes(() => readMessage(form))).toEqual([expected]);
  });

  it('drops unknown fields, and spaces around its texts', () => {
    const embeds = [{ title: ' b ', mood: 'good' }];
    expect(readMessage({ content: ' a ', embeds, mood: 'good' })).toEqual({
      content: 'a',
      embeds: [{ title: 'b' }],
    });
  });
});

it('null in the body of a message stays, and is an absent field anywhere else', () => {
  const embeds = [{ title: 'b', image: null, fields: [{ name: 'n', value: 'v', inline: null }] }];
  expect(readMessage({ content: null, embeds })).toEqual({
    content: null,
    embeds: [{ title: 'b', fields: [{ name: 'n', value: 'v', inline: false }] }],
  });
});

describe('an edit', () => {
  const file = { id: '1', filename: 'a.txt', size: 1, url: 'http://x.test/a.txt', proxy_url: '' };
  const before = { ...EMPTY_REPLY, content: 'wait', embeds: [{ title: 'old' }] };

  it.each<[string, MessageForm, object]>([
    ['keeps what it does not name', { content: 'new' }, { content: 'new', embeds: [{ title: 'old' }] }],
    ['clears what it names with null', { content: null }, { content: '', embeds: [{ title: 'old' }] }],
    ['clears with an empty list', { embeds: [] }, { content: 'wait', embeds: [] }],
  ])('%s', (_what, form, expected) => {
    expect(edited(before, form, [])).toMatchObject(expected);
  });

  it('leaves an empty message when content, embeds, components and files are removed', () => {
    expect(isEmpty(edited(before, { content: '', embeds: [] }, []))).toBe(true);
    expect(isEmpty(edited(before, { content: '', embeds: [] }, [file]))).toBe(false);
  });
});

describe('the files of a message', () => {
  const file = (id: string) => ({ id, filename: `${id}.txt`, size: 1, url: `http://x.test/${id}`, proxy_url: '' });
  const upload = (number: number) => ({
    ...{ number, filename: `${number}.txt`, contentType: undefined, bytes: Buffer.from('x') },
  });
  const before = [file('101'), file('102')];
  type Listed = { id: string; description?: string }[] | null | undefined;

  // reference.md, "Uploading Files" and "Editing Message Attachments"
  it.each<[string, Listed, number[], string[], number[]]>([
    ['stay when none is named', undefined, [], ['101', '102'], []],
    ['stay, and new ones come, when none is named', undefined, [0], ['101', '102'], [0]],
    ['go when the list is empty', [], [], [], []],
    ['go with null', null, [], [], []],
    ['stay when they are named', [{ id: '102' }], [], ['102'], []],
    ['stay beside new ones', [{ id: '102' }, { id: '3' }], [3], ['102'], [3]],
  ])('%s', (_what, listed, uploads, kept, added) => {
    const plan = attachmentPlan(before, listed, uploads.map(upload));
    expect(plan.kept.map(({ id }) => id)).toEqual(kept);
    expect(plan.added.map(({ upload: { number } }) => number)).toEqual(added);
  });

  it('are described by the list', () => {
    const [old, added] = [
      { id: '101', description: 'old' },
      { id: '0', description: 'new' },
    ] as const;
    const plan = attachmentPlan(before, [old, added], [upload(0)]);
    expect([plan.kept[0]?.description, plan.added[0]?.details]).toEqual(['old', { description: 'new' }]);
  });

  it('are refused when they were not uploaded, and when there are more than ten', () => {
    const eleven = Array.from({ length: 11 }, (_, index) => upload(index));

    expect(leafCodes(() => attachmentPlan(before, [{ id: '101' }, { id: '0' }], []))).toEqual([
      'attachments.1.id: ATTACHMENT_NOT_FOUND',
    ]);
    for (const listed of [undefined, []]) {
      expect(() => attachmentPlan([], listed, eleven)).toThrow(expect.objectContaining({ code: 30_015 }));
    }
  });

  const unknown = { url: 'attachment://9.txt' };
  it.each<[string, object[], string]>([
    ['of the message', [{ image: { url: 'attachment://101.txt' } }], 'ok'],
    ['of an unknown file', [{}, { thumbnail: unknown }], `embeds.1.thumbnail.${NOT_FOUND}`],
    ['of an unknown file in a footer', [{ footer: { icon_url: unknown.url } }], `embeds.0.footer.icon_${NOT_FOUND}`],
  ])('are named in embeds: one %s', (_what, embeds, expected) => {
    expect(leafCodes(() => withServedMedia(embeds, before, 'http://x.test', ['embeds']))).toEqual([expected]);
  });

  it('are listed separately unless an embed shows them', () => {
    const embeds = withServedMedia([{ image: { url: 'attachment://101.txt' } }], before, 'http://x.test', []);
    expect(standingFiles(before, embeds).map(({ id }) => id)).toEqual(['102']);
  });
});

it.each<[string, unknown, string]>([
  ['that defers in private', { type: 5, data: { flags: 64 } }, 'ok'],
  ['that defers without data', { type: 5 }, 'ok'],
  ['that defers with another flag', { type: 5, data: { flags: 4 } }, 'data.flags: MESSAGE_FLAGS_INVALID'],
  ['that updates a message which a slash command has not', { type: 6 }, 'type: BASE_TYPE_CHOICES'],
  ['without a type', {}, 'type: BASE_TYPE_REQUIRED'],
  ['that replies without data', { type: 4 }, 'data: BASE_TYPE_REQUIRED'],
  ['with a mistake in its data', { type: 4, data: { content: 1 } }, 'data.content: BASE_TYPE_REQUIRED'],
  ['that is no object', [], ': BASE_TYPE_REQUIRED'],
])('a callback %s', (_what, body, expected) => {
  expect(leafCodes(() => parseCallback(body, { type: 2, hasSource: false }))).toEqual([expected]);
});

// interactions/receiving-and-responding, "Interaction Callback Type"
it.each([
  ['a command', 2, false, [4, 5, 9]],
  ['a component', 3, true, [4, 5, 6, 7, 9]],
  ['a modal of a command', 5, false, [4, 5]],
  ['a modal of a component', 5, true, [4, 5, 6, 7]],
] as const)('%s can be answered as Discord documents', (_what, type, hasSource, allowed) => {
  const field = { type: 4, custom_id: 'a', style: 1 };
  const data = { content: 'x', custom_id: 'm', title: 'M', components: [{ type: 18, label: 'A', component: field }] };
  const types = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12].filter((callback) => {
    const body = { type: callback, data: callback === 9 ? data : { content: 'x' } };
    return leafCodes(() => parseCallback(body, { type, hasSource }))[0] === 'ok';
  });

  expect(types).toEqual(allowed);
});

// interactions/receiving-and-responding, "Autocomplete"
it.each<[string, unknown[], string]>([
  ['25 choices', Array(25).fill({ name: 'a', value: 'b' }), 'ok'],
  ['none', [], 'ok'],
  ['a value of 101', [{ name: 'a', value: long(101) }], 'data.choices.0.value: BASE_TYPE_MAX_LENGTH'],
])('an autocomplete can be answered with %s', (_what, choices, expected) => {
  expect(leafCodes(() => parseChoices({ type: 8, data: { choices } }, 'de'))).toEqual([expected]);
});
