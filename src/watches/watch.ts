import { createHash } from 'node:crypto';
import { z } from 'zod';
import { PriceRow } from '../model/card.ts';
import { DAY_MS } from '../time/utc-day.ts';

const Line = z.enum(['above', 'below']);

/** A line was crossed, and the member has not been told yet. */
const Crossing = z.object({
  line: Line,
  /** The price that the member had named then. */
  target: z.number(),
  price: z.number(),
  ...PriceRow.shape,
  /**
   * With the watch's id it makes the nonce of the message: a watch that is stopped and set again has other crossings.
   */
  atMs: z.number(),
  /** message: a direct message is tried; command: it is shown with the member's next command. */
  tellBy: z.enum(['message', 'command']),
  /** When it was first sent, either way: the member may have it since. */
  triedAtMs: z.number().optional(),
});
export type Crossing = z.infer<typeof Crossing>;

/** Prices to be told at or beyond. */
const Lines = z.object({
  above: z.number().optional(),
  below: z.number().optional(),
  /** A percentage of the first price that is known, either way; once one is, `above` and `below` stand instead. */
  percent: z.number().optional(),
});
export type Lines = z.infer<typeof Lines>;

/** A member's wish to be told of a card's price. */
export const Watch = z.object({
  /** The same for the same member and card, 16 letters and digits: it stands in custom ids. */
  id: z.string(),
  memberId: z.string(),
  cardId: z.string(),
  /** Whose id that is; absent: the default interface's. */
  service: z.string().optional(),
  cardName: z.string(),
  ...Lines.shape,
  /** Lines that the price has reached, and from which it has not come back since: a crossing is one more of them. */
  crossed: z.array(Line),
  /** The member's language when it was set. */
  locale: z.string(),
  setAtMs: z.number(),
  /** How many crossings there were. */
  crossings: z.number(),
  untold: z.array(Crossing),
});
export type Watch = z.infer<typeof Watch>;

/** The number that members read of a price: that is what is compared. */
export type AsShown = (price: number, currency?: string) => number;

/** What a member asks for with `/watch`. */
export type Wish = Pick<Watch, 'memberId' | 'cardId' | 'service' | 'cardName' | 'locale' | keyof Lines>;

/** After it was set a watch ends. */
export const WATCH_KEPT_MS = 365 * DAY_MS;
/** The share of a line by which a price comes back across it, or one that wobbles would be told again and again. */
const MARGIN = 0.02;
/** Older ones would tell a member who comes back of prices that are long past. */
const MOST_UNTOLD = 10;

/** One for a member and a card of a service: the same wish from two places is one watch. */
export function watchId({ memberId, cardId, service }: Pick<Watch, 'memberId' | 'cardId' | 'service'>): string {
  return createHash('sha256').update([memberId, cardId, service].filter(Boolean).join(' ')).digest('hex').slice(0, 16);
}

/**
 * A watch that begins now. A line that the price is beyond already is crossed by the next price that comes back to it.
 *
 * @param price the last one that is known
 * @param before the member's watch of that card, whose lines it replaces
 */
export function newWatch(
  wish: Wish,
  price: number | undefined,
  atMs: number,
  before?: Watch,
  asShown: AsShown = (each) => each,
): Watch {
  const [above, below] = [wish.above, wish.below].map((line) => line && asShown(line));
  const { crossings = 0, untold = [] } = before ?? {};
  const watch = { ...wish, above, below, id: watchId(wish), crossed: [], setAtMs: atMs, crossings, untold };
  return Watch.parse(price === undefined ? watch : placed(watch, asShown(price), asShown));
}

/**
 * After a price has come; the same object when nothing changes.
 *
 * @param isAnew the price is not to be compared with those before: no line is crossed by it
 */
export function withPrice(
  watch: Watch,
  newPrice: number,
  atMs: number,
  asShown: AsShown = (each) => each,
  { isAnew = false, ...row }: PriceRow & { isAnew?: boolean } = {},
): Watch {
  const price = asShown(newPrice);
  if (isAnew) return placed({ ...watch, crossed: [] }, price, asShown);
  const after = placed(watch, price, asShown);
  const line = after.crossed.find((each) => !watch.crossed.includes(each));
  if (!line) return after;
  const crossing: Crossing = { line, target: after[line] ?? price, price, ...row, atMs, tellBy: 'message' };
  const untold = [...watch.untold, crossing].slice(-MOST_UNTOLD);
  return { ...after, crossings: watch.crossings + 1, untold };
}

/**
 * With the lines that a price is at or beyond, and those of before that it has not come back across; the same if that
 * is.
 */
function placed<L extends Lines & Pick<Watch, 'crossed'>>(watch: L, price: number, asShown: AsShown): L {
  const lined = withPercent(watch, price);
  const crossed = Line.options.filter((line) => {
    const at = lined[line];
    if (at === undefined) return false;
    const wasCrossed = lined.crossed.includes(line);
    return line === 'above'
      ? price >= at || (wasCrossed && price > asShown(at * (1 - MARGIN)))
      : price <= at || (wasCrossed && price < asShown(at * (1 + MARGIN)));
  });
  return crossed.join() === lined.crossed.join() ? lined : { ...lined, crossed };
}

/** With what has become of a crossing instead; without it, its member was told. */
export function withTold(watch: Watch, { atMs }: Crossing, instead?: Crossing): Watch {
  return { ...watch, untold: watch.untold.flatMap((each) => (each.atMs === atMs ? (instead ?? []) : [each])) };
}

export function hasEnded({ setAtMs }: Watch, nowMs: number): boolean {
  return nowMs - setAtMs >= WATCH_KEPT_MS;
}

/** The percentage as lines about the price. A line that was named stays, and is not met by the other. */
function withPercent<L extends Lines>(lines: L, price: number): L {
  const { percent, ...named } = lines;
  if (percent === undefined) return lines;
  const { above = roundedPrice(price * (1 + percent / 100)), below = roundedPrice(price * (1 - percent / 100)) } =
    named;
  return { ...named, ...(above > below && { above, below }) } as L;
}

/** The price as it is shown, where cents are. */
function roundedPrice(price: number): number {
  return price < 1 ? price : Math.round(price * 100) / 100;
}
