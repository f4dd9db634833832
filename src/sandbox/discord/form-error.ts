import type * as z from 'zod';

import { ApiError, type ErrorTree } from './api-error.ts';

type Issue = z.core.$ZodIssue;
type Leaf = { code: string; message: string };

/** The error of Discord's converter for a value of the wrong JSON type. */
const WRONG_TYPE: Record<string, Leaf> = {
  string: { code: 'STRING_TYPE_CONVERT', message: 'Could not interpret value as string.' },
  number: { code: 'NUMBER_TYPE_COERCE', message: 'Value is not a number.' },
  int: { code: 'NUMBER_TYPE_COERCE', message: 'Value is not int.' },
  boolean: { code: 'BOOLEAN_TYPE_CONVERT', message: 'Must be either true or false.' },
  array: { code: 'LIST_TYPE_CONVERT', message: 'Only iterables may be used in a ListType' },
};
const NOT_A_DICTIONARY = { code: 'DICT_TYPE_CONVERT', message: 'Only dictionaries may be used in a DictType' };

/** The value parsed by the schema. @throws ApiError 50035 with `at` before every path */
export function parseForm<S extends z.ZodType>(schema: S, value: unknown, at: readonly string[] = []): z.output<S> {
  const read = schema.safeParse(value, { reportInput: true });
  if (read.success) return read.data;
  throw invalidForm(read.error.issues, at);
}

/** A 50035 for one mistake. */
export function mistake(path: readonly (string | number)[], code: string, message: string): ApiError {
  const tree: ErrorTree = {};
  leaves(tree, path).push({ code, message });
  return new ApiError('invalidForm', { errors: tree });
}

export function invalidForm(issues: readonly Issue[], at: readonly string[] = []): ApiError {
  const tree: ErrorTree = {};
  for (const issue of issues) leaves(tree, [...at, ...pathOf(issue)]).push(leaf(issue));
  return new ApiError('invalidForm', { errors: tree });
}

/** Where to add an error. A part has errors of its own or in its fields, so that the first decides which. */
function leaves(tree: ErrorTree, path: readonly PropertyKey[]): Leaf[] {
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

/** For a component of a type that is not allowed here, the error is at the component, not at its type. */
function pathOf(issue: Issue): readonly PropertyKey[] {
  return isOfNoKnownType(issue) ? issue.path.slice(0, -1) : issue.path;
}

function isOfNoKnownType(issue: Issue): boolean {
  return issue.code === 'invalid_union' && 'discriminator' in issue;
}

/** Codes marked in the platform notes as seen in the field are exact; the rest are a likely guess. */
function leaf(issue: Issue): Leaf {
  if (issue.code === 'custom') return { code: String(issue.params?.code), message: issue.message };
  if (issue.code === 'too_big') {
    return { code: 'NUMBER_TYPE_MAX', message: `int value should be less than or equal to ${issue.maximum}.` };
  }
  if (issue.code === 'too_small') {
    return { code: 'NUMBER_TYPE_MIN', message: `int value should be greater than or equal to ${issue.minimum}.` };
  }
  if (isOfNoKnownType(issue)) {
    return { code: 'UNION_TYPE_CHOICES', message: 'Value of field "type" is none that may stand here.' };
  }
  if (issue.input === undefined) return { code: 'BASE_TYPE_REQUIRED', message: 'This field is required' };
  if (issue.code === 'invalid_value') {
    return { code: 'BASE_TYPE_CHOICES', message: `Value must be one of {${issue.values.map(String).join(', ')}}.` };
  }
  if (issue.code === 'invalid_type') return WRONG_TYPE[issue.expected] ?? NOT_A_DICTIONARY;
  return { code: 'BASE_TYPE_INVALID', message: issue.message };
}
