import { z } from 'zod';

// Only what we show; unknown fields are dropped. The interface has no null, but a null means what an absent field means.
const optional = <T extends z.ZodType>(schema: T) =>
  schema
    .nullish()
    .transform((value) => value ?? undefined)
    .optional();

const Prices = z.object({ market: optional(z.number()), low: optional(z.number()), high: optional(z.number()) });

/** `GET /cards/{id}`. */
export const Card = z
  .object({
    id: z.string(),
    name: z.string(),
    tcg: z.string(),
    set: z.object({ id: z.string(), name: z.string() }),
    number: optional(z.string()),
    rarity: optional(z.string()),
    imageUrl: optional(z.string()),
    prices: optional(Prices),
  })
  .transform(({ tcg, ...card }) => ({ ...card, game: tcg }));

const instantMs = optional(z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)));

/** `GET /v1/usage`. */
export const Usage = z
  .object({
    plan: optional(z.string()),
    period: optional(z.object({ start: instantMs, end: instantMs })),
    requests: optional(z.object({ used: optional(z.int()), limit: optional(z.int()), remaining: optional(z.int()) })),
  })
  .transform(({ period, ...usage }) => ({ ...usage, period: period && { startMs: period.start, endMs: period.end } }));

/** The body of every error. */
export const ErrorBody = z.object({ _tag: z.string(), message: z.string() });
