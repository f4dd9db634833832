import { decodeHTMLStrict } from 'entities/decode';
import type { CatalogCard } from '../../catalog/text.ts';
import { idFault } from '../../model/card-id.ts';
import { plainText } from '../../render/formats.ts';
import { Source, Template } from '../../service/field-source.ts';
import { CliFailure } from '../context.ts';
import { AROUND, keyOf, type List, needed, type Row, rowsOf, Unusable } from './files.ts';

export const FIELDS = ['id', 'name', 'set', 'number', 'game', 'released', 'also'] as const;
type Field = (typeof FIELDS)[number];

/** How the fields of a file become those of a card. */
export interface Mapping {
  /**
   * By the card's field, paths or templates, of which the first counts that has a text, of `also` all. Without an
   * entry: the field of the same name.
   */
  map?: Partial<Record<Field, string | readonly string[] | undefined>> | undefined;
  /** Names in braces are the file's fields, else the card's own. */
  idTemplate?: string | undefined;
  /** For cards without one. */
  game?: string | undefined;
  /** Where cards stand in JSON documents; `undefined`: each is an array of them. */
  rows?: string | undefined;
}

/** What is imported, and how its rows are read. */
export interface Given {
  lists: readonly List[];
  flags: Mapping;
  joins: readonly Join[];
}

/** Another file, whose rows stand in for the values of a field. */
export interface Join extends Pick<List, 'name' | 'bytes'> {
  field: string;
  /** Where its rows are, if it is a JSON document. */
  rows?: string | undefined;
  /** The field of its rows that has those values; `undefined`: the field of the same name, else `id`. */
  key?: string | undefined;
}

/** `groupId=Groups.csv`, `set=sets.json:code`, `set=sets.json:data.*:code`; nothing for a text of another form. */
export function joinIn(text: string, fileAt: (place: string) => Pick<List, 'name' | 'bytes'>): Join | undefined {
  const [, field, place, rows, key] = /^\s*([^=]+?)\s*=\s*(.+?)(?::([^:/]*))??(?::([^:/]+))?$/.exec(text) ?? [];
  return field && place ? { field, rows, key, ...fileAt(place) } : undefined;
}

/** Its rows by those values. */
export interface Joined {
  field: string;
  isTable: boolean;
  rows: ReadonlyMap<string, object>;
}

/** @throws CliFailure */
export function readJoined({ field, rows: rowsPath, key, name, bytes }: Join): Promise<Joined> {
  return needed(name, async () => {
    const keys = key ? [key] : [field, 'id'];
    const byKey = new Map<string, object>();
    const { isTable, rows } = await rowsOf(bytes(), rowsPath);
    const source = sourceOf(keys, isTable);
    for await (const { value } of rows) {
      const text = source.textIn({ value });
      if (text) byKey.set(text, value);
    }
    if (byKey.size === 0) throw new Unusable(`has no row with ${keys.join(' or ')}`);
    return { field, isTable, rows: byKey };
  });
}

const LONGEST_LIST = 200;

/**
 * Says which of id and name an object has not, although no other field is mapped to it; reads on after its file's name.
 */
export function lackOf({ map, idTemplate: id }: Mapping, row: object): string | undefined {
  const known = { ...row, ...map, ...(id && { id }) };
  const missing = ['id', 'name'].filter((field) => !(field in known));
  if (missing.length === 0) return undefined;
  const fields = plainText(Object.keys(row).join(', '), LONGEST_LIST);
  return `has no ${missing.join(' and no ')}, only ${fields}: say with --map which it is, or with --rows where cards are`;
}

/** The member of a row that is the name of the imported file, without its endings. */
const FILE = '@file';
/** Begins the members of a row that are rows of other files. */
const JOINED = '@joined';
/** More names and words of one card are ignored. */
const MOST_ALSO = 30;
/** Stands for bytes that are not UTF-8. */
const REPLACEMENT_CHARACTER = '\uFFFD';

/** A path in braces, or a part in brackets that is left out where what it names is empty. */
const PARTS = /\[[^[\]]*\{[^[\]]*\]|\{[^{}]+\}/g;

/**
 * Makes cards of the rows of one file: each becomes one object, in which what is around it, the name of its file and
 * the rows that are joined are members, too, and the card's fields are read from that.
 *
 * @returns a function that throws Unusable
 */
export function cardReader(
  { map = {}, idTemplate, game: gameOfOthers = '' }: Mapping,
  joined: readonly Joined[],
  file: string,
  isTable = false,
): (row: Row) => CatalogCard {
  const fieldOf = (name: Field, isList = false): Read => {
    const texts = [(name === 'id' && idTemplate) || (map[name] ?? name)].flat();
    return { name, texts, source: sourceOf(texts, isTable, joined, isList) };
  };
  const id = fieldOf('id');
  const name = fieldOf('name');
  const set = fieldOf('set');
  const number = fieldOf('number');
  const game = fieldOf('game');
  // A path of these may lead to several texts, or to something else.
  const released = fieldOf('released', true).source;
  const also = fieldOf('also', true).source;
  const joins = joined.map(({ field, rows }) => ({ rows, source: sourceOf([field], isTable) }));

  const lack = ({ name, texts: [text = ''] }: Read, value: object): never => {
    const required = text.match(PARTS)?.filter((part) => part.startsWith('{'));
    const parts = required?.map((part) => part.slice(1, -1)) ?? [text];
    const empty = parts.find((path) => !sourceOf([path], isTable, joined).textIn({ value })) ?? name;
    throw new Unusable(empty === name ? `has no ${name}` : `has no ${name}: its ${empty} is empty`);
  };

  return (row) => {
    if (row.refused) throw new Unusable(row.refused);
    const value: Record<string, unknown> = { ...row.value, [FILE]: file };
    for (const [at, { rows, source }] of joins.entries()) value[JOINED + at] = rows.get(source.textIn({ value }) ?? '');

    const texts = also.textsIn({ value }).flatMap((text) => text.replaceAll('_', ' ').split('\n')); // such as Super_rare
    const words = new Set(texts.map(readable).filter(Boolean));
    const printed = {
      name: lineIn(name, value),
      set: lineIn(set, value),
      number: lineIn(number, value),
      game: lineIn(game, value) ?? (lineOf(gameOfOthers) || undefined),
    };
    const ofId = { ...printed, ...value };
    const card = {
      ...printed,
      id: fitting(textIn(id, ofId) ?? lack(id, ofId)),
      name: printed.name ?? lack(name, value),
      also: words.size > 0 ? [...words].slice(0, MOST_ALSO) : undefined,
      released: releasedOf(released.textIn({ value })),
    };
    if (Object.values(card).flat().join('').includes(REPLACEMENT_CHARACTER)) throw new Unusable('is not UTF-8');
    return card;
  };
}

/** Where the texts of a card's field come from. */
interface Read {
  name: Field;
  /** The sources as the operator wrote them. */
  texts: readonly string[];
  /** In the object that is made of a row. */
  source: Source;
}

/** @param isList whether lists stand for their members @throws CliFailure for what is no path */
function sourceOf(texts: readonly string[], isTable: boolean, joined: readonly Joined[] = [], isList = false): Source {
  const paths = texts.map((text) => inRow(text, isTable, joined));
  try {
    return new Source(isList ? paths.flatMap((path) => (Template.isOne(path) ? path : [path, `${path}.*`])) : paths);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new CliFailure(`${texts.join()} is in no file: write ${error.message}.`, { cause: error });
  }
}

/** A path or a template as operators write it, as the one in the object that is made of a row. */
function inRow(text: string, isTable: boolean, joined: readonly Joined[]): string {
  if (Template.isOne(text)) return text.replace(/(?<=\{)[^{}]+/g, (path) => inRow(path, isTable, joined));
  const at = joined.findIndex(({ field }) => text.startsWith(`${field}.`));
  const join = joined[at];
  if (join) return `${JOINED}${at}.${inRow(text.slice(join.field.length + 1), join.isTable, [])}`;
  return isTable ? keyOf(text) : text.replaceAll('../', `${AROUND}.`);
}

/** @throws Unusable for what is no text */
function textIn({ texts, source }: Read, row: object): string | undefined {
  const value = source.valueIn({ value: row });
  if (value === undefined) return undefined;
  if (typeof value !== 'string' && typeof value !== 'number')
    throw new Unusable(`has a field ${texts} that is no text: name one within it, as in ${texts}.name`);
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new Unusable(`has a field ${texts} that is too large a number: write it in quotes`);
  return String(value);
}

function lineIn(field: Read, row: object): string | undefined {
  return readable(textIn(field, row) ?? '') || undefined;
}

/** By the faults that an id may have. */
const INVALID_IDS = {
  empty: 'has no id',
  halfCharacter: 'has an id with half a character',
  tooLong: 'has an id of more than 100 characters',
  controlCharacter: 'has an id with a control character',
  dotsOnly: 'has an id of dots only',
};

/** Spreadsheets write long numbers so: `8,96311E+07`. */
const ROUNDED = /^\d(?:[.,]\d+)?E\+\d+$/i;

/** @throws Unusable */
function fitting(id: string): string {
  const fault = idFault(id.trim());
  if (fault) throw new Unusable(INVALID_IDS[fault]);
  if (ROUNDED.test(id))
    throw new Unusable('has an id that a spreadsheet has rounded: export the list again with ids as text');
  return copied(id.trim());
}

const DATE = /^(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2})(?!\d))?)?(?!\d)/;

/** A day, month or year as `2016-07-14`, `2016-07` or `2016`, so that dates compare as texts. */
function releasedOf(text = ''): string | undefined {
  const [, ...parts] = DATE.exec(text) ?? [];
  return parts.flatMap((part) => part?.padStart(2, '0') ?? []).join('-') || undefined;
}

/** What Japanese words are read as, above them. */
const FURIGANA = /<rt>.*?<\/rt>|<\/?ruby>/g;

function readable(text: string): string {
  return copied(lineOf(decodeHTMLStrict(text.replace(FURIGANA, ''))));
}

const LONGEST_TEXT = 300;
/** Most texts are such a line already, and need no change. */
const PLAIN_LINE = /^[!-~]+(?: [!-~]+)*$/;

/** One line of text: whatever separates its words, controls included, becomes a blank. */
function lineOf(text: string): string {
  if (text.length <= LONGEST_TEXT && PLAIN_LINE.test(text)) return text;
  return text
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_TEXT)
    .replace(/\p{Cs}$/u, ''); // half of the character at which it was cut
}

/** A string of its own: what a reader gives may hold the chunk of the file that it is a part of, 64 KiB and more. */
function copied(text: string): string {
  return Buffer.from(text).toString();
}
