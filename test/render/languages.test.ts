import { Locale } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import en from '../../src/render/languages/en.json' with { type: 'json' };
import { LANGUAGES, languageOf, type Texts, textsOf } from '../../src/render/languages.ts';
import { lackingIn } from '../release.ts';
import { table } from '../table.ts';
import { faultsOf, KEYS } from './translation-faults.ts';

it.each(table`
  en-US | en
  en-GB | en
  xx | en
   | en
  constructor | en
  de | de
  es-ES | es
  es-419 | es
  pt-BR | pt-BR
`)('the language of a locale %s: %s', (locale, language) => {
  expect(languageOf(locale)).toBe(language);
});

it('en.json explains every text to translators, and nothing else', () => {
  const explained = Object.keys(en).filter((key) => /^@[^@]/.test(key));
  expect(explained).toEqual(KEYS.map((key) => `@${key}`));
  for (const key of KEYS) expect(en[`@${key}`].description).toMatch(/\.$/);
});

describe.each(LANGUAGES)('the language %s', (language) => {
  it('names itself, and some locale of Discord speaks it', () => {
    expect(textsOf(language)).toMatchObject({ '@@locale': language });
    expect(Object.values(Locale).map(languageOf)).toContain(language);
  });

  it('has nothing that English lacks, and no explanations of its own', () => {
    const keys = Object.keys(textsOf(language));
    expect(keys.filter((key) => !Object.hasOwn(en, key))).toEqual([]);
    if (language !== 'en') expect(keys.filter((key) => /^@[^@]/.test(key))).toEqual([]);
  });

  it('is of texts that can be read, that fit, and that show in each case what the English ones show', () => {
    expect(faultsOf(language, textsOf(language))).toEqual([]);
  });
});

it.each([
  ...table`
    a straight apostrophe that swallows an argument | pictureOf | l'{name} | pictureOf: {name} is not shown: ' before a brace makes it text, ’ does not
    a forgotten argument | permitAt | Bientôt. | permitAt: {time} is not shown
    one that is forgotten in one case | resets | {when, select, now {a} date {b {time}} other {c}} | resets: {time} is not shown where when is other
    a case that never is | resets | {when, select, later {a} other {{time}}} | resets: {when} is never later
    a form of a plural that is missing | historyDays | {days, plural, other {#}} | historyDays: {days} lacks one
    an empty case | watchNoPrice | {typed, select, none {} other {{text}{example}}} | is empty where typed is none
    a long description of a command | command_cards_ids | ${'x'.repeat(101)} | has 101 characters, of at most 100
    a description that is no message | command_usage | l''usage | command_usage: is shown as it stands
    a relative time in a sentence | pricesFrom | Prix {since} environ | pricesFrom: {since} does not stand alone
  `,
  ['an empty text', 'working', ' ', 'working: is empty'],
])('a translator reads of %s', (_, key = '', text = '', fault) => {
  expect(faultsOf('fr', { [key]: text })).toContainEqual(expect.stringContaining(String(fault)));
});

it('no fault of a translation hides another', () => {
  const texts: Texts = {
    working: '{',
    stillAsking: '',
    pictureOf: 'de {nom}',
    permitAt: 'Non : {heure} !',
    showCard: `{nom}${'x'.repeat(80)}`,
    forgetMe: 'x'.repeat(81),
  };
  expect(faultsOf('fr', texts).sort()).toEqual([
    'forgetMe: has 81 characters, of at most 80',
    ...['permitAt: has a space that breaks in " !"', 'permitAt: has a space that breaks in "Non : "'],
    ...['permitAt: there is no {heure}', 'permitAt: {time} is not shown'],
    ...['pictureOf: there is no {nom}', 'pictureOf: {name} is not shown'],
    ...['showCard: has 81 characters, of at most 80', 'showCard: there is no {nom}', 'showCard: {name} is not shown'],
    ...['stillAsking: is empty', 'working: SyntaxError: EXPECT_ARGUMENT_CLOSING_BRACE'],
  ]);
});

it('a text that is in English alone is refused by a release, for each language that is to be whole', () => {
  const { working, broken, ...others } = textsOf('en');
  expect(lackingIn('de', others)).toEqual(['de lacks broken', 'de lacks working']);
  expect(lackingIn('de', textsOf('en'))).toEqual([]);
});
