import { IntlMessageFormat } from 'intl-messageformat';
import en from '../../src/render/languages/en.json' with { type: 'json' };
import { argumentNames, type MessageKey, type Texts } from '../../src/render/languages.ts';

export const KEYS = Object.keys(en).filter((key): key is MessageKey => !key.startsWith('@'));

/** Of the parts of a message, as intl-messageformat reads it. */
const TYPE = { literal: 0, number: 2, date: 3, select: 5, plural: 6, pound: 7 };

interface Part {
  type: number;
  value?: string;
  options?: Record<string, { value: readonly unknown[] }>;
}

/** What one language has for a key: its text, and the parts that translators wrote. */
interface Translation {
  key: MessageKey;
  language: string;
  text: string;
  message: IntlMessageFormat;
  parts: Part[];
}

/** Finds all faults of its kind, each in a few words. */
type Check = (translation: Translation) => string[];

/** What is wrong with the texts of a language, each beginning with the key: all of it, since every text is read by itself. */
export function faultsOf(language: string, texts: Texts): string[] {
  return KEYS.flatMap((key) => {
    const text = texts[key];
    if (text === undefined) return [];
    if (text.trim() === '') return [`${key}: is empty`];
    try {
      const message = messageOf(text, language);
      const translation = { key, language, text, message, parts: partsOf(message) };
      return CHECKS.flatMap((check) => check(translation)).map((fault) => `${key}: ${fault}`);
    } catch (error) {
      return [`${key}: ${error}`];
    }
  });
}

function messageOf(text: string, language: string): IntlMessageFormat {
  return new IntlMessageFormat(text, language, undefined, { ignoreTag: true });
}

/** Every part of a text, those of its cases included. */
function partsOf(message: IntlMessageFormat): Part[] {
  const parts: Part[] = [];
  JSON.stringify(message.getAst(), (_, element) => {
    if (typeof element?.type === 'number' && !('pattern' in element)) parts.push(element); // but how a date is written
    return element;
  });
  return parts;
}

function explanationOf(key: MessageKey, argument = ''): string {
  const { description, placeholders }: { description: string; placeholders?: Record<string, { description: string }> } =
    en[`@${key}`];
  return argument ? (placeholders?.[argument]?.description ?? '') : description;
}

const unknownArguments: Check = ({ key, parts }) => {
  const unknown = new Set(namesIn(parts)).difference(new Set(argumentNames(key)));
  return [...unknown].map((name) => `there is no {${name}}`);
};

function namesIn(parts: readonly Part[]): string[] {
  return parts.filter(({ type }) => type !== TYPE.literal && type !== TYPE.pound).map(({ value = '' }) => value);
}

/** With these a text can be shown, whatever its arguments are called. */
function anyValues(names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, 0]));
}

/** The cases of an argument: those of the English text, and those such as `date` in "date: {time} has a date". */
function casesOf(key: MessageKey, argument: string): string[] {
  const written = partsOf(messageOf(en[key], 'en')).filter(isSelect(argument));
  const explained = Array.from(explanationOf(key, argument).matchAll(/(\w+): /g), ([, name = '']) => name);
  return [...new Set([...written.flatMap(({ options = {} }) => Object.keys(options)), ...explained])];
}

function isSelect(argument: string): (part: Part) => boolean {
  return ({ type, value }) => type === TYPE.select && value === argument;
}

const unknownCases: Check = ({ key, parts }) =>
  parts
    .filter(({ type }) => type === TYPE.select)
    .flatMap(({ value = '', options = {} }) => {
      const known = casesOf(key, value);
      return Object.keys(options).flatMap((name) => (known.includes(name) ? [] : [`{${value}} is never ${name}`]));
    });

const emptyCases: Check = ({ key, parts }) => {
  const english = partsOf(messageOf(en[key], 'en'));
  return parts.flatMap(({ value = '', options = {} }) => {
    const inEnglish = english.filter((part) => part.value === value).map((part) => part.options ?? {});
    return Object.entries(options).flatMap(([name, { value: shown }]) => {
      const mayBeEmpty = inEnglish.some((cases) => cases[name]?.value.length === 0);
      return shown.length > 0 || mayBeEmpty ? [] : [`is empty where ${value} is ${name}`];
    });
  });
};

const pluralForms: Check = ({ parts, language }) => {
  const rules = new Intl.PluralRules(language);
  // Without "many" of Romance languages, which is for millions.
  const forms = new Set(Array.from({ length: 1_000 }, (_, count) => rules.select(count)));
  return parts
    .filter(({ type }) => type === TYPE.plural)
    .flatMap(({ value, options = {} }) =>
      [...forms].flatMap((form) => (form in options ? [] : [`{${value}} lacks ${form}`])),
    );
};

/** In every case a text shows what the English one shows. */
const forgottenArguments: Check = ({ key, text: written, message, parts }) => {
  const why = written.includes("'{") ? ": ' before a brace makes it text, ’ does not" : '';
  const inEnglish = messageOf(en[key], 'en');
  const english = partsOf(inEnglish);
  const names = argumentNames(key);
  const chosenBy = names.filter((name) => [...english, ...parts].some(isSelect(name)));
  const cases = combinations(chosenBy.map((name) => [...casesOf(key, name), 'other'].map((each) => [name, each])));
  const shown = names.filter((name) => !chosenBy.includes(name));
  const values = (at: number, changed: readonly string[]) =>
    shown.map((name) => [name, sampleOf(name, english, changed.includes(name) ? at : 0)]);
  const lacks = cases.flatMap((each) =>
    shown.flatMap((name) => {
      const instead = shown.filter((other) => explanationOf(key, other).includes(`instead of {${name}}`));
      const [before, after] = [0, 1].map((at) => ({
        ...anyValues(namesIn(parts)),
        ...Object.fromEntries([...each, ...values(at, [name, ...instead])]),
      }));
      const isShownBy = (text: IntlMessageFormat) => text.format(before) !== text.format(after);
      const where = each.map(([argument, value]) => ` where ${argument} is ${value}`).join('');
      return isShownBy(inEnglish) && !isShownBy(message)
        ? [[name, `{${name}} is not shown${where}${why}`] as const]
        : [];
    }),
  );
  return [...new Map(lacks.toReversed()).values()]; // of each argument the first
};

/** One of two values that show which of them it is, whatever the text makes of it. */
function sampleOf(name: string, english: readonly Part[], at: number): string | number {
  const { type } = english.find(({ value }) => value === name) ?? {};
  if (type === TYPE.date) return Date.UTC(2026, 2 + 4 * at, 3 + at);
  return type === TYPE.number || type === TYPE.plural ? 700 + at : `${name}${at}`;
}

function combinations<T>(lists: readonly (readonly T[])[]): T[][] {
  return lists.reduce<T[][]>((all, list) => all.flatMap((chosen) => list.map((each) => [...chosen, each])), [[]]);
}

/** In French, these stand after a space that does not break, as what quotation marks enclose does. */
const BREAKING = /[^\S\u00a0\u202f][:;!?»]|«[^\S\u00a0\u202f]/;

const frenchSpaces: Check = ({ language, parts }) =>
  language === 'fr'
    ? parts
        .filter(({ type, value = '' }) => type === TYPE.literal && BREAKING.test(value))
        .map(({ value }) => `has a space that breaks in "${value}"`)
    : [];

/** Discord writes a relative time in the reader's language, which need not be that of the sentence: it follows a mark. */
const relativeTime: Check = ({ key, text }) => {
  if (!JSON.stringify(en[`@${key}`]).includes('stands alone')) return [];
  const isAlone = /[\p{P}\p{S}]\s*\{since\}(\}|$)/u.test(text) && !/\{since\}[^}]/.test(text);
  return isAlone ? [] : ['{since} does not stand alone after a mark'];
};

/** Of a command and its options: Discord shows them as they are. */
const DECLARED = /^(command|menu)_/;

const plainDeclaration: Check = ({ key, text }) =>
  DECLARED.test(key) && /[{}]|''/.test(text) ? ['is shown as it stands, with nothing between braces'] : [];

const length: Check = ({ key, message, parts }) => {
  const [, limit] = /At most ([\d,]+) characters/.exec(explanationOf(key)) ?? [];
  const most = Number(limit?.replace(',', '') ?? (DECLARED.test(key) ? 100 : 2_000));
  const shown = String(message.format(anyValues([...namesIn(parts), ...argumentNames(key)])));
  return shown.length > most ? [`has ${shown.length} characters, of at most ${most}`] : [];
};

const CHECKS: readonly Check[] = [
  ...[unknownArguments, unknownCases, emptyCases, pluralForms, forgottenArguments],
  ...[frenchSpaces, relativeTime, plainDeclaration, length],
];
