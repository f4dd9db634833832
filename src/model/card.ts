import { z } from 'zod';
import { PriceHistory } from './price-history.ts';

/** A property that may be unknown, absent or null. In the type the key is required, so that no object forgets it. */
export const orUndefined = <T extends z.ZodType>(schema: T) =>
  schema.nullish().transform((value) => value ?? undefined);

/** A field that the card service may leave out. Null means the same: it is not in the interface, but may come. */
export const optional = <T extends z.ZodType>(schema: T) => orUndefined(schema).optional();

/**
 * What a card is worth; an absent figure was not given. The currency is not part of the service's answer. Three prices of 0
 * are no price: the service has none.
 */
export const Prices = z
  .object({ market: optional(z.number()), low: optional(z.number()), high: optional(z.number()) })
  .transform((prices) => (prices.market === 0 && prices.low === 0 && prices.high === 0 ? {} : prices));
export interface Prices extends Partial<Record<'market' | 'low' | 'high', number | undefined>> {}

/** Only what is shown; other fields are dropped. */
export const Card = z.object({
  id: z.string(),
  name: z.string(),
  /** The trading card game that it belongs to. */
  game: z.string(),
  set: z.object({ id: z.string(), name: z.string() }),
  /** The service writes `<number>/<set size>`. */
  number: optional(z.string()),
  rarity: optional(z.string()),
  imageUrl: optional(z.string()),
  prices: optional(Prices),
});
export type Card = z.infer<typeof Card>;

/** What a card costs; `undefined` when nobody says so: what costs nothing has no price. */
export function marketPrice(card: Card | undefined): number | undefined {
  const market = card?.prices?.market ?? 0;
  return market > 0 ? market : undefined;
}

/** What a member wants to see of which card. */
export const CardQuery = z.object({
  cardId: z.string(),
  showPrices: z.boolean(),
});
export type CardQuery = z.output<typeof CardQuery>;

/** What the service said about one id, as it is kept and shown. */
export const CardRecord = z.object({
  /** `undefined`: there is no such card. */
  card: orUndefined(Card),
  /** When the service said so; the prices are as old as this. */
  fetchedAtMs: z.number(),
  /** When the service last denied a card of which we hold a copy. */
  delistedAtMs: z.number().optional(),
  /** Its market prices so far, the present one last; absent while it never had any. */
  history: PriceHistory.optional().catch(undefined),
});
export type CardRecord = z.infer<typeof CardRecord>;

/** Clocks that are set by time synchronisation differ by less. */
const MOST_AHEAD_MS = 60_000;

/** Whether a time of a record is so far in the future that a clock which was ahead must have written it. */
export function isFromClockAhead(atMs: number, nowMs: number): boolean {
  return atMs - nowMs > MOST_AHEAD_MS;
}
