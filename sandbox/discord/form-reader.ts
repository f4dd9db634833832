import { type Mistake, mistake, type Path, refuse } from './form-error.ts';
import {
  choicesOf,
  type FormName,
  isOfType,
  mayBeFor,
  named,
  resolved,
  type Schema,
  typeOf,
  typesOf,
} from './specification.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Texts that are not trimmed: names that a pattern is for, and what a bot gets back; components/reference, "Custom ID". */
const EXACT = /\.(?:custom_id|filename|nonce)$|SelectOptionForRequest\.value$|(?:Option|UpdateRequest)\.name/;

/** Parts of an embed that Discord validates and then finds out itself; resources/message, "Embed Structure". */
const FOUND_BY_DISCORD =
  /^RichEmbed\.(?:type|provider|video)$|^RichEmbed\w+\.(?:width|height|placeholder\w*|is_animated)$/;

/**
 * The body as the specification has it: without unknown fields; texts are trimmed before they are counted (resources/message,
 * "Embed Limits"); null stands for "absent", and stays in the body itself alone, where it can mean "none from now on".
 *
 * @param at before every path of an error
 * @throws ApiError 50035
 */
export function readForm<T>(name: FormName, body: unknown, at: Path = []): T {
  const found: Mistake[] = [];
  const form = readValue(named(name), { at: name, path: [], found }, body);
  refuse(found, at);
  return form as T;
}

/** The fields of a body, as they are. @throws ApiError 50035 */
export function fieldsIn(body: unknown): Fields {
  if (typeOf(body) === 'object') return body as Fields;
  throw mistake([], ...(WRONG_TYPE.object as [string, string]));
}

/** Where a value stands. */
interface Place {
  /** The name of its schema, or of the one around it and the field, such as `RichEmbedField.name`. */
  at: string;
  path: Path;
  /** Gets what is wrong with it. */
  found: Mistake[];
}

/** The error of Discord's converter for a value of the wrong JSON type. */
const WRONG_TYPE: Readonly<Record<string, readonly [code: string, message: string]>> = {
  string: ['STRING_TYPE_CONVERT', 'Could not interpret value as string.'],
  number: ['NUMBER_TYPE_COERCE', 'Value is not a number.'],
  integer: ['NUMBER_TYPE_COERCE', 'Value is not int.'],
  boolean: ['BOOLEAN_TYPE_CONVERT', 'Must be either true or false.'],
  array: ['LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType'],
  object: ['DICT_TYPE_CONVERT', 'Only dictionaries may be used in a DictType'],
  null: ['NOT_EMULATED', 'The emulated Discord does not have this.'],
};

function readValue(schema: Schema, place: Place, value: unknown): unknown {
  const { $ref, anyOf } = schema;
  if ($ref !== undefined) return readValue(named($ref), named($ref).properties ? { ...place, at: $ref } : place, value);
  if (anyOf) return readAny(anyOf, place, value);
  if (value === undefined) return wrong(place, 'BASE_TYPE_REQUIRED', 'This field is required');
  const types = typesOf(schema);
  const [type = ''] = types;
  if (value === null && types.includes('null')) return null;
  if (!isOfType(type, value)) return wrong(place, ...(WRONG_TYPE[type] ?? ['', '']));
  const choices = choicesOf(schema);
  if (choices && !choices.includes(value)) {
    return wrong(place, 'BASE_TYPE_CHOICES', `Value must be one of {${choices.join(', ')}}.`);
  }
  if (typeof value === 'string') return readText(schema, place, value);
  if (typeof value === 'number') return readNumber(schema, place, value);
  if (Array.isArray(value)) return readList(schema, place, value);
  return typeof value === 'object' ? readFields(schema, place, value as Fields) : value;
}

/** Of the alternatives for a component, an option or a choice those are tried that its `type`, or its own, may be for. */
function readAny(alternatives: readonly Schema[], place: Place, value: unknown): unknown {
  const fitting = alternatives.filter((each) => mayBeFor(each, value));
  if (fitting.length === 0 && typeOf(value) === 'object') {
    const types = alternatives.flatMap((each) => choicesOf(resolved(each).properties?.type ?? {}) ?? []);
    return wrong(place, 'UNION_TYPE_CHOICES', `Value of field "type" must be one of (${types.join(', ')}).`);
  }
  const tried = (fitting.length > 0 ? fitting : alternatives.slice(0, 1)).map((each) => {
    const found: Mistake[] = [];
    return { form: readValue(each, { ...place, found }, value), found };
  });
  const best = tried.find(({ found }) => found.length === 0) ?? tried[0];
  place.found.push(...(best?.found ?? []));
  return best?.form;
}

function readText({ minLength, maxLength, pattern, format }: Schema, place: Place, value: string): string {
  const text = pattern !== undefined || format !== undefined || EXACT.test(place.at) ? value : value.trim();
  if (hasWrongLength(place, text, minLength, maxLength)) return text;
  // The one pattern of the specification
  if (!new RegExp(pattern ?? '').test(text)) wrong(place, 'NUMBER_TYPE_COERCE', 'Value is not snowflake.');
  if (format === 'uri' && !URL.canParse(text)) wrong(place, 'URL_TYPE_INVALID_URL', 'Not a well formed URL.');
  if (format === 'date-time' && Number.isNaN(Date.parse(text)))
    wrong(place, 'DATE_TIME_TYPE_PARSE', 'Should be ISO8601.');
  return text;
}

function readNumber({ minimum, maximum }: Schema, place: Place, value: number): number {
  if (minimum !== undefined && value < minimum) {
    wrong(place, 'NUMBER_TYPE_MIN', `int value should be greater than or equal to ${minimum}.`);
  }
  if (maximum !== undefined && value > maximum) {
    wrong(place, 'NUMBER_TYPE_MAX', `int value should be less than or equal to ${maximum}.`);
  }
  return value;
}

function readList({ items, minItems, maxItems, uniqueItems }: Schema, place: Place, list: readonly unknown[]): unknown {
  if (hasWrongLength(place, list, minItems, maxItems)) return list;
  if (uniqueItems && new Set(list).size < list.length) wrong(place, 'SET_TYPE_DUPLICATE', 'Must be unique.');
  const read = list.map((item, index) => readValue(items ?? {}, { ...place, path: [...place.path, index] }, item));
  return read.filter((item) => item !== null);
}

function readFields(schema: Schema, { at, path, found }: Place, value: Fields): Fields {
  const { properties, required = [], additionalProperties = {} } = schema;
  const keys = Object.keys(properties ?? value).filter((key) => value[key] !== undefined || required.includes(key));
  const fields = keys.map((key) => {
    const place = { at: `${at}.${key}`, path: [...path, key], found };
    return [place.at, key, readValue(properties?.[key] ?? additionalProperties, place, value[key])] as const;
  });
  const kept = fields.filter(
    ([name, , field]) => !FOUND_BY_DISCORD.test(name) && (field !== null || path.length === 0),
  );
  return Object.fromEntries(kept.map(([, key, field]) => [key, field]));
}

function hasWrongLength(place: Place, value: { length: number }, min = 0, max = Number.POSITIVE_INFINITY): boolean {
  const isWrong = value.length < min || value.length > max;
  if (isWrong && min === 0) wrong(place, 'BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`);
  else if (isWrong) wrong(place, 'BASE_TYPE_BAD_LENGTH', `Must be between ${min} and ${max} in length.`);
  return isWrong;
}

function wrong({ path, found }: Place, code: string, message: string): undefined {
  found.push({ path, code, message });
}
