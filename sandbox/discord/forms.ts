import * as z from 'zod/mini';

import { ApiError, type ErrorTree } from './api-error.ts';

export type Path = readonly (string | number)[];

type Issue = z.core.$ZodIssue;

/**
 * What is wrong with a value in a body, with Discord's code for it; by default the code is its sentence, too. Codes marked in
 * the platform notes as seen in the field are exact; the rest are a likely guess.
 */
export interface Mistake {
  path: Path;
  code: string;
  message?: string;
}

/**
 * The body as Discord's specification has it: without unknown fields; texts are trimmed before they are counted
 * (resources/message, "Embed Limits"); null stands for "absent", and stays in the body itself alone, where it can mean
 * "none from now on".
 *
 * @param at before every path of an error
 * @throws ApiError 50035
 */
export function readForm<T>(schema: z.ZodMiniType, body: unknown, at: Path = []): T {
  return read(schema, asRead(body, ''), at) as T;
}

/** The fields of a body, as they are. @throws ApiError 50035 */
export function fieldsIn(body: unknown, at: Path = []): Readonly<Record<string, unknown>> {
  return read(z.looseObject({}), body, at);
}

export function when(isWrong: boolean, path: Path, code: string): Mistake[] {
  return isWrong ? [{ path, code }] : [];
}

/** What Discord has and the page cannot show. */
export function notEmulated(isUsed: boolean, path: Path): Mistake[] {
  return when(isUsed, path, 'NOT_EMULATED');
}

/** An address under another scheme than these. */
export function otherScheme(path: Path, address: string | undefined, schemes: readonly string[]): Mistake[] {
  const isOther = address !== undefined && !schemes.includes(new URL(address).protocol.slice(0, -1));
  return when(isOther, path, 'URL_TYPE_INVALID_SCHEME');
}

/** The mistakes of a part, as those of the whole. */
export function within(at: Path, mistakes: readonly Mistake[]): Mistake[] {
  return mistakes.map((each) => ({ ...each, path: [...at, ...each.path] }));
}

/** A 50035 for one mistake. */
export function mistake(path: Path, code: string): ApiError {
  return invalidForm([{ path, code }]);
}

/** @throws ApiError 50035 with `at` before every path, if anything is wrong */
export function refuse(mistakes: readonly Mistake[], at: Path = []): void {
  if (mistakes.length > 0) throw invalidForm(within(at, mistakes));
}

/** Every text in a value, at any depth, with its path. */
export function* textsIn(value: unknown, path: string[] = []): Generator<{ path: string[]; text: string }> {
  if (typeof value === 'string') yield { path, text: value };
  if (typeof value !== 'object' || value === null) return;
  for (const [key, below] of Object.entries(value)) yield* textsIn(below, [...path, key]);
}

/** In place of a union those of the alternative that fits best; the union's own where none is of the right `type`. */
export function leafIssues(issues: readonly Issue[], above: readonly PropertyKey[] = []): Issue[] {
  return issues.flatMap((issue) => {
    const path = [...above, ...issue.path];
    const alternatives = issue.code === 'invalid_union' ? issue.errors : [];
    const ofType = alternatives.filter((errors) => {
      return !errors.some(({ code, path }) => code === 'invalid_value' && path.join() === 'type');
    });
    // Fewer issues, and of as many those that begin deeper in the value
    const depthOf = ([first]: readonly Issue[]) => first?.path.length ?? 0;
    const [best] = ofType
      .map((errors) => leafIssues(errors, path))
      .sort((one, other) => one.length - other.length || depthOf(other) - depthOf(one));
    return best ?? [{ ...issue, path }];
  });
}

const CODES: Partial<Record<NonNullable<Issue['code']>, string>> = {
  invalid_type: 'BASE_TYPE_REQUIRED',
  invalid_value: 'BASE_TYPE_CHOICES',
  invalid_union: 'UNION_TYPE_CHOICES',
  too_small: 'BASE_TYPE_BAD_LENGTH',
  too_big: 'BASE_TYPE_MAX_LENGTH',
};

function read<T extends z.ZodMiniType>(schema: T, value: unknown, at: Path): z.infer<T> {
  const { data, error } = schema.safeParse(value);
  const issues = leafIssues(error?.issues ?? []);
  const found = issues.map(({ code, path, message }) => {
    return { path: path as Path, code: CODES[code] ?? 'BASE_TYPE_INVALID', message };
  });
  refuse(found, at);
  return data as z.infer<T>;
}

/** Texts that are not trimmed: names that a pattern is for, and what a bot gets back; components/reference, "Custom ID". */
const EXACT = /^(?!embeds\.).*(?:custom_id|nonce|name|value)/;

function asRead(value: unknown, at: string): unknown {
  if (typeof value === 'string') return EXACT.test(at) ? value : value.trim();
  if (Array.isArray(value)) return value.filter((each) => each !== null).map((each) => asRead(each, `${at}.`));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, each]) => each !== null || at === '');
  return Object.fromEntries(kept.map(([key, each]) => [key, asRead(each, at === '' ? key : `${at}.${key}`)]));
}

function invalidForm(mistakes: readonly Mistake[]): ApiError {
  const tree: ErrorTree = {};
  for (const { path, code, message = code } of mistakes) {
    const part = path.reduce<ErrorTree>((node, key) => {
      node[key] ??= {};
      return node[key] as ErrorTree;
    }, tree);
    part._errors ??= [];
    (part._errors as object[]).push({ code, message });
  }
  return new ApiError('invalidForm', tree);
}
