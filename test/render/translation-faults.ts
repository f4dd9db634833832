import { IntlMessageFormat } from 'intl-messageformat';
import en from '../../src/render/languages/en.json' with { type: 'json' };
import { argumentNames, type MessageKey, type Texts } from '../../src/render/languages.ts';

export const KEYS = Object.keys(en).filter((key): key is MessageKey => !key.startsWith('@'));

/** What one language has for a key: its text, and of what it is made. */
interface Translation extends ReturnType<typeof read> {
  key: MessageKey;
  language: string;
  english: ReturnType<typeof read>;
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
      const translation = { key, language, english: read(en[key], 'en'), ...read(text, language) };
      return CHECKS.flatMap((check) => check(translation)).map((fault) => `${key}: ${fault}`);
    } catch (error) {
      return [`${key}: ${error}`];
    }
  });
}

type Ast = ReturnType<IntlMessageFormat['getAst']>;

/** Of the parts of a message, as intl-messageformat reads it. */
const TYPE = { literal: 0, plural: 6, pound: 7 };

/** A text, its literals and the names of its arguments, and what it chooses by; those of its cases included. */
function read(text: string, language: string) {
  const message = new IntlMessageFormat(text, language, undefined, { ignoreTag: true });
  const ast = message.getAst();
  const parts = partsOf(ast).flatMap((part) => ('value' in part ? [part] : []));
  const choices = parts.flatMap((part) =>
    'options' in part ? [{ by: part.value, isPlural: part.type === TYPE.plural, cases: part.options }] : [],
  );
  const valuesOf = (isLiteral: boolean) =>
    parts.filter(({ type }) => (type === TYPE.literal) === isLiteral).map(({ value }) => value);
  return { text, message, ast, choices, literals: valuesOf(true), names: valuesOf(false) };
}

function partsOf(ast: Ast): Ast {
  return ast.flatMap((part) => {
    const cases = 'options' in part ? Object.values(part.options) : [];
    return [part, ...cases.flatMap(({ value }) => partsOf(value))];
  });
}

function explanationOf(key: MessageKey, argument = ''): string {
  const { description, placeholders }: { description: string; placeholders?: Record<string, { description: string }> } =
    en[`@${key}`];
  return argument ? (placeholders?.[argument]?.description ?? '') : description;
}

const unknownArguments: Check = ({ key, names }) =>
  [...new Set(names).difference(new Set(argumentNames(key)))].map((name) => `there is no {${name}}`);

/** The cases of an argument: those of the English text, and those such as `date` in "date: {time} has a date". */
function casesOf({ key, english }: Translation, argument: string): string[] {
  const written = english.choices.filter(({ by, isPlural }) => by === argument && !isPlural);
  const explained = Array.from(explanationOf(key, argument).matchAll(/(\w+): /g), ([, name = '']) => name);
  return [...new Set([...written.flatMap(({ cases }) => Object.keys(cases)), ...explained])];
}

const unknownCases: Check = (translation) =>
  translation.choices.flatMap(({ by, isPlural, cases }) => {
    const known = casesOf(translation, by);
    const unknown = isPlural ? [] : Object.keys(cases).filter((name) => !known.includes(name));
    return unknown.map((name) => `{${by}} is never ${name}`);
  });

const emptyCases: Check = ({ choices, english }) =>
  choices.flatMap(({ by, cases }) => {
    const inEnglish = english.choices.filter((each) => each.by === by);
    const mayBeEmpty = (name: string) => inEnglish.some((each) => each.cases[name]?.value.length === 0);
    const empty = Object.entries(cases).filter(([name, { value }]) => value.length === 0 && !mayBeEmpty(name));
    return empty.map(([name]) => `is empty where ${by} is ${name}`);
  });

const pluralForms: Check = ({ choices, language }) => {
  const rules = new Intl.PluralRules(language);
  // Without "many" of Romance languages, which is for millions.
  const forms = [...new Set(Array.from({ length: 1_000 }, (_, count) => rules.select(count)))];
  return choices.flatMap(({ by, isPlural, cases }) =>
    forms.filter((form) => isPlural && !(form in cases)).map((form) => `{${by}} lacks ${form}`),
  );
};

/** In every case a text shows what the English one shows. */
const forgottenArguments: Check = (translation) => {
  const { key, text, ast, choices, english } = translation;
  const why = text.includes("'{") ? ": ' before a brace makes it text, ’ does not" : '';
  const names = argumentNames(key);
  const chosenBy = names.filter((name) => {
    return [...english.choices, ...choices].some(({ by, isPlural }) => by === name && !isPlural);
  });
  const cases = chosenBy.map((name) => [...casesOf(translation, name), 'other'].map((each) => [name, each] as const));
  const lacks = combinations(cases).flatMap((each) => {
    const [inEnglish, own] = [english.ast, ast].map((of) => argumentsIn(of, new Map(each)));
    const where = each.map(([argument, value]) => ` where ${argument} is ${value}`).join('');
    const forgotten = names.filter((name) => {
      const instead = names.filter((other) => explanationOf(key, other).includes(`instead of {${name}}`));
      const isIn = (shown: string[] = []) => [name, ...instead].some((each) => shown.includes(each));
      return !chosenBy.includes(name) && isIn(inEnglish) && !isIn(own);
    });
    return forgotten.map((name) => [name, `{${name}} is not shown${where}${why}`] as const);
  });
  return [...new Map(lacks.toReversed()).values()]; // of each argument the first
};

/** The arguments that a text shows in a case. @param counted whose `#` stands for a number */
function argumentsIn(ast: Ast, chosen: ReadonlyMap<string, string>, counted = ''): string[] {
  return ast.flatMap((part) => {
    if (part.type === TYPE.pound) return [counted];
    if (part.type === TYPE.literal || !('value' in part)) return [];
    if (!('options' in part)) return [part.value];
    const shown = part.options[chosen.get(part.value) ?? 'other'] ?? part.options.other;
    return argumentsIn(shown?.value ?? [], chosen, part.type === TYPE.plural ? part.value : counted);
  });
}

function combinations<T>(lists: readonly (readonly T[])[]): T[][] {
  return lists.reduce<T[][]>((all, list) => all.flatMap((chosen) => list.map((each) => [...chosen, each])), [[]]);
}

/** In French, these stand after a space that does not break, as what quotation marks enclose does. */
const BREAKING = /[^\S\u00a0\u202f][:;!?»]|«[^\S\u00a0\u202f]/;

const frenchSpaces: Check = ({ language, literals }) =>
  literals
    .filter((text) => language === 'fr' && BREAKING.test(text))
    .map((text) => `has a space that breaks in "${text}"`);

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

const length: Check = ({ key, message, names }) => {
  const [, limit] = /At most ([\d,]+) characters/.exec(explanationOf(key)) ?? [];
  const most = Number(limit?.replace(',', '') ?? (DECLARED.test(key) ? 100 : 2_000));
  const values = Object.fromEntries([...names, ...argumentNames(key)].map((name) => [name, 0]));
  const shown = String(message.format(values));
  return shown.length > most ? [`has ${shown.length} characters, of at most ${most}`] : [];
};

const CHECKS: readonly Check[] = [
  ...[unknownArguments, unknownCases, emptyCases, pluralForms, forgottenArguments],
  ...[frenchSpaces, relativeTime, plainDeclaration, length],
];
