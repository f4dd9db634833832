import { isObject, type SourceRow } from './source-row.ts';

/** Rows of another file, which stand in for the value of a field. */
export interface Joined {
  /** Its value is looked up in the other file. `@file`: the name of the imported file, without its endings. */
  field: string;
  rows: ReadonlyMap<string, object>;
}

/** What a path may lead to besides the row itself. */
export interface Surroundings {
  /** Of the imported file, without its endings. */
  fileName: string;
  joined: Joined | undefined;
}

/** Where a value stands: `name`, `set.name` or `sets.0` within a field, `../name` in the object around the card, `@file`. */
export class FieldPath {
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

const FILE = '@file';

function first(scope: unknown, step: string, { fileName, joined }: Surroundings): unknown {
  const value = step === FILE ? fileName : own(scope, step);
  return step === joined?.field ? joined.rows.get(String(value)) : value;
}

function own(scope: unknown, step: string): unknown {
  return typeof scope === 'object' && scope !== null && Object.hasOwn(scope, step)
    ? Reflect.get(scope, step)
    : undefined;
}
