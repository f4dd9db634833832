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
