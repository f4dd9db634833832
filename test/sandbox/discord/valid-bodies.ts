/** Bodies that Discord accepts and that together have every field of its specification, by what they are sent for. */

const URL = 'https://x.test/a.png';
const emoji = { id: '1', name: 'dragon' };
const media = {
  ...{ url: URL, width: 1, height: 1, placeholder: 'x', placeholder_version: 1, is_animated: false },
  description: 'A dragon',
};

const embed = {
  type: 'rich',
  url: URL,
  title: 'Charizard',
  color: 1,
  timestamp: '2030-01-01T00:00:00.000Z',
  description: 'A dragon',
  author: { name: 'Mitsuhiro Arita', url: URL, icon_url: URL },
  image: media,
  thumbnail: media,
  footer: { text: 'Base', icon_url: URL },
  fields: [{ name: 'HP', value: '120', inline: true }],
  provider: { name: 'x', url: URL },
  video: media,
};

const row = (...components: object[]) => ({ type: 1, id: 0, components });
const button = { type: 2, id: 0, custom_id: 'look', style: 1, label: 'Look', disabled: false, emoji };
const link = { type: 2, style: 5, url: URL };
const premium = { type: 2, style: 6, sku_id: '1' };

const choosing = { id: 0, placeholder: 'Choose', min_values: 0, max_values: 1, disabled: false, required: false };
const stringSelect = {
  ...choosing,
  type: 3,
  custom_id: 'string',
  options: [{ label: 'A', value: 'a', description: 'x', default: false, emoji }],
};
const userSelect = { ...choosing, type: 5, custom_id: 'user', default_values: [{ type: 'user', id: '1' }] };
const roleSelect = { ...choosing, type: 6, custom_id: 'role', default_values: [{ type: 'role', id: '1' }] };
const mentionableSelect = { ...userSelect, type: 7, custom_id: 'mentionable' };
const mentionableRoleSelect = { ...roleSelect, type: 7, custom_id: 'mentionable role' };
const someChannel = { default_values: [{ type: 'channel', id: '1' }], channel_types: [0] };
const channelSelect = { ...choosing, ...someChannel, type: 8, custom_id: 'channel' };
const selects = [stringSelect, userSelect, roleSelect, mentionableSelect, channelSelect];

const text = { type: 10, id: 0, content: 'x' };
const thumbnail = { type: 11, id: 0, description: 'x', spoiler: false, media: { url: URL } };

const message = {
  content: 'Charizard',
  embeds: [embed],
  allowed_mentions: { parse: ['everyone'], users: ['1'], roles: ['1'], replied_user: true },
  components: [row(button, link, premium), ...selects.slice(0, 4).map((each) => row(each))],
  flags: 4,
};

const recording = { duration_secs: 1.5, waveform: 'x', title: 'x', is_spoiler: false };
const withFile = { attachments: [{ id: '0', filename: 'a.txt', description: 'x', ...recording }] };

const container = { type: 17, id: 0, accent_color: 1, spoiler: false };
const layout = {
  flags: 32_768,
  components: [
    { ...container, components: [...selects, mentionableRoleSelect].map((each) => row(each)) },
    { type: 9, id: 0, components: [text], accessory: thumbnail },
    { type: 9, components: [text], accessory: button },
    { type: 12, id: 0, items: [{ description: 'x', spoiler: false, media: { url: URL } }] },
    { type: 13, id: 0, spoiler: false, file: { url: 'attachment://a.txt' } },
    { type: 14, id: 0, spacing: 1, divider: true },
    text,
  ],
};

const pollEmoji = { ...emoji, animated: true };
const poll = {
  poll: {
    question: { text: 'Which?', emoji: pollEmoji },
    answers: [{ poll_media: { text: 'x', emoji: pollEmoji } }, { poll_media: { text: 'y' } }],
    allow_multiselect: false,
    layout_type: 1,
    duration: 24,
  },
};

export const EDITS: readonly object[] = [message, withFile, layout];
export const MESSAGES: readonly object[] = [{ ...message, tts: false }, withFile, layout, poll];

const input = {
  ...{ type: 4, id: 0, custom_id: 'input', style: 1, label: 'x', value: 'x', placeholder: 'x' },
  ...{ required: false, min_length: 0, max_length: 1 },
};
const choice = { label: 'A', value: 'a', description: 'x', default: false };
const fields = [
  input,
  ...selects,
  mentionableRoleSelect,
  { type: 19, id: 0, custom_id: 'file', min_values: 0, max_values: 1, required: false, file_types: ['image'] },
  { type: 21, id: 0, custom_id: 'radio', required: false, options: [choice, { label: 'B', value: 'b' }] },
  { type: 22, id: 0, custom_id: 'boxes', min_values: 0, max_values: 1, required: false, options: [choice] },
  { type: 23, id: 0, custom_id: 'box', default: false },
];
const label = (component: object) => ({ type: 18, id: 0, label: 'x', description: 'x', component });
const modal = (components: object[]) => ({ custom_id: 'form', title: 'x', components });

export const MODALS: readonly object[] = [
  modal([row(input), text]),
  ...[0, 5, 10].map((first) => modal(fields.slice(first, first + 5).map(label))),
];

const localizations = { name_localizations: { de: 'karte' }, description_localizations: { de: 'Eine Karte' } };
const option = (type: number, part: object = {}) => ({
  ...{ type, name: `o${type}`, description: 'x', ...localizations, required: false },
  ...part,
});
const choices = (value: string | number) => ({
  autocomplete: false,
  choices: [{ name: 'x', name_localizations: { de: 'x' }, value }],
});
const range = { min_value: 1, max_value: 2 };
const options = [
  option(3, { ...choices('x'), min_length: 0, max_length: 1 }),
  option(4, { ...choices(1), ...range }),
  option(5),
  option(6),
  option(7, { channel_types: [0] }),
  option(8),
  option(9),
  option(10, { ...choices(1.5), ...range }),
  option(11, { file_types: ['image'] }),
];
const places = { default_member_permissions: 8, dm_permission: true, contexts: [0], integration_types: [0] };

/** Commands of each kind. */
export const COMMANDS: readonly ({ type: number } & Record<string, unknown>)[] = [
  { type: 1, name: 'all', description: 'x', ...localizations, options, ...places },
  { type: 1, name: 'sub', description: 'x', options: [option(2, { options: [option(1)] }), option(1, { options })] },
  { type: 4, name: 'play', handler: 1 },
];

export const CHOICES: readonly object[] = [{ choices: [{ name: 'x', name_localizations: { de: 'x' }, value: 'x' }] }];
