import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, it } from 'vitest';
import en from '../../src/render/languages/en.json' with { type: 'json' };
import { argumentNames, LANGUAGES, languageOf, type MessageKey, textsOf } from '../../src/render/languages.ts';

const KEYS = Object.keys(en).filter((key): key is MessageKey => !key.startsWith('@'));

describe('the language of a locale', () => {
  it.each([
    ['en-US', 'en'],
    ['en-GB', 'en'],
    ['pl', 'en'],
    ['not a locale', 'en'],
    ['', 'en'],
    ['constructor', 'en'],
    // Where there is a file:
    ['de', 'de'],
    ['fr', 'fr'],
    ['es-ES', 'es'],
    ['es-419', 'es'],
    ['pt-BR', 'pt-BR'],
    ['ja', 'ja'],
  ])('%s: %s', (locale, language) => {
    expect(languageOf(locale)).toBe(LANGUAGES.includes(language) ? language : 'en');
  });
});

describe('en.json', () => {
  it('explains every text to translators, and nothing else', () => {
    const explained = Object.keys(en).filter((key) => /^@[^@]/.test(key));
    expect(explained).toEqual(KEYS.map((key) => `@${key}`));
    for (const key of KEYS) expect(en[`@${key}`].description).toMatch(/\.$/);
  });
});

const LITERAL = 0;

describe.each(LANGUAGES)('the language %s', (language) => {
  const texts = Object.entries(textsOf(language)).filter(([key]) => !key.startsWith('@'));

  it('has no key that English lacks', () => {
    expect(texts.map(([key]) => key).filter((key) => !Object.hasOwn(en, key))).toEqual([]);
  });

  it.each(texts)('%s can be read, and has no argument but those that en.json explains', (key, text) => {
    const names = new Set<string>();
    const ast = new IntlMessageFormat(text, language, undefined, { ignoreTag: true }).getAst();
    JSON.stringify(ast, (_, element) => {
      if (typeof element?.value === 'string' && element.type !== LITERAL) names.add(element.value);
      return element;
    });
    expect(argumentNames(key as MessageKey)).toEqual(expect.arrayContaining([...names]));
  });
});
