import { z } from 'zod';

/** A value that is stored as JSON. What is no JSON does not fit, like what has another form. */
export function storedJson<T extends z.ZodType>(schema: T) {
  const parsed = z.string().transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue('not JSON');
      return z.NEVER;
    }
  });
  return parsed.pipe(schema);
}

/** How many milliseconds the unit of a moment has. */
const UNIT_MS = new WeakMap<z.core.$ZodType, number>();

/** A moment of this machine's clock, counted since 1970 in whole units, or in milliseconds. */
export function momentIn(unitMs: number) {
  const schema = unitMs === 1 ? z.number() : z.int();
  UNIT_MS.set(schema, unitMs);
  return schema;
}

export const Moment = momentIn(1);

/** The same value by a clock that is `byMs` ahead of the one it was noted by: all that its schema says is a moment is moved. */
export function movedBy(schema: z.core.$ZodType, value: unknown, byMs: number): unknown {
  const unitMs = UNIT_MS.get(schema);
  if (unitMs !== undefined && typeof value === 'number')
    return value + (unitMs === 1 ? byMs : Math.round(byMs / unitMs));
  if (schema instanceof z.ZodPipe) return movedBy(schema.in, value, byMs);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return movedBy(schema.unwrap(), value, byMs);
  if (schema instanceof z.ZodUnion) return movedBy(formOf(schema, value), value, byMs);
  if (Array.isArray(value)) {
    const items = schema instanceof z.ZodTuple ? schema.def.items : [];
    const element = schema instanceof z.ZodArray ? schema.element : undefined;
    return value.map((each, at) => movedBy(items[at] ?? element ?? z.unknown(), each, byMs));
  }
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, inner]) => {
    return [name, name in schema.shape ? movedBy(schema.shape[name], inner, byMs) : inner];
  });
  return Object.fromEntries(fields);
}

function formOf({ options }: z.ZodUnion, value: unknown): z.core.$ZodType {
  return options.find((form) => z.safeParse(form, value).success) ?? z.unknown();
}
