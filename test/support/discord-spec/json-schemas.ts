import * as z from 'zod/mini';

/** A schema of Discord's specification as JSON Schema. */
export interface JsonSchema {
  $ref?: string;
  anyOf?: JsonSchema[];
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  format?: string;
  pattern?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema;
  items?: JsonSchema;
  uniqueItems?: true;
}

// Rules of the published OpenAPI that its zod schemas have lost: other numbers than these are whole, and these lists
// name nothing twice.
const DECIMALS = /NumberOption\.m.._value$|NumberChoice\.value$|\.duration_secs$/;
const DISTINCT =
  /\.channel_types$|AllowedMentionsRequest\.(?:parse|users|roles)$|FormPartial\.tags$|InstallParams\.scopes$/;

/** The schemas by their names, which are the addresses in `$ref`, with what zod's form of them has lost. */
export function jsonSchemas(named: Record<string, unknown>): Record<string, JsonSchema> {
  const names = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) if (schema instanceof z.ZodMiniType) names.add(schema, { id });
  const { schemas } = z.toJSONSchema(names, { uri: (id) => id, io: 'input', unrepresentable: 'any' });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema, $id, ...schema }]) => [name, restored(name, schema as JsonSchema)]),
  );
}

/** @param at the name of the schema and below it the field, such as `RichEmbedField.name` */
function restored(at: string, schema: JsonSchema): JsonSchema {
  const { anyOf, items, properties, additionalProperties, format, pattern, ...rest } = schema;
  const type = [rest.type ?? []].flat();
  const isWhole = type.includes('number') && !('const' in rest || 'enum' in rest || DECIMALS.test(at));
  const types = type.map((each) => (isWhole && each === 'number' ? 'integer' : each));
  return {
    ...rest,
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : types }),
    ...(items && DISTINCT.test(at) && { uniqueItems: true }),
    ...(format === undefined ? pattern !== undefined && { pattern } : { format }), // the pattern is zod's own
    ...(anyOf && { anyOf: anyOf.map((each) => restored(at, each)) }),
    ...(items && { items: restored(at, items) }),
    ...(additionalProperties && { additionalProperties: restored(at, additionalProperties) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, each]) => [key, restored(`${at}.${key}`, each)]),
      ),
    }),
  } as JsonSchema;
}
