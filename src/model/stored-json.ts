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
