import { DiscordAPIError } from 'discord.js';
import { expect, it } from 'vitest';
import { withoutRefused } from '../../../src/discord/rest/reply-sender.ts';

/** Discord's refusal with an error at each of the paths. */
function refusal(paths: readonly string[], code = 50035): DiscordAPIError {
  const errors = {};
  for (const path of paths) {
    let node: Record<string, object> = errors;
    for (const key of path.split('.')) {
      node[key] ??= {};
      node = node[key] as Record<string, object>;
    }
    node._errors = [{ code: 'URL_TYPE_INVALID_URL', message: 'Not a well formed URL.' }];
  }
  const body = { code, message: 'Invalid Form Body', ...(paths.length > 0 && { errors }) };
  return new DiscordAPIError(body, code, 400, 'POST', '', { body: undefined, files: undefined });
}

const TEXT = { title: 'Emberwing Drake', footer: { text: 'base1-4' } };
const BUTTON = { type: 2, custom_id: 'card:1', label: 'one', emoji: { name: '🃏' } };
const rowOf = (...components: object[]) => ({ type: 1, components });
const menuOf = (...options: object[]) => rowOf({ type: 3, custom_id: 'menu', options });
const file = { name: 'day.png', contentType: 'image/png', data: new Uint8Array([1]), description: 'the day' };
const DAY = { embeds: [{ ...TEXT, image: { url: 'attachment://day.png' } }], files: [file] };

it.each<[string, object, string[], object | undefined]>([
  ['a footer', { embeds: [TEXT] }, ['embeds.0.footer.text'], { embeds: [{ title: TEXT.title }] }],
  ['one of several embeds', { embeds: [TEXT, { title: 'b' }] }, ['embeds.1'], { embeds: [TEXT] }],
  ['a text beside an embed', { content: 'too long', embeds: [TEXT] }, ['content'], { embeds: [TEXT] }],
  [
    'the emoji of a button',
    { content: 'a', components: [rowOf(BUTTON)] },
    ['components.0.components.0.emoji.name'],
    { content: 'a', components: [rowOf({ type: 2, custom_id: 'card:1', label: 'one' })] },
  ],
  [
    'a row that is empty',
    { content: 'a', components: [rowOf(), rowOf(BUTTON)] },
    ['components.0.components'],
    { content: 'a', components: [rowOf(BUTTON)] },
  ],
  [
    'a choice of a menu',
    { content: 'a', components: [menuOf({ label: '1' }, { label: '2' })] },
    ['components.0.components.0.options.0.label'],
    { content: 'a', components: [menuOf({ label: '2' })] },
  ],
  [
    'a menu that is empty',
    { content: 'a', components: [menuOf()] },
    ['components.0.components.0.options'],
    { content: 'a', components: [rowOf()] },
  ],
  ['its files, with the pictures', DAY, ['attachments.0.filename'], { embeds: [TEXT] }],
  ['pictures and files where nothing is named', DAY, [], { embeds: [TEXT] }],
  ['nothing, where nothing that is named can be left out', { content: 'a' }, ['flags'], undefined],
  ['nothing, where it is not there', { content: 'a', embeds: [TEXT] }, ['embeds.0.image.url'], undefined],
  ['nothing, where nothing would be left', { content: 'too long' }, ['content'], undefined],
])('a message that Discord refuses is left without %s', (_, message, paths, left) => {
  expect(withoutRefused(message, refusal(paths))).toEqual(left);
});

it('a message that is too large is left without pictures and files', () => {
  expect(withoutRefused(DAY, refusal([], 40005))).toEqual({ embeds: [TEXT] });
});

it.each([
  ['AutoMod', refusal([], 200000)],
  ['a missing permission', refusal([], 50013)],
  ['a broken connection', new Error('other side closed')],
])('nothing is left out for %s', (_, err) => {
  expect(withoutRefused(DAY, err)).toBeUndefined();
});
