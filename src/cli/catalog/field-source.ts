import { FieldPath, type Surroundings } from './field-path.ts';
import type { SourceRow } from './source-row.ts';

/** A value that is no text. The message reads on after the place of its row. */
export class UnusableValue extends Error {
  override name = 'UnusableValue';
}

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
