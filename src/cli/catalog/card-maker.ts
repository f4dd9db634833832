import { type CatalogCard, lineOf } from '../../catalog/catalog-card.ts';
import { parseCardId } from '../../model/card.ts';
import { InvalidCardId } from '../../model/errors.ts';
import { FieldSource, type Joined, UnusableValue } from './field-source.ts';
import type { SourceRow } from './source-row.ts';

export const FIELDS = ['id', 'name', 'set', 'number', 'game'] as const;
export type Field = (typeof FIELDS)[number];

/** How the fields of a file become those of a card. */
export interface Mapping {
  /** By the card's field, a path or a template. Without an entry: the field of the same name. */
  map?: Readonly<Partial<Record<Field, string>>> | undefined;
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

/** Makes cards of the rows of one file. */
export class CardMaker {
  readonly #id: FieldSource;
  readonly #sources: ReadonlyMap<string, FieldSource>;
  readonly #game: string | undefined;

  /** @param fileName with its endings */
  constructor({ map, idTemplate, game }: Mapping, fileName: string, joined?: Joined) {
    const surroundings = { fileName: fileName.replace(/(?<=.)\..*$/, ''), joined };
    const sourceOf = (text: string) => new FieldSource(text, surroundings);
    this.#sources = new Map(FIELDS.map((field) => [field, sourceOf(map?.[field] ?? field)]));
    this.#id = sourceOf(idTemplate ?? map?.id ?? 'id');
    this.#game = game;
  }

  /** @returns the card, or why there is none, which reads on after the place of the row */
  cardOf(row: SourceRow): CatalogCard | string {
    try {
      const text = (field: string) => this.#sources.get(field)?.textIn(row);
      const id = parseCardId(this.#id.textIn(row, text) ?? '');
      const line = (value: string | undefined) => (value === undefined ? undefined : lineOf(value) || undefined);
      const [name, set, number] = [line(text('name')), line(text('set')), line(text('number'))];
      const card = { id, name: name ?? '', set, number, game: line(text('game') ?? this.#game) };
      if (Object.values(card).some((value) => value?.includes(REPLACEMENT_CHARACTER))) return 'is not UTF-8';
      return name === undefined ? 'has no name' : card;
    } catch (error) {
      if (error instanceof InvalidCardId) return INVALID_IDS[error.reason];
      if (error instanceof UnusableValue) return error.message;
      throw error;
    }
  }

  /** The fields that cards need and for which the row has no place. */
  missingIn(row: SourceRow): string[] {
    const isOwn = (name: string) => this.#sources.get(name)?.missingIn(row).length === 0;
    const missing = this.#id.missingIn(row).filter((name) => !isOwn(name));
    return [...missing, ...(this.#sources.get('name')?.missingIn(row) ?? [])];
  }
}
