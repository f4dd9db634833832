import { alsoOf, type CatalogCard, lineOf, releasedOf } from '../../catalog/catalog-card.ts';
import { parseCardId } from '../../model/card.ts';
import { InvalidCardId } from '../../model/errors.ts';
import { FieldSource, type Joined, UnusableValue } from './field-source.ts';
import type { SourceRow } from './source-row.ts';

export const FIELDS = ['id', 'name', 'set', 'number', 'game', 'released', 'also'] as const;
export type Field = (typeof FIELDS)[number];

/** How the fields of a file become those of a card. */
export interface Mapping {
  /** By the card's field, a path or a template, of `also` several. Without an entry: the field of the same name. */
  map?: Readonly<Partial<Record<Field, string | readonly string[]>>> | undefined;
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

/** Makes cards of the rows of one file. */
export class CardMaker {
  readonly #id: FieldSource;
  readonly #sources: ReadonlyMap<Field, readonly FieldSource[]>;
  readonly #mapped: readonly { field: Field; source: FieldSource }[];
  readonly #game: string | undefined;
  readonly #found = new Set<FieldSource>();

  /** @param fileName with its endings */
  constructor({ map = {}, idTemplate, game }: Mapping, fileName: string, joined: Joined = new Map()) {
    const surroundings = { fileName: fileName.replace(/(?<=.)\..*$/, ''), joined };
    const sourceOf = (text: string) => new FieldSource(text, surroundings);
    this.#sources = new Map(FIELDS.map((field) => [field, [map[field] ?? field].flat().map(sourceOf)]));
    // Without an id or a name there is no card.
    const mapped = FIELDS.filter((field) => field !== 'id' && field !== 'name' && map[field] !== undefined);
    this.#mapped = mapped.flatMap((field) => this.#sources.get(field)?.map((source) => ({ field, source })) ?? []);
    this.#id = idTemplate === undefined ? this.#source('id') : sourceOf(idTemplate);
    this.#game = game;
  }

  /** @returns the card, or why there is none, which reads on after the place of the row */
  cardOf(row: SourceRow): CatalogCard | string {
    try {
      const text = (field: string) => (isField(field) ? this.#textIn(row, field) : undefined);
      const id = copied(parseCardId(this.#id.textIn(row, text) ?? ''));
      const [name, set, number, game] = [text('name'), text('set'), text('number'), text('game') ?? this.#game].map(
        lineIn,
      );
      const also = alsoOf(this.#textsIn(row, 'also').map((each) => lineIn(each) ?? ''));
      const released = releasedOf(this.#textsIn(row, 'released')[0] ?? '');
      const card = { id, name: name ?? '', set, number, game, also, released };
      if (
        Object.values(card)
          .flat()
          .some((value) => value?.includes(REPLACEMENT_CHARACTER))
      )
        return 'is not UTF-8';
      return name === undefined ? 'has no name' : card;
    } catch (error) {
      if (error instanceof InvalidCardId) return INVALID_IDS[error.reason];
      if (error instanceof UnusableValue) return error.message;
      throw error;
    }
  }

  /** The fields that cards need and for which the row has no place. */
  missingIn(row: SourceRow): string[] {
    const isOwn = (name: string) => isField(name) && this.#source(name).missingIn(row).length === 0;
    const missing = this.#id.missingIn(row).filter((name) => !isOwn(name));
    return [...missing, ...this.#source('name').missingIn(row)];
  }

  /** What of the mapping had no value in any row, as `set=set.name`. */
  unfound(): string[] {
    return this.#mapped.flatMap(({ field, source }) => (this.#found.has(source) ? [] : `${field}=${source.text}`));
  }

  #source(field: Field): FieldSource {
    return this.#sources.get(field)?.[0] as FieldSource;
  }

  #textIn(row: SourceRow, field: Field): string | undefined {
    const source = this.#source(field);
    const text = source.textIn(row);
    if (text !== undefined) this.#found.add(source);
    return text;
  }

  /** Reads a field that a card can do without: anything but a text is left out. */
  #textsIn(row: SourceRow, field: Field): string[] {
    return (this.#sources.get(field) ?? []).flatMap((source) => {
      const texts = source.textsIn(row);
      if (texts.length > 0) this.#found.add(source);
      return texts;
    });
  }
}

function isField(name: string): name is Field {
  return FIELDS.some((field) => field === name);
}

function lineIn(text: string | undefined): string | undefined {
  return (text && copied(lineOf(text.replace(FURIGANA, '')))) || undefined;
}

/** A string of its own: what a reader gives may hold the chunk of the file that it is a part of, 64 KiB and more. */
function copied(text: string): string {
  return Buffer.from(text).toString();
}
