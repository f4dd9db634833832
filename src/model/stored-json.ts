import { z } from 'zod';

/** A value that is stored as JSON. What is no JSON does not fit, like what has another form. */
export function storedJson<T extends z.ZodType>(schema: T) {
  return jsonIn(z.string(), 'not JSON').pipe(schema);
}

/** What a text says in JSON; `fault`: the issue where it is none, since the parser's own would show the text. */
export function jsonIn(text: z.ZodString, fault: string) {
  return text.transform((written, context): unknown => {
    try {
      return JSON.parse(written);
    } catch {
      context.addIssue(fault);
      return z.NEVER;
    }
  });
}

/** While `movedBy` reads: how far the clock that is to be gone by is ahead of the one that moments were noted by. */
let aheadMs = 0;

/** A moment of this machine's clock, counted since 1970 in whole units, or in milliseconds. */
export function momentIn(unitMs: number) {
  if (unitMs === 1) return z.number().overwrite((moment) => moment + aheadMs);
  return z.int().overwrite((moment) => moment + Math.round(aheadMs / unitMs));
}

export const Moment = momentIn(1);

/**
 * The same value by a clock that is `byMs` ahead of the one it was noted by: all that its schema says is a moment is
 * moved.
 *
 * @throws ZodError when it does not fit its schema
 */
export function movedBy<T extends z.ZodType>(schema: T, value: z.input<T>, byMs: number): z.output<T> {
  aheadMs = byMs;
  try {
    return schema.parse(value);
  } finally {
    aheadMs = 0;
  }
}
