// What is emulated of Discord's published specification, made by test/sandbox/discord/schemas.test.ts
import SCHEMAS from './schemas.json' with { type: 'json' };

export type FormName = keyof typeof SCHEMAS;

/** The keywords of JSON Schema that the specification has. */
export interface Schema {
  $ref?: string;
  anyOf?: readonly Schema[];
  type?: string | readonly string[];
  const?: unknown;
  enum?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  additionalProperties?: Schema;
  required?: readonly string[];
}

/** Whether the value may be meant for this alternative: a component or an option by its `type`, another value by its own. */
export function mayBeFor(schema: Schema, value: unknown): boolean {
  const { properties, ...rest } = resolved(schema);
  if (!typesOf(rest).some((type) => isOfType(type, value))) return false;
  const kinds = choicesOf(properties?.type ?? {});
  return kinds?.includes((value as { type?: unknown }).type) ?? true;
}

export function isOfType(type: string, value: unknown): boolean {
  return type === 'integer' ? Number.isInteger(value) : type === typeOf(value);
}

export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

export function typesOf({ type = [] }: Schema): readonly string[] {
  return [type].flat();
}

export function choicesOf(schema: Schema): readonly unknown[] | undefined {
  return schema.enum ?? ('const' in schema ? [schema.const] : undefined);
}

export function resolved(schema: Schema): Schema {
  return schema.$ref === undefined ? schema : named(schema.$ref);
}

export function named(name: string): Schema {
  return SCHEMAS[name as FormName];
}
