import { z } from 'zod';
import { PriceHistory } from './price-history.ts';

/** Parsed JSON; `undefined` for any other text. */
export function parseJson(text = ''): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a value of JSON has members with names: a list has none. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A property that may be unknown, absent or null. In the type the key is required, so that no object forgets it. */
export const orUndefined = <T extends z.ZodType>(schema: T) =>
  schema.nullish().transform((value) => value ?? undefined);

/** A field that the card service may leave out. Null means the same: it is not in the interface, but may come. */
export const optional = <T extends z.ZodType>(schema: T) => orUndefined(schema).optional();

/** A text, which a service may also write as a number: one that is not rounded. */
export const text = z.preprocess(
  (value) => (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? String(value) : value),
  z.string(),
);

const optionalText = optional(text);

const DECIMAL = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i;

/** A number, which a service may also write as a text. */
export const figure = z.preprocess(
  (value) => (typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value),
  z.number(),
);

/** What is not above 0 is no price. */
const price = optional(figure.transform((value) => (value > 0 ? value : undefined)));

/** Which of a card's prices one is: those of two rows are never compared. */
export const PriceRow = z.object({
  /** Such as `Near Mint` or `holofoil`; absent where there is one alone. */
  label: z.string().optional(),
  /** ISO 4217, where answers or their description name it. */
  currency: z
    .string()
    .toUpperCase()
    .regex(/^[A-Z]{3}$/)
    .optional()
    .catch(undefined),
});
export type PriceRow = z.infer<typeof PriceRow>;

/** The same for the same row. */
export function rowKey({ label = '', currency = '' }: PriceRow): string {
  return `${currency} ${label}`;
}

/** What a card is worth; an absent figure was not given. */
export const Prices = PriceRow.extend({
  ...{ market: price, low: price, high: price },
  /**
   * What its path alone calls the row, where its description has a label for it; empty: nothing. By it `sameRow` finds
   * the row of a record that was kept before there were such labels; once none of those is left it may go.
   */
  pathLabel: z.string().optional(),
});
export type Prices = z.infer<typeof Prices>;

/** Only what is shown; other fields are dropped. */
export const Card = z.object({
  id: text,
  name: text,
  /** The trading card game that it belongs to. */
  game: optionalText,
  set: optional(z.object({ id: text, name: text })),
  /** The service writes `<number>/<set size>`. */
  number: optionalText,
  rarity: optionalText,
  imageUrl: optionalText,
  /** It shows the other side, where a card has two. */
  backImageUrl: optionalText,
  pageUrl: optionalText,
  prices: optional(Prices),
});
export type Card = z.infer<typeof Card>;

/** What a member wants to see of which card. */
export const CardQuery = z.object({
  cardId: z.string(),
  showPrices: z.boolean(),
});

/** Raised by each change of the form of a `CardRecord` that does more than to add what may be absent. */
export const CARDS_VERSION = 'v1';

/** What the service said about one id, as it is kept and shown. */
export const CardRecord = z.object({
  /** `undefined`: there is no such card. */
  card: orUndefined(Card),
  /** Prices of other rows, at most four; absent: there are none. */
  others: z.array(Prices).optional().catch(undefined),
  /** When the service said so; the prices are as old as this. */
  fetchedAtMs: z.number(),
  /** When the service last denied a card of which we hold a copy. */
  delistedAtMs: z.number().optional(),
  /** Its market prices so far, all of one row, the present one last; absent while it never had any. */
  history: PriceHistory.optional().catch(undefined),
  /** The row that history is of, while it has no market price: what is shown is of another then. */
  missingRow: PriceRow.extend({ sinceMs: z.number() }).optional().catch(undefined),
  /** The fingerprints of the description that its prices came by, and of its service; absent: the default's. */
  pricesBy: z.string().optional(),
});
export type CardRecord = z.infer<typeof CardRecord>;

/** What is known of a card without a request. */
export type Known = { kind: 'missing'; answer?: undefined } | { kind: 'fresh' | 'stale'; answer: CardRecord };

/** `known`: as it was just read; it is not journaled. */
export type CardQuery = z.output<typeof CardQuery> & { known?: Known };

/** Clocks that are set by time synchronisation differ by less. */
const MOST_AHEAD_MS = 60_000;

/** Whether a time of a record is so far in the future that a clock which was ahead must have written it. */
export function isFromClockAhead(atMs: number, nowMs: number): boolean {
  return atMs - nowMs > MOST_AHEAD_MS;
}

/** Host names of private networks, and numeric addresses: as parsed, those of version 6 have no dot. */
const NOT_PUBLIC = /(?:^[^.]+|\.(?:\d+|localhost|local|internal|lan|home|corp|home\.arpa))\.?$/i;

/** Whether anybody on the internet may own this name. @param hostname as `URL` has parsed it */
export function isPublicHost(hostname: string): boolean {
  return !NOT_PUBLIC.test(hostname);
}

/** What a printing is beside plain; each is worth something else. */
export type Finish = 'foil' | 'etched';

/** What a mark in a list, or the label of a price, says of that; absent: nothing, or that it is plain. */
export function finishOf(text: string): Finish | undefined {
  if (/etch/i.test(text)) return 'etched';
  return /(?<!non[- ]?)(?:foil|holo)/i.test(text) ? 'foil' : undefined;
}
