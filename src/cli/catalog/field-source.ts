import { isObject, type SourceRow } from './source-row.ts';

/** Rows of another file, which stand in for the value of a field. */
export interface Joined {
  /** Its value is looked up in the other file. `@file`: the name of the imported file, without its endings. */
  field: string;
  rows: ReadonlyMap<string, object>;
}

/** What a path may lead to besides the row itself. */
export interface Surroundings {
  /** The imported file's name without its endings. */
  fileName: string;
  joined: Joined | undefined;
}

/** A value that is no text. The message reads on after the place of its row. */
export class UnusableValue extends Error {
  override name = 'UnusableValue';
}

const FILE = '@file';

/** Where a field of a card comes from: a path in the row, or a template with paths in braces, `{number}/{set.total}`. */
export class FieldSource {
  /** Literal text and paths in turn, beginning with text. */
  readonly #parts: readonly string[];
  readonly #surroundings: Surroundings;

  constructor(text: string, surroundings: Surroundings) {
    const parts = text.split(/\{([^{}]+)\}/);
    this.#parts = parts.length > 1 ? parts : ['', text];
    this.#surroundings = surroundings;
  }

  /**
   * @param otherwise what a path means for which the row has no value
   * @returns `undefined` when the row has no such value, or not all that the template needs
   * @throws UnusableValue
   */
  textIn(row: SourceRow, otherwise?: (path: string) => string | undefined): string | undefined {
    const at = (path: string) => textOf(path, valueAt(path, row, this.#surroundings)) ?? otherwise?.(path);
    const texts = this.#parts.map((part, index) => (index % 2 === 0 ? part : at(part)));
    return texts.includes(undefined) ? undefined : texts.join('');
  }

  /** The paths for which the row has no place. One that is there may be empty. */
  missingIn(row: SourceRow): string[] {
    return this.#parts.filter((part, index) => index % 2 === 1 && !hasPlace(part, row));
  }
}

function textOf(path: string, value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'object')
    throw new UnusableValue(`has a field ${path} with values within: name one, as in ${path}.name`);
  if (typeof value !== 'number') throw new UnusableValue(`has a field ${path} that is neither text nor a number`);
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new UnusableValue(`has a field ${path} that is too large a number: write it in quotes`);
  return String(value);
}

/**
 * @param path `name`, `set.name` or `sets.0` within a field, `../name` in the object around the card, `@file`
 * @returns `undefined` when there is nothing
 */
function valueAt(path: string, row: SourceRow, { fileName, joined }: Surroundings): unknown {
  const { scope, name } = located(path, row);
  // A column of a CSV file may have dots in its name.
  const [first = '', ...inner] = own(scope, name) === undefined ? name.split('.') : [name];
  const value = first === FILE ? fileName : own(scope, first);
  return inner.reduce(own, first === joined?.field ? joined.rows.get(String(value)) : value);
}

function hasPlace(path: string, row: SourceRow): boolean {
  const { scope, name } = located(path, row);
  const [first = ''] = name.split('.');
  return first === FILE || (isObject(scope) && [name, first].some((each) => Object.hasOwn(scope, each)));
}

/** Each `../` goes to the next object around the card. */
function located(path: string, { value, around }: SourceRow): { scope: unknown; name: string } {
  const name = path.replace(/^(\.\.\/)+/, '');
  return { scope: [value, ...around][(path.length - name.length) / '../'.length], name };
}

function own(scope: unknown, step: string): unknown {
  return typeof scope === 'object' && scope !== null && Object.hasOwn(scope, step)
    ? Reflect.get(scope, step)
    : undefined;
}
