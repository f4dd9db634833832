import { ApiError, type ErrorTree } from './api-error.ts';

export type Path = readonly (string | number)[];

/** What is wrong with a value in a body, with Discord's code for it. */
export interface Mistake {
  path: Path;
  code: string;
  message: string;
}

/** Codes marked in the platform notes as seen in the field are exact; the rest are a likely guess. */
export function when(isWrong: boolean, path: Path, code: string, message: string): Mistake[] {
  return isWrong ? [{ path, code, message }] : [];
}

/** The mistakes of a part, as those of the whole. */
export function within(at: Path, mistakes: readonly Mistake[]): Mistake[] {
  return mistakes.map((each) => ({ ...each, path: [...at, ...each.path] }));
}

/** A 50035 for one mistake. */
export function mistake(path: Path, code: string, message: string): ApiError {
  return invalidForm([{ path, code, message }]);
}

/** @throws ApiError 50035 with `at` before every path, if anything is wrong */
export function refuse(mistakes: readonly Mistake[], at: Path = []): void {
  if (mistakes.length > 0) throw invalidForm(within(at, mistakes));
}

function invalidForm(mistakes: readonly Mistake[]): ApiError {
  const tree: ErrorTree = {};
  for (const { path, code, message } of mistakes) leaves(tree, path).push({ code, message });
  return new ApiError('invalidForm', { errors: tree });
}

/** Where to add an error. A part has errors of its own or in its fields, so that the first decides which. */
function leaves(tree: ErrorTree, path: Path): { code: string; message: string }[] {
  let node = tree;
  for (const key of path.map(String)) {
    if ('_errors' in node) return [];
    const child = node[key];
    const next = child === undefined || Array.isArray(child) ? {} : child;
    node[key] = next;
    node = next;
  }
  if (!('_errors' in node) && Object.keys(node).length > 0) return [];
  const found = Array.isArray(node._errors) ? node._errors : [];
  node._errors = found;
  return found;
}

/** An address under another scheme than these. */
export function otherScheme(path: Path, address: string | undefined, schemes: readonly string[]): Mistake[] {
  const isOther = address !== undefined && !schemes.includes(new URL(address).protocol.slice(0, -1));
  const names = schemes.map((scheme) => `'${scheme}'`).join(', ');
  return when(isOther, path, 'URL_TYPE_INVALID_SCHEME', `Scheme is not supported. Scheme must be one of (${names}).`);
}

/** Every text in a value, at any depth, with its path. */
export function* textsIn(value: unknown, path: string[] = []): Generator<{ path: string[]; text: string }> {
  if (typeof value === 'string') yield { path, text: value };
  if (typeof value !== 'object' || value === null) return;
  for (const [key, below] of Object.entries(value)) yield* textsIn(below, [...path, key]);
}
