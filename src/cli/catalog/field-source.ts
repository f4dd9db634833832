import { ownMember, Path, Template } from '../../model/field-source.ts';
import { LONGEST, type SourceRow, Unusable } from './source-row.ts';

/** What a path may lead to besides the row itself. */
export interface Surroundings {
  /** The imported file's name without its endings. */
  fileName: string;
  /** Rows of other files, which stand in for the values of fields: by field, then by its value. */
  joined: ReadonlyMap<string, ReadonlyMap<string, SourceRow>>;
}

/** The name of the imported file, without its endings. */
export const FILE = '@file';

/** Where a field of a card comes from in a file: a path in the row, or a template with paths in braces. */
export class FieldSource {
  readonly text: string;
  /** Whether any row had a value for it. */
  isFound = false;
  readonly #isTemplate: boolean;
  readonly #template: Template<RowPath>;

  constructor(text: string) {
    this.text = text;
    this.#isTemplate = Template.isOne(text);
    this.#template = new Template(this.#isTemplate ? text : `{${text}}`, (path) => new RowPath(path));
  }

  /** The paths without which it has no value. */
  get paths(): string[] {
    return this.#template.required.map(({ text }) => text);
  }

  /**
   * @param otherwise what a path means for which the row has no value
   * @returns `undefined` when the row has no such value, or not all that the template needs
   * @throws Unusable
   */
  textIn(row: SourceRow, around: Surroundings, otherwise?: (path: string) => string | undefined): string | undefined {
    const text = this.#template.filled(
      (path) => textOf(path.text, path.valuesIn(row, around)[0]) ?? otherwise?.(path.text),
    );
    this.isFound ||= Boolean(text);
    return text || undefined;
  }

  /** Each text of a list or, in CSV, each line; what is no text is left out. @throws Unusable for a template */
  textsIn(row: SourceRow, around: Surroundings): string[] {
    const values = this.#isTemplate
      ? [this.textIn(row, around)]
      : this.#template.required.flatMap((path) => path.valuesIn(row, around));
    const texts = values.flat().filter((each) => typeof each === 'string' || typeof each === 'number');
    const lines = texts.flatMap((each) => String(each).split('\n')).filter(Boolean);
    this.isFound ||= lines.length > 0;
    return lines;
  }
}

/** `name`, `set.name` or `sets.0` within a field, `../name` in the object around the card, `@file`. */
class RowPath {
  readonly text: string;
  readonly #levelsUp: number;
  readonly #name: string;
  /**
   * The column or member that it begins with, and what follows within; without that, it may be a column's name as a
   * whole.
   */
  readonly #first: string;
  readonly #inner: RowPath | undefined;
  readonly #within: Path | undefined;

  constructor(text: string) {
    this.text = text;
    this.#name = text.replace(/^(\.\.\/)+/, '');
    this.#levelsUp = (text.length - this.#name.length) / '../'.length;
    const dot = this.#name.indexOf('.');
    this.#first = dot < 0 ? this.#name : this.#name.slice(0, dot);
    this.#inner = dot < 0 ? undefined : new RowPath(this.#name.slice(dot + 1));
    this.#within = pathOf(this.#name);
  }

  /** The values that it leads to; none where there is nothing. */
  valuesIn(row: SourceRow, { fileName, joined }: Surroundings): unknown[] {
    const scope = [row.value, ...(row.around ?? [])][this.#levelsUp];
    // A column of a CSV file may be written in other capitals, and have dots in its name.
    const own = (name: string) => ownMember(scope, name) ?? ownMember(scope, row.columns?.get(name.toLowerCase()));
    const at = (name: string) => (name === FILE ? fileName : own(name));
    const whole = at(this.#name);
    if (whole !== undefined || !this.#inner) return [whole];
    const rows = joined.get(this.#first);
    if (!rows) return [...(this.#within?.valuesIn(scope) ?? [])];
    const other = rows.get(String(at(this.#first)));
    return other ? this.#inner.valuesIn(other, { fileName, joined: new Map() }) : [];
  }
}

/** @returns `undefined` for what can be the name of a column only, such as `Name [EN]` */
function pathOf(text: string): Path | undefined {
  try {
    return new Path(text);
  } catch {
    return undefined;
  }
}

function textOf(path: string, value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'object')
    throw new Unusable(`has a field ${path} with values within: name one, as in ${path}.name`);
  if (typeof value !== 'string' && typeof value !== 'number')
    throw new Unusable(`has a field ${path} that is neither text nor a number`);
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new Unusable(`has a field ${path} that is too large a number: write it in quotes`);
  const text = String(value);
  if (text.length > LONGEST) throw new Unusable(`has a field ${path} that is longer than 1 MB`);
  return text;
}
