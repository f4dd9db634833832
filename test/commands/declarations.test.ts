import { Locale } from 'discord.js';
import { expect, it } from 'vitest';
import { declarations } from '../../commands/index.ts';
import en from '../../src/render/languages/en.json' with { type: 'json' };
import { languageOf, type MessageKey, textsOf } from '../../src/render/languages.ts';

const SHOWN = Object.keys(en).filter((key): key is MessageKey => /^(command|menu)_/.test(key));

/** Every text that Discord shows of a declaration, with its translations. */
function shownOf(declaration: ReturnType<typeof declarations>[number]) {
  if (!('description' in declaration)) return [[declaration.name, declaration.name_localizations]];
  const { description, description_localizations, options = [] } = declaration;
  return [
    [description, description_localizations],
    ...options.map((option) => [option.description, option.description_localizations]),
  ];
}

it.each(Object.values(Locale))(
  'in %s commands are described in its language; English needs no translation',
  (locale) => {
    const language = languageOf(locale);
    const expected = SHOWN.map((key) => [en[key], language === 'en' ? undefined : textsOf(language)[key]]);
    const shown = declarations(true).flatMap(shownOf);
    expect(shown.map(([text, translations]) => [text, Object(translations)[locale]]).sort()).toEqual(expected.sort());
  },
);

it('names of commands and options are English everywhere', () => {
  const slash = declarations(true).filter((declaration) => 'description' in declaration);
  for (const named of slash.flatMap((declaration) => [declaration, ...(declaration.options ?? [])])) {
    expect(named.name_localizations).toBeUndefined();
  }
});

const SERVER_ONLY = { integration_types: [0], contexts: [0] };

it.each([
  ['everywhere', true, { integration_types: [0, 1], contexts: [0, 1, 2] }],
  ['where a server has installed the bot, without user install', false, { integration_types: [0], contexts: [0, 1] }],
])('commands are offered %s; /usage and /settings in servers alone', (_, hasUserInstall, everywhere) => {
  const offered = declarations(hasUserInstall).map(({ name, integration_types, contexts }) => [
    name,
    { integration_types, contexts },
  ]);
  expect(Object.fromEntries(offered)).toEqual({
    ...{ card: everywhere, cards: everywhere, 'Look up cards': everywhere, privacy: everywhere },
    ...{ watch: everywhere, watches: everywhere, usage: SERVER_ONLY, settings: SERVER_ONLY },
  });
});
