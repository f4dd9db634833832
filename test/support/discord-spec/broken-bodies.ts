import * as specification from 'discord-api-spec/zod';
import * as z from 'zod/mini';

import { NOT_EMULATED } from './emulated-schemas.ts';
import { type JsonSchema, jsonSchemas } from './json-schemas.ts';
import { SPECIFIED } from './routes.ts';

type Path = readonly (string | number)[];

/** A body that breaks one rule of Discord's specification, such as `RichEmbedField.name: required`. */
export interface BrokenBody {
  rule: string;
  path: Path;
  body: unknown;
}

const ZOD: Record<string, z.ZodMiniType> = Object.fromEntries([
  ...Object.entries(specification).map(([name, schema]) => [name.replace(/Schema$/, ''), schema]),
  ...Object.entries(SPECIFIED).map(([route, { request }]) => [route, request && z.union([request])]),
]);
const SCHEMAS = jsonSchemas(ZOD);
const UNSEEN_BY_ZOD = /: (?:whole|uniqueItems)$/; // see json-schemas.ts

const REMOVED = Symbol('removed');

/** What breaks a rule, by the keyword that states it in JSON Schema. */
const BREAK: Record<string, (limit: never, value: unknown) => unknown> = {
  type: (type: string) => (['string', 'object'].includes(type) ? 7 : 'x'), // where it has an object, text may mean one
  const: (only: unknown) => (typeof only === 'string' ? 'x' : 99),
  enum: ([first]: unknown[]) => (typeof first === 'string' ? 'x' : 99),
  whole: () => 1.5,
  minimum: (least: number) => least - 1,
  maximum: (most: number) => (most + 1 > most ? most + 1 : most * 2), // 2 ** 54 + 1 is no number of JavaScript
  minLength: (least: number) => 'x'.repeat(least - 1),
  maxLength: (most: number, value) => String(value).padEnd(most + 1, 'x'),
  pattern: () => 'x',
  format: () => 'x y',
  minItems: (least: number, value) => (value as unknown[]).slice(0, least - 1),
  maxItems: (most: number, value) =>
    Array.from({ length: most + 1 }, (_, index) => another((value as unknown[]).at(-1), index)),
  uniqueItems: (_: true, value) => [...(value as unknown[]), ...(value as unknown[])],
};

/** A copy that has no id and no name of the original. */
function another(value: unknown, index: number): unknown {
  return JSON.parse(JSON.stringify(value), (key, inner) => {
    if (!['', 'id', 'custom_id', 'name', 'value'].includes(key) || typeof inner === 'object') return inner;
    if (typeof inner === 'number') return inner + index;
    return /^\d+$/.test(inner) ? String(Number(inner) + index) : `${inner}${index}`;
  });
}

/** Every emulated rule that the body of a request has to keep to, by the route in `SPECIFIED`. */
export function rulesOf(route: string): Set<string> {
  const rules = new Set<string>();
  const seen = new Set<string>();
  const visit = (at: string, node: JsonSchema) => {
    if (seen.has(at) || NOT_EMULATED.test(at)) return;
    seen.add(at);
    for (const keyword of Object.keys(stated(node))) rules.add(`${at}: ${keyword}`);
    for (const [name, inner] of parts(node).filter(([field]) => !NOT_EMULATED.test(`${at}.${field}`))) {
      for (const absence of absences(node, name, inner)) rules.add(`${at}.${name}: ${absence}`);
      for (const each of alternatives(`${at}.${name}`, inner)) visit(...each);
    }
  };
  for (const each of alternatives('', { $ref: route })) visit(...each);
  return rules;
}

/**
 * For every rule that the valid body reaches, except those `tried` before, the body with one value changed so that it breaks
 * this rule alone.
 *
 * @param tried gets these rules, too
 */
export function* brokenBodies(route: string, body: unknown, tried: Set<string>): Generator<BrokenBody> {
  for (const { rule, path, body: value } of breaks('', { $ref: route }, body, [])) {
    if (tried.has(rule)) continue; // before it is checked, which takes most of the time
    const broken = changed(body, path, value);
    // A union may allow what one of its members does not.
    if (!UNSEEN_BY_ZOD.test(rule) && ZOD[route]?.safeParse(broken).success) continue;
    tried.add(rule);
    yield { rule, path, body: broken };
  }
}

function* breaks(where: string, wanted: JsonSchema, value: unknown, path: Path): Generator<BrokenBody> {
  const [at, node] = described(where, wanted, value);
  for (const [keyword, limit] of Object.entries(stated(node))) {
    yield { rule: `${at}: ${keyword}`, path, body: BREAK[keyword]?.(limit as never, value) };
  }
  for (const [key, inner] of entries(value)) {
    const [name, child] = partFor(key, node);
    for (const absence of absences(node, name, child)) {
      yield { rule: `${at}.${name}: ${absence}`, path: [...path, key], body: absence === 'required' ? REMOVED : null };
    }
    yield* breaks(`${at}.${name}`, child, inner, [...path, key]);
  }
}

function entries(value: unknown): [string | number, unknown][] {
  if (Array.isArray(value)) return [...value.entries()];
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function partFor(key: string | number, node: JsonSchema): [string, JsonSchema] {
  const found = parts(node).find(([name]) => name === key || name === '*');
  if (!found) throw new Error(`Discord's specification has no ${key}`);
  return found;
}

/** The keywords of the schema that state a rule of their own. */
function stated(node: JsonSchema): Record<string, unknown> {
  const [type] = [node.type ?? []].flat().filter((each) => each !== 'null');
  const isWhole = type === 'integer' && !('const' in node || 'enum' in node);
  const all = { ...node, type, ...(isWhole && { whole: true }) };
  return Object.fromEntries(Object.entries(all).filter(([keyword, limit]) => keyword in BREAK && limit !== undefined));
}

/** The fields of an object, or `*` for the entries of a record or a list. */
function parts({ properties = {}, additionalProperties, items }: JsonSchema): [string, JsonSchema][] {
  const entry = items ?? additionalProperties;
  return [...Object.entries(properties), ...(entry ? [['*', entry] as [string, JsonSchema]] : [])];
}

function absences({ required = [] }: JsonSchema, name: string, inner: JsonSchema): string[] {
  return [...(required.includes(name) ? ['required'] : []), ...(allowsNull(inner) ? [] : ['not null'])];
}

function allowsNull({ $ref, anyOf = [], type }: JsonSchema): boolean {
  if ($ref !== undefined) return allowsNull(SCHEMAS[$ref] as JsonSchema);
  return [type].flat().includes('null') || anyOf.some(allowsNull);
}

/** The schemas for anything but null and nothing, each with the name that its rules have. */
function alternatives(at: string, node: JsonSchema): [string, JsonSchema][] {
  if (node.$ref !== undefined) {
    const named = SCHEMAS[node.$ref] as JsonSchema;
    return alternatives(named.properties || at === '' ? node.$ref : at, named); // a number or text is told by its field
  }
  if (node.anyOf) return node.anyOf.flatMap((each) => alternatives(at, each));
  return node.type === 'null' || Object.keys(node).length === 0 ? [] : [[at, node]];
}

function described(where: string, wanted: JsonSchema, value: unknown): [string, JsonSchema] {
  const found = alternatives(where, wanted);
  const fitting = found.find(([name]) => found.length === 1 || ZOD[name]?.safeParse(value).success);
  if (!fitting) throw new Error(`The valid body does not fit the specification at ${where}`);
  return fitting;
}

function changed(body: unknown, [key, ...below]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(body)) return body.with(Number(key), changed(body[Number(key)], below, value));
  const { [key]: inner, ...others } = body as Record<string, unknown>;
  const next = changed(inner, below, value);
  return next === REMOVED ? others : { ...others, [key]: next };
}
