import { decodeHTMLStrict } from 'entities/decode';
import { alsoOf, type CatalogCard, lineOf, releasedOf } from '../../catalog/catalog-card.ts';
import { idFault } from '../../model/card-id.ts';
import type { InvalidCardId } from '../../model/errors.ts';
import { FILE, FieldSource, type Surroundings } from './field-source.ts';
import { type SourceRow, Unusable } from './source-row.ts';

export const FIELDS = ['id', 'name', 'set', 'number', 'game', 'released', 'also'] as const;
export type Field = (typeof FIELDS)[number];

/** How the fields of a file become those of a card. */
export interface Mapping {
  /** By the card's field, a path or a template, of `also` several. Without an entry: the field of the same name. */
  map?: Readonly<{ [F in Field]?: string | readonly string[] | undefined }> | undefined;
  /** Names in braces are the file's fields, else the card's own. */
  idTemplate?: string | undefined;
  /** For cards without one. */
  game?: string | undefined;
}

/** Stands for bytes that are not UTF-8. */
const REPLACEMENT_CHARACTER = '\uFFFD';

const INVALID_IDS: Readonly<Record<InvalidCardId['reason'], string>> = {
  empty: 'has no id',
  halfCharacter: 'has an id with half a character',
  tooLong: 'has an id of more than 100 characters',
  controlCharacter: 'has an id with a control character',
  dotsOnly: 'has an id of dots only',
};

/** What Japanese words are read as, above them. */
const FURIGANA = /<rt>.*?<\/rt>|<\/?ruby>/g;

const SHOWN_COLUMNS = 20;
/** What the column of a field may be called. */
const LIKELY: Readonly<Record<string, RegExp>> = { id: /\bid\b|uuid|code/i, name: /\bname\b|title/i };

/** Makes cards of the rows of an import. */
export class CardMaker {
  readonly #id: FieldSource;
  readonly #sources: ReadonlyMap<string, readonly FieldSource[]>;
  readonly #game: string | undefined;
  readonly #mapping: Mapping;

  constructor(mapping: Mapping) {
    const { map = {}, idTemplate, game = '' } = mapping;
    this.#mapping = mapping;
    this.#game = lineOf(game) || undefined;
    this.#sources = new Map(
      FIELDS.map((field) => [field, [map[field] ?? field].flat().map((text) => new FieldSource(text))]),
    );
    this.#id = idTemplate === undefined ? this.#of('id') : new FieldSource(idTemplate);
  }

  /** @throws Unusable */
  cardOf(row: SourceRow, around: Surroundings): CatalogCard {
    if (row.refused !== undefined) throw new Unusable(row.refused);
    const text = (field: string) => this.#sources.get(field)?.[0]?.textIn(row, around);
    const line = (field: Field) => lineIn(text(field) ?? '') || undefined;
    const texts = (field: Field) => this.#sources.get(field)?.flatMap((source) => source.textsIn(row, around)) ?? [];
    const idText = this.#id.textIn(row, around, text);
    if (idText === undefined) throw new Unusable(`has no id${this.#whyNoId(row, around, text)}`);
    const id = idIn(idText);
    const [name, set, number, game = this.#game] = [line('name'), line('set'), line('number'), line('game')];
    if (name === undefined) throw new Unusable('has no name');
    const also = alsoOf(texts('also').map((each) => lineIn(each.replaceAll('_', ' ')))); // such as Super_rare
    const card = { id, name, set, number, game, also, released: releasedOf(texts('released')[0] ?? '') };
    if (Object.values(card).flat().join('').includes(REPLACEMENT_CHARACTER)) throw new Unusable('is not UTF-8');
    return card;
  }

  /** @throws Unusable when a CSV file has no column for what cards need, or an object no field */
  checkColumns(columns: ReadonlyMap<string, string>, kind: 'column' | 'field' = 'column'): void {
    const names = [...columns.values()];
    if (this.#lacking((name) => columns.has(name.toLowerCase())).length === 0) return;
    if (names.length === 1 && /[,;\t]/.test(names[0] ?? ''))
      throw new Unusable('has its rows in quotes as a whole: save it as CSV without them');
    const missing = this.#lacking((name) => names.includes(name));
    const mapped = missing.filter((path) => this.#sources.has(path));
    const likely = mapped.map((field) => {
      const column = columns.get(field) ?? names.find((name) => LIKELY[field]?.test(name)) ?? kind.toUpperCase();
      return `${field}=${/^[\w.-]+$/.test(column) ? column : `'${column}'`}`;
    });
    const needs = `the ${kind}${missing.length > 1 ? 's' : ''} ${missing.map((path) => `\`${path}\``).join(' and ')}`;
    const cure = likely.length > 0 ? `Use \`--map ${likely.join()}\`` : 'Correct --map or --id-template';
    const some = [...names.slice(0, SHOWN_COLUMNS).map(lineOf), ...(names.length > SHOWN_COLUMNS ? ['…'] : [])];
    throw new Unusable(`needs ${needs}; it has ${some.join(', ')}. ${cure}`);
  }

  /** What the id is made of that this row has not, unless that is the id itself. */
  #whyNoId(row: SourceRow, around: Surroundings, otherwise: (field: string) => string | undefined): string {
    const empty = this.#id.paths.find(
      (path) => !new FieldSource(path).textIn(row, around, otherwise) && !otherwise(path),
    );
    const [field = ''] = empty?.split('.') ?? [];
    if (around.joined.has(field)) return `: no row of the joined file has its ${field}`;
    return empty === undefined || empty === 'id' ? '' : `: its ${empty} is empty`;
  }

  #of(field: Field): FieldSource {
    return this.#sources.get(field)?.[0] as FieldSource;
  }

  /** The paths to a card's id and name that begin with no such column. */
  #lacking(isColumn: (name: string) => boolean): string[] {
    const isThere = (path: string) => [path, ...path.split('.', 1)].some((name) => name === FILE || isColumn(name));
    const isOwn = (path: string) => this.#sources.get(path)?.[0]?.paths.every(isThere);
    const ofId = this.#id.paths.filter((path) => !isThere(path) && !isOwn(path));
    return [...ofId, ...this.#of('name').paths.filter((path) => !isThere(path))];
  }

  /** What of the mapping had no value in any row, as `set=set.name`. */
  unfound(): string[] {
    return Object.keys(this.#mapping.map ?? {}).flatMap((field) =>
      (this.#sources.get(field) ?? []).flatMap(({ isFound, text }) => (isFound ? [] : `${field}=${text}`)),
    );
  }
}

/** @throws Unusable */
function idIn(text: string): string {
  const fault = idFault(text.trim());
  if (fault) throw new Unusable(INVALID_IDS[fault]);
  return copied(text.trim());
}

function lineIn(text: string): string {
  return copied(lineOf(decodeHTMLStrict(text.replace(FURIGANA, ''))));
}

/** A string of its own: what a reader gives may hold the chunk of the file that it is a part of, 64 KiB and more. */
function copied(text: string): string {
  return Buffer.from(text).toString();
}
