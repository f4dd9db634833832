import { describe, expect, it } from 'vitest';

import { parseCallback } from '../../../src/sandbox/discord/callback-rules.ts';
import { parseForm } from '../../../src/sandbox/discord/form-error.ts';
import { EMPTY_REPLY, edited, isEmpty, MessageForm } from '../../../src/sandbox/discord/message-rules.ts';
import { leafCodes } from './leaf-codes.ts';

const long = (length: number) => 'x'.repeat(length);
const embed = (part: object) => ({ embeds: [{ title: 'Title', ...part }] });
const fields = (count: number, value = 'v') => Array.from({ length: count }, () => ({ name: 'n', value }));

describe('a message', () => {
  it.each<[string, object, string]>([
    ['content of 2,000', { content: long(2_000) }, 'ok'],
    ['content of 2,000 and blanks around it', { content: ` ${long(2_000)} ` }, 'ok'],
    ['content of 2,001', { content: long(2_001) }, 'content: BASE_TYPE_MAX_LENGTH'],
    ['content that is a number', { content: 7 }, 'content: STRING_TYPE_CONVERT'],
    ['null for everything', { content: null, embeds: null, flags: null, components: null }, 'ok'],
    ['11 embeds', { embeds: Array(11).fill({ title: 'x' }) }, 'embeds: BASE_TYPE_MAX_LENGTH'],
    ['an embed with nothing in it', { embeds: [{}] }, 'embeds.0.description: BASE_TYPE_REQUIRED'],
    ['a title of 256', embed({ title: long(256) }), 'ok'],
    ['a title of 257', embed({ title: long(257) }), 'embeds.0.title: BASE_TYPE_MAX_LENGTH'],
    ['a description of 4,096', embed({ description: long(4_096) }), 'ok'],
    ['a description of 4,097', embed({ description: long(4_097) }), 'embeds.0.description: BASE_TYPE_MAX_LENGTH'],
    ['25 fields', embed({ fields: fields(25) }), 'ok'],
    ['26 fields', embed({ fields: fields(26) }), 'embeds.0.fields: BASE_TYPE_MAX_LENGTH'],
    ['a field without a value', embed({ fields: [{ name: 'n' }] }), 'embeds.0.fields.0.value: BASE_TYPE_REQUIRED'],
    ['a blank field', embed({ fields: [{ name: ' ', value: 'v' }] }), 'embeds.0.fields.0.name: BASE_TYPE_REQUIRED'],
    ['a field of 1,025', embed({ fields: fields(1, long(1_025)) }), 'embeds.0.fields.0.value: BASE_TYPE_MAX_LENGTH'],
    ['a footer of 2,049', embed({ footer: { text: long(2_049) } }), 'embeds.0.footer.text: BASE_TYPE_MAX_LENGTH'],
    ['an author of 257', embed({ author: { name: long(257) } }), 'embeds.0.author.name: BASE_TYPE_MAX_LENGTH'],
    ['6,000 in all', { embeds: Array(2).fill({ description: long(3_000) }) }, 'ok'],
    [
      '6,001 in all',
      { embeds: [...Array(2).fill({ description: long(3_000) }), { title: 'x' }] },
      'embeds: MAX_EMBED_SIZE_EXCEEDED',
    ],
    ['an https picture', embed({ image: { url: 'https://x.test/a.png' } }), 'ok'],
    [
      'a javascript: picture',
      embed({ image: { url: 'javascript:alert(1)' } }),
      'embeds.0.image.url: URL_TYPE_INVALID_SCHEME',
    ],
    ['a picture without an address', embed({ image: {} }), 'embeds.0.image.url: BASE_TYPE_REQUIRED'],
    ['an address that is none', embed({ url: 'nowhere' }), 'embeds.0.url: URL_TYPE_INVALID_URL'],
    ['an address of 2,049', embed({ url: `https://x.test/${long(2_034)}` }), 'embeds.0.url: BASE_TYPE_MAX_LENGTH'],
    ['a colour beyond white', embed({ color: 0x1_00_00_00 }), 'embeds.0.color: NUMBER_TYPE_MAX'],
    ['a colour that is no number', embed({ color: 'red' }), 'embeds.0.color: NUMBER_TYPE_COERCE'],
    ['a time that is none', embed({ timestamp: 'soon' }), 'embeds.0.timestamp: DATE_TIME_TYPE_PARSE'],
    ['six rows of components', { components: Array(6).fill({}) }, 'components: BASE_TYPE_MAX_LENGTH'],
    ['a flag that bots cannot set', { flags: 1 << 7 }, 'flags: MESSAGE_FLAGS_INVALID'],
  ])('with %s', (_what, form, expected) => {
    expect(leafCodes(() => parseForm(MessageForm, form))).toEqual([expected]);
  });

  it('loses what Discord does not know, and the blanks around its texts', () => {
    const form = parseForm(MessageForm, {
      content: ' a ',
      embeds: [{ title: ' b ', type: 'rich', mood: 'good' }],
      tts: true,
    });

    expect(form).toEqual({ content: 'a', embeds: [{ title: 'b' }] });
  });
});

describe('an edit', () => {
  const file = { id: '1', filename: 'a.txt', size: 1, url: 'http://x.test/a.txt', proxy_url: 'http://x.test/a.txt' };
  const before = { ...EMPTY_REPLY, content: 'wait', embeds: [{ title: 'old' }] };

  it.each<[string, MessageForm, object]>([
    ['keeps what it does not name', { content: 'new' }, { content: 'new', embeds: [{ title: 'old' }] }],
    ['clears what it names with null', { content: null }, { content: '', embeds: [{ title: 'old' }] }],
    ['clears with an empty list', { embeds: [] }, { content: 'wait', embeds: [] }],
  ])('%s', (_what, form, expected) => {
    expect(edited(before, form, [])).toMatchObject(expected);
  });

  it('leaves an empty message when content, embeds, components and files are gone', () => {
    expect(isEmpty(edited(before, { content: '', embeds: [] }, []))).toBe(true);
    expect(isEmpty(edited(before, { content: '', embeds: [] }, [file]))).toBe(false);
  });
});

describe('a callback', () => {
  it.each<[string, unknown, string]>([
    ['that defers in private', { type: 5, data: { flags: 64 } }, 'ok'],
    ['that defers without data', { type: 5 }, 'ok'],
    ['that defers with another flag', { type: 5, data: { flags: 4 } }, 'data.flags: MESSAGE_FLAGS_INVALID'],
    ['that updates a message which a slash command has not', { type: 6 }, 'type: BASE_TYPE_CHOICES'],
    ['without a type', {}, 'type: BASE_TYPE_REQUIRED'],
    ['that replies without data', { type: 4 }, 'data: BASE_TYPE_REQUIRED'],
    ['with a mistake in its data', { type: 4, data: { content: 1 } }, 'data.content: STRING_TYPE_CONVERT'],
    ['that is no object', [], ': DICT_TYPE_CONVERT'],
  ])('%s', (_what, body, expected) => {
    expect(leafCodes(() => parseCallback(body, { type: 2, hasSource: false }))).toEqual([expected]);
  });
});
