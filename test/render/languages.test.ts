import { Locale } from 'discord-api-types/v10';
import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, it } from 'vitest';
import en from '../../src/render/languages/en.json' with { type: 'json' };
import { argumentNames, LANGUAGES, languageOf, type MessageKey, textsOf } from '../../src/render/languages.ts';
import { formatMessage } from '../../src/render/messages.ts';

const KEYS = Object.keys(en).filter((key): key is MessageKey => !key.startsWith('@'));

it.each([
  ['en-US', 'en'],
  ['en-GB', 'en'],
  ['xx', 'en'],
  ['', 'en'],
  ['constructor', 'en'],
  ['de', 'de'],
  ['es-ES', 'es'],
  ['es-419', 'es'],
  ['pt-BR', 'pt-BR'],
])('the language of a locale %s: %s', (locale, language) => {
  expect(languageOf(locale)).toBe(language);
});

it('en.json explains every text to translators, and nothing else', () => {
  const explained = Object.keys(en).filter((key) => /^@[^@]/.test(key));
  expect(explained).toEqual(KEYS.map((key) => `@${key}`));
  for (const key of KEYS) expect(en[`@${key}`].description).toMatch(/\.$/);
});

/** Of the parts of a message, as intl-messageformat reads it. */
const TYPE = { literal: 0, select: 5, plural: 6, pound: 7 };

/** These are whole; another language may lack texts, which are English. */
const WHOLE = ['en', 'de', 'fr', 'es', 'pt-BR', 'ja'];

describe.each(LANGUAGES)('the language %s', (language) => {
  const texts = textsOf(language);
  const has = (key: MessageKey) => texts[key] !== undefined;

  it('names itself, and some locale of Discord speaks it', () => {
    expect(texts).toMatchObject({ '@@locale': language });
    expect(Object.values(Locale).map(languageOf)).toContain(language);
  });

  const missing = KEYS.filter((key) => !has(key));
  it.runIf(WHOLE.includes(language) || missing.length === 0)('lacks nothing', () => {
    expect(missing).toEqual([]);
  });
  for (const key of WHOLE.includes(language) ? [] : missing) it.todo(`lacks ${key}`);

  it('has nothing that English lacks, and no explanations of its own', () => {
    const others = Object.keys(texts).filter((key) => !Object.hasOwn(en, key));
    expect(others).toEqual([]);
    if (language !== 'en') expect(Object.keys(texts).filter((key) => /^@[^@]/.test(key))).toEqual([]);
  });

  const read = KEYS.filter(has).map((key) => ({ key, ...readParts(texts[key] ?? '', language) }));
  const parts = read.flatMap(({ key, parts }) => (parts ? { key, parts } : []));

  it('is of ICU messages alone', () => {
    expect(read.flatMap(({ key, error }) => (error ? `${key}: ${error}` : []))).toEqual([]);
  });

  it('names no arguments but those that en.json explains', () => {
    const wrong = parts.flatMap(({ key, parts }) => {
      const named = parts.flatMap(({ type, value = '' }) => (isArgument(type) ? [value] : []));
      return named.filter((name) => !argumentNames(key).includes(name)).map((name) => `${key}: {${name}}`);
    });
    expect(wrong).toEqual([]);
  });

  it('has no cases but those of the English text, and those that its arguments are explained with', () => {
    const cases = ({ type, value, options }: Part) =>
      type === TYPE.select ? Object.keys(options ?? {}).map((name) => `${value}: ${name}`) : [];
    const wrong = parts.flatMap(({ key, parts }) => {
      const known = new Set([...partsOf(en[key], 'en').flatMap(cases), ...explainedCases(key)]);
      return parts.flatMap(cases).flatMap((each) => (known.has(each) ? [] : [`${key}: ${each}`]));
    });
    expect(wrong).toEqual([]);
  });

  it('has every form of a plural', () => {
    const rules = new Intl.PluralRules(language);
    // Without "many" of Romance languages, which is for millions.
    const forms = new Set(Array.from({ length: 1_000 }, (_, count) => rules.select(count)));
    const wrong = parts.flatMap(({ key, parts }) =>
      parts
        .flatMap(({ type, options = {} }) =>
          type === TYPE.plural ? [...forms].filter((form) => !(form in options)) : [],
        )
        .map((form) => `${key}: ${form}`),
    );
    expect(wrong).toEqual([]);
  });

  // Discord writes it in the reader's language, which need not be that of the sentence.
  it('lets a relative time stand alone, after a mark', () => {
    const isAlone = (text: string) => /[\p{P}\p{S}]\s*\{since\}(\}|$)/u.test(text) && !/\{since\}[^}]/.test(text);
    const relative = KEYS.filter((key) => has(key) && JSON.stringify(en[`@${key}`]).includes('stands alone'));
    expect(relative.filter((key) => !isAlone(texts[key] ?? ''))).toEqual([]);
    if (language === 'en')
      expect(relative).toEqual(['lastCheck', 'pricesFrom', 'reportFailed', 'watchPrice', 'priceReachedBefore']);
  });

  it('has no text that is longer than en.json allows', () => {
    const tooLong = KEYS.filter(has).filter((key) => {
      const [, limit] = /At most ([\d,]+) characters/.exec(en[`@${key}`].description) ?? [];
      const args = Object.fromEntries(argumentNames(key).map((name) => [name, 0]));
      const shown = formatMessage(language, key as 'showCard', args as { name: number });
      return shown.length > Number(limit?.replace(',', '') ?? 2_000);
    });
    expect(tooLong).toEqual([]);
  });
});

/** Such as `now` and `date` in "now: it is past; date: {time} has a date". */
function explainedCases(key: MessageKey): string[] {
  const explanation: { description: string; placeholders?: Record<string, { description: string }> } = en[`@${key}`];
  return Object.entries(explanation.placeholders ?? {}).flatMap(([name, { description }]) =>
    [...description.matchAll(/(\w+): /g)].map(([, value]) => `${name}: ${value}`),
  );
}

/** The parts of a text that translators wrote, or what is wrong with it. */
function readParts(text: string, language: string): { parts?: Part[]; error?: string } {
  try {
    return { parts: partsOf(text, language) };
  } catch (error) {
    return { error: String(error) };
  }
}

interface Part {
  type: number;
  value?: string;
  options?: Record<string, object>;
}

function isArgument(type: number): boolean {
  return type !== TYPE.literal && type !== TYPE.pound;
}

/** Every part of a text, those of its cases included. */
function partsOf(text: string, language: string): Part[] {
  const parts: Part[] = [];
  JSON.stringify(new IntlMessageFormat(text, language, undefined, { ignoreTag: true }).getAst(), (_, element) => {
    if (typeof element?.type === 'number' && !('pattern' in element)) parts.push(element); // but how a date is written
    return element;
  });
  return parts;
}
