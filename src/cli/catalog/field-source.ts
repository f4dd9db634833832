import { isObject, type SourceRow } from './source-row.ts';

/** Rows of other files, which stand in for the values of fields: by field, then by its value. */
export type Joined = ReadonlyMap<string, ReadonlyMap<string, SourceRow>>;

/** What a path may lead to besides the row itself. */
export interface Surroundings {
  /** The imported file's name without its endings. */
  fileName: string;
  joined: Joined;
}

/** A value that is no text. The message reads on after the place of its row. */
export class UnusableValue extends Error {
  override name = 'UnusableValue';
}

/** The name of the imported file, without its endings. */
const FILE = '@file';
/** A path in braces; in brackets, a part of a template that is left out when a path in it has no value. */
const PARTS = /(\[[^[\]]*\{[^[\]]*\]|\{[^{}]+\})/;

type Part = string | { path: string } | { optional: readonly Part[] };

/** Where a field of a card comes from: a path in the row, or a template with paths in braces, `{number}[/{set.total}]`. */
export class FieldSource {
  readonly text: string;
  readonly #parts: readonly Part[];
  readonly #surroundings: Surroundings;

  constructor(text: string, surroundings: Surroundings) {
    this.text = text;
    this.#parts = PARTS.test(text) ? partsOf(text) : [{ path: text }];
    this.#surroundings = surroundings;
  }

  /**
   * @param otherwise what a path means for which the row has no value
   * @returns `undefined` when the row has no such value, or not all that the template needs
   * @throws UnusableValue
   */
  textIn(row: SourceRow, otherwise?: (path: string) => string | undefined): string | undefined {
    const at = (path: string) => textOf(path, valueAt(path, row, this.#surroundings)) ?? otherwise?.(path);
    return filled(this.#parts, at) || undefined;
  }

  /** Each text of a list or, in CSV, each line; what is no text is left out. @throws UnusableValue for a template */
  textsIn(row: SourceRow): string[] {
    const [part] = this.#parts;
    const isPath = this.#parts.length === 1 && typeof part === 'object' && 'path' in part;
    const value = isPath ? valueAt(part.path, row, this.#surroundings) : this.textIn(row);
    return [value].flat().flatMap((each) => {
      if (typeof each === 'number') return String(each);
      return typeof each === 'string' ? each.split('\n').filter(Boolean) : [];
    });
  }

  /** The paths for which the row has no place. One that is there may be empty. */
  missingIn(row: SourceRow): string[] {
    return this.#parts.flatMap((part) =>
      typeof part === 'object' && 'path' in part && !hasPlace(part.path, row) ? part.path : [],
    );
  }
}

function partsOf(text: string): Part[] {
  return text.split(PARTS).map((part, index) => {
    if (index % 2 === 0) return part;
    const within = part.slice(1, -1);
    return part.startsWith('{') ? { path: within } : { optional: partsOf(within) };
  });
}

function filled(parts: readonly Part[], at: (path: string) => string | undefined): string | undefined {
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') text += part;
    else if ('optional' in part) text += filled(part.optional, at) ?? '';
    else {
      const value = at(part.path);
      if (value === undefined) return undefined;
      text += value;
    }
  }
  return text;
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
  const at = (step: string) => own(scope, columnOf(step, row));
  // A column of a CSV file may have dots in its name.
  const [first = '', ...inner] = at(name) === undefined ? name.split('.') : [name];
  const value = first === FILE ? fileName : at(first);
  const rows = joined.get(first);
  if (!rows || inner.length === 0) return inner.reduce(own, value);
  const other = rows.get(String(value));
  return other && valueAt(inner.join('.'), other, { fileName, joined: new Map() });
}

function hasPlace(path: string, row: SourceRow): boolean {
  const { scope, name } = located(path, row);
  const [first = ''] = name.split('.');
  return first === FILE || (isObject(scope) && [name, first].some((each) => Object.hasOwn(scope, columnOf(each, row))));
}

/** A column of a CSV file may be written in other capitals. */
function columnOf(name: string, { value, columns }: SourceRow): string {
  return columns === undefined || Object.hasOwn(value, name) ? name : (columns.get(name.toLowerCase()) ?? name);
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
