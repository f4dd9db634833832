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
/** A path in braces; in brackets, a part of a template that is left out when a path in it has no value. */
const PARTS = /(\[[^[\]]*\{[^[\]]*\]|\{[^{}]+\})/;

/** Where a field of a card comes from: a path in the row, or a template with paths in braces, `{number}[/{set.total}]`. */
export class FieldSource {
  readonly text: string;
  /** Whether any row had a value for it. */
  isFound = false;
  readonly #isTemplate: boolean;
  /** At odd places what `PARTS` found. */
  readonly #parts: readonly string[];

  constructor(text: string) {
    this.text = text;
    this.#isTemplate = PARTS.test(text);
    this.#parts = this.#isTemplate ? text.split(PARTS) : ['', `{${text}}`];
  }

  /** The paths without which it has no value. */
  get paths(): string[] {
    return this.#parts.filter((part, at) => at % 2 === 1 && part.startsWith('{')).map((part) => part.slice(1, -1));
  }

  /**
   * @param otherwise what a path means for which the row has no value
   * @returns `undefined` when the row has no such value, or not all that the template needs
   * @throws Unusable
   */
  textIn(row: SourceRow, around: Surroundings, otherwise?: (path: string) => string | undefined): string | undefined {
    const text = filled(this.#parts, (path) => textOf(path, valueAt(path, row, around)) ?? otherwise?.(path));
    this.isFound ||= Boolean(text);
    return text || undefined;
  }

  /** Each text of a list or, in CSV, each line; what is no text is left out. @throws Unusable for a template */
  textsIn(row: SourceRow, around: Surroundings): string[] {
    const value = this.#isTemplate ? this.textIn(row, around) : valueAt(this.text, row, around);
    const texts = [value].flat().filter((each) => typeof each === 'string' || typeof each === 'number');
    const lines = texts.flatMap((each) => String(each).split('\n')).filter(Boolean);
    this.isFound ||= lines.length > 0;
    return lines;
  }
}

function filled(parts: readonly string[], at: (path: string) => string | undefined): string | undefined {
  const texts = parts.map((part, index) => {
    if (index % 2 === 0) return part;
    const inner = part.slice(1, -1);
    return part.startsWith('{') ? at(inner) : (filled(inner.split(PARTS), at) ?? '');
  });
  return texts.includes(undefined) ? undefined : texts.join('');
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

/**
 * @param path `name`, `set.name` or `sets.0` within a field, `../name` in the object around the card, `@file`
 * @returns `undefined` when there is nothing
 */
function valueAt(path: string, row: SourceRow, { fileName, joined }: Surroundings): unknown {
  const name = path.replace(/^(\.\.\/)+/, '');
  const scope = [row.value, ...(row.around ?? [])][(path.length - name.length) / '../'.length];
  // A column of a CSV file may be written in other capitals, and have dots in its name.
  const at = (step: string) => own(scope, step) ?? own(scope, row.columns?.get(step.toLowerCase()) ?? step);
  const [first = '', ...inner] = at(name) === undefined ? name.split('.') : [name];
  const value = first === FILE ? fileName : at(first);
  const rows = joined.get(first);
  if (!rows || inner.length === 0) return inner.reduce(own, value);
  const other = rows.get(String(value));
  return other && valueAt(inner.join('.'), other, { fileName, joined: new Map() });
}

function own(scope: unknown, step: string): unknown {
  return typeof scope === 'object' && scope !== null && Object.hasOwn(scope, step)
    ? Reflect.get(scope, step)
    : undefined;
}
