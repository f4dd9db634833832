import { readdirSync, readFileSync } from 'node:fs';
import { DescriptionFile, faultsOf, type ServiceDescription } from '../model/service-description.ts';
import { errorsFrom } from '../model/typing-errors.ts';

/** Where the descriptions that ship are. */
const FOLDER = new URL('../service/descriptions/', import.meta.url);
const ENDING = '.json';

/** The description that counts where `CARD_SERVICE` is unset. */
export const DEFAULT = 'default';

/** A description as its file has it, or what is wrong with that, a line each. */
export type OpenedDescription = { description: ServiceDescription; isShipped: boolean } | { faults: string[] };

/** @param given `CARD_SERVICE`: the name of a description that ships, or the path of a `.json` */
export function openDescription(given = DEFAULT): OpenedDescription {
  const isPath = isFile(given);
  const names = isPath ? [] : shippedNames();
  if (!isPath && !names.includes(given)) return { faults: [unknownName(given, names)] };
  const named = (fault: string) => `${isPath ? given : `${given}${ENDING}`}: ${fault}`;
  const text = textOf(isPath ? given : new URL(`${given}${ENDING}`, FOLDER));
  if (text === undefined) return { faults: [named('the file cannot be read')] };
  // Reading a path takes time that grows with the square of its length; no description has a tenth of this.
  if (text.length > 32_768) return { faults: [named('the file is larger than 32 kB')] };
  const value = parsed(text);
  if (value === undefined) return { faults: [named('the file is not JSON')] };
  const read = DescriptionFile.safeParse(value);
  if (read.success) return { description: { ...read.data, isDefault: given === DEFAULT }, isShipped: !isPath };
  return { faults: faultsOf(read.error).map(named) };
}

/** Whether a description is given by its path, and not by its name. */
export function isFile(given: string): boolean {
  return /[/\\]/.test(given) || given.endsWith(ENDING);
}

/** The names of the descriptions that ship. */
export function shippedNames(): string[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(ENDING));
  return files.map((file) => file.slice(0, -ENDING.length)).sort();
}

function unknownName(given: string, names: readonly string[]): string {
  const errorsIn = errorsFrom(given.toLowerCase());
  const [nearest] = names.toSorted((a, b) => errorsIn(a).whole - errorsIn(b).whole);
  const isNear = nearest !== undefined && errorsIn(nearest).whole <= MOST_ERRORS;
  return isNear
    ? `unknown; did you mean ${nearest}?`
    : `unknown; write one of ${names.filter((name) => name !== DEFAULT).join(', ')}, or the path of a ${ENDING} file`;
}

/** A judgement: up to here a reader takes it for the same name. */
const MOST_ERRORS = 3;

function textOf(file: string | URL): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** @returns `undefined` for what is not JSON: the parser's own message would show a part of the file */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
