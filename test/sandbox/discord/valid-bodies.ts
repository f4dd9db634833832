/** Bodies that Discord accepts and that together have every field that is emulated, by what they are sent for. */

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
  fields: [
    { name: 'HP', value: '120', inline: true },
    { name: 'Type', value: 'Fire' },
  ],
  provider: { name: 'x', url: URL },
  video: media,
};

const row = (...components: object[]) => ({ type: 1, id: 0, components });
const button = { type: 2, id: 0, custom_id: 'look', style: 1, label: 'Look', disabled: false, emoji };
const link = { type: 2, style: 5, url: URL };

const choosing = { id: 0, placeholder: 'Choose', min_values: 0, max_values: 1, disabled: false, required: false };
const stringSelect = {
  ...choosing,
  type: 3,
  custom_id: 'string',
  options: [{ label: 'A', value: 'a', description: 'x', default: false, emoji }],
};
const message = {
  content: 'Charizard',
  embeds: [embed],
  allowed_mentions: { parse: ['everyone'], users: ['1'], roles: ['1'], replied_user: true },
  components: [row(button, link), row(stringSelect)],
  flags: 64,
};

const recording = { duration_secs: 1.5, waveform: 'x', title: 'x', is_spoiler: false };
const withFile = { attachments: [{ id: '0', filename: 'a.txt', description: 'x', ...recording }] };

export const EDITS: readonly object[] = [message, withFile];
export const MESSAGES: readonly object[] = [{ ...message, tts: false }, withFile];

const input = {
  ...{ type: 4, id: 0, custom_id: 'input', style: 1, label: 'x', value: 'x', placeholder: 'x' },
  ...{ required: false, min_length: 0, max_length: 1 },
};
const label = (component: object) => ({ type: 18, id: 0, label: 'x', description: 'x', component });
const modal = (components: object[]) => ({ custom_id: 'form', title: 'x', components });

export const MODALS: readonly object[] = [modal([label(input)])];

const localizations = { name_localizations: { de: 'karte' }, description_localizations: { de: 'Eine Karte' } };
const option = (type: number, part: object = {}) => ({
  ...{ type, name: `o${type}`, description: 'x', ...localizations, required: false },
  ...part,
});
const range = { min_value: 1, max_value: 2 };
const options = [
  option(3, { autocomplete: false, min_length: 0, max_length: 1 }),
  option(4, range),
  option(5),
  option(10, range),
];
const places = { default_member_permissions: 8, dm_permission: true, contexts: [0], integration_types: [0] };

/** Commands of each kind. */
export const COMMANDS: readonly ({ type: number } & Record<string, unknown>)[] = [
  { type: 1, name: 'all', description: 'x', ...localizations, options, ...places },
  { type: 3, name: 'Look up' },
];

export const CHOICES: readonly object[] = [{ choices: [{ name: 'x', name_localizations: { de: 'x' }, value: 'x' }] }];

const install = { scopes: ['applications.commands', 'bot'], permissions: 8 };

/** What a bot changes of its application. */
export const APPLICATIONS: readonly object[] = [
  {
    description: { default: 'x', localizations: { de: 'y' } },
    tags: ['x', 'y'],
    integration_types_config: { 0: { oauth2_install_params: install }, 1: {} },
  },
];
