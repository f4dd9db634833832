import * as z from 'zod/mini';

type Schema = z.core.$ZodType;

const made = new WeakMap<Schema, Schema>();

/** The same schema with every object in it, at any depth, closed to unknown fields. */
export function closed(schema: Schema): Schema {
  const known = made.get(schema);
  if (known) return known;
  const copy = closedCopy(schema);
  made.set(schema, copy);
  return copy;
}

function closedCopy(schema: Schema): Schema {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const like = (changed: object) => z.core.clone(schema, { ...def, ...changed } as typeof def);
  switch (def.type) {
    case 'object': {
      const shape = Object.fromEntries(Object.entries(def.shape).map(([name, field]) => [name, closed(field)]));
      return like({ shape, catchall: z.never() });
    }
    case 'lazy':
      return z.lazy(() => closed(def.getter())); // schemas refer to themselves
    case 'union':
      return like({ options: def.options.map(closed) });
    case 'intersection':
      return like({ left: closed(def.left), right: closed(def.right) });
    case 'array':
      return like({ element: closed(def.element) });
    case 'record':
      return like({ valueType: closed(def.valueType) });
    case 'optional':
    case 'nullable':
      return like({ innerType: closed(def.innerType) });
    default:
      return schema;
  }
}
