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
  /** Literal text and paths in turn, beginning with text; `undefined` for a path alone. */
  readonly #template: readonly string[] | undefined;
  readonly #paths: ReadonlyMap<string, FieldPath>;

  constructor(text: string) {
    const parts = text.split(/\{([^{}]+)\}/);
    this.#template = parts.length > 1 ? parts : undefined;
    const paths = this.#template?.filter((_, index) => index % 2 === 1) ?? [text];
    this.#paths = new Map(paths.map((path) => [path, new FieldPath(path)]));
  }

  /**
   * @param otherwise what a name in a template means that the row does not have
   * @returns `undefined` when the row has no such value, or not all that the template needs
   * @throws UnusableValue
   */
  textIn(row: SourceRow, surroundings: Surroundings, otherwise?: (name: string) => string | undefined) {
    const at = (path: string) => textOf(path, this.#paths.get(path)?.valueIn(row, surroundings)) ?? otherwise?.(path);
    if (!this.#template) return at(this.#paths.keys().next().value ?? '');
    const parts = this.#template.map((part, index) => (index % 2 === 0 ? part : at(part)));
    return parts.includes(undefined) ? undefined : parts.join('');
  }

  /** The paths for which the row has no place. */
  missingIn(row: SourceRow): string[] {
    return [...this.#paths].filter(([, path]) => !path.isIn(row)).map(([text]) => text);
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

/** Where a value stands: `name`, `set.name` or `sets.0` within a field, `../name` in the object around the card, `@file`. */
class FieldPath {
  readonly #up: number;
  readonly #whole: string;
  readonly #steps: readonly string[];

  constructor(text: string) {
    const [outwards = ''] = /^(?:\.\.\/)*/.exec(text) ?? [];
    this.#up = outwards.length / '../'.length;
    this.#whole = text.slice(outwards.length);
    this.#steps = this.#whole.split('.');
  }

  /** @returns `undefined` when there is nothing */
  valueIn(row: SourceRow, surroundings: Surroundings): unknown {
    const scope = this.#scope(row);
    // A column of a CSV file may have dots in its name.
    const steps = own(scope, this.#whole) === undefined ? this.#steps : [this.#whole];
    let value: unknown = scope;
    for (const [index, step] of steps.entries()) {
      value = index === 0 ? first(value, step, surroundings) : own(value, step);
    }
    return value;
  }

  /** Whether the row has a place for the value, though it may be empty. */
  isIn(row: SourceRow): boolean {
    const [step = ''] = this.#steps;
    const scope = this.#scope(row);
    return step === FILE || (isObject(scope) && (Object.hasOwn(scope, this.#whole) || Object.hasOwn(scope, step)));
  }

  #scope({ value, around }: SourceRow): unknown {
    return this.#up === 0 ? value : around[this.#up - 1];
  }
}

function first(scope: unknown, step: string, { fileName, joined }: Surroundings): unknown {
  const value = step === FILE ? fileName : own(scope, step);
  return step === joined?.field ? joined.rows.get(String(value)) : value;
}

function own(scope: unknown, step: string): unknown {
  return typeof scope === 'object' && scope !== null && Object.hasOwn(scope, step)
    ? Reflect.get(scope, step)
    : undefined;
}
