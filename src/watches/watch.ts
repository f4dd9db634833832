import { createHash } from 'node:crypto';
import { z } from 'zod';
import { PriceRow } from '../model/card.ts';

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
  /** How many crossings the member was told of, or is to be. */
  crossings: z.number(),
  /** The last crossing, until the member was told of it. */
  untold: Crossing.optional(),
});
export type Watch = z.infer<typeof Watch>;

/** A watch, and a crossing of it that is untold. */
export interface WatchCrossing {
  watch: Watch;
  crossing: Crossing;
}

/** The number that members read of a price: that is what is compared. */
export type AsShown = (price: number, currency?: string) => number;

/** What a member asks for with `/watch`. */
export type Wish = Pick<Watch, 'memberId' | 'cardId' | 'service' | 'cardName' | 'locale' | keyof Lines>;

/** The share of a line by which a price comes back across it, or one that wobbles would be told again and again. */
const MARGIN = 0.02;

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
export function newWatch(wish: Wish, price: number | undefined, atMs: number, asShown: AsShown, before?: Watch): Watch {
  const [above, below] = [wish.above, wish.below].map((line) => line && asShown(line));
  const { crossings = 0, untold } = before ?? {};
  const watch = { ...wish, above, below, id: watchId(wish), crossed: [], setAtMs: atMs, crossings, untold };
  return price === undefined ? watch : placed(watch, asShown(price), asShown);
}

/**
 * After a price has come; the same object when nothing changes. A crossing takes the place of one that is still untold.
 *
 * @param isAnew the price is not to be compared with those before: no line is crossed by it
 */
export function withPrice(
  watch: Watch,
  newPrice: number,
  atMs: number,
  asShown: AsShown,
  { isAnew = false, ...row }: PriceRow & { isAnew?: boolean } = {},
): Watch {
  const price = asShown(newPrice);
  if (isAnew) return placed({ ...watch, crossed: [] }, price, asShown);
  const after = placed(watch, price, asShown);
  const line = after.crossed.find((each) => !watch.crossed.includes(each));
  if (!line) return after;
  const untold: Crossing = { line, target: after[line] ?? price, price, ...row, atMs, tellBy: 'message' };
  return { ...after, crossings: watch.crossings + (watch.untold ? 0 : 1), untold };
}

/**
 * With the lines that a price is at or beyond, and those of before that it has not come back across; the same if that
 * is.
 */
function placed(watch: Watch, price: number, asShown: AsShown): Watch {
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

/** The percentage as lines about the price. A line that was named stays, and is not met by the other. */
function withPercent(watch: Watch, price: number): Watch {
  const { percent } = watch;
  if (percent === undefined) return watch;
  const { above = roundedPrice(price * (1 + percent / 100)), below = roundedPrice(price * (1 - percent / 100)) } =
    watch;
  return { ...watch, percent: undefined, ...(above > below && { above, below }) };
}

/** The price as it is shown, where cents are. */
function roundedPrice(price: number): number {
  return price < 1 ? price : Math.round(price * 100) / 100;
}

/** With what has become of a crossing instead; without it, its member was told. */
export function withTold(watch: Watch, { atMs }: Crossing, instead?: Crossing): Watch {
  return watch.untold?.atMs === atMs ? { ...watch, untold: instead } : watch;
}

/** What a line may be. */
export const LOWEST_LINE = 0.01;
export const HIGHEST_LINE = 1e9;

const PRICE = /^(\D*?)\s*(\d+(?:[.,]\d{1,2})?)\s*(\D*)$/;
const FULL_WIDTH = /[！-￦]/g;
const ANY_SIGN = /^\p{Sc}$/u;

/**
 * A price as members type it: digits, at most one point or comma with one or two digits behind it, and a sign of the
 * card's own currency before or behind that.
 *
 * @param ownSigns absent: its currency is not known, so that no sign is another's
 * @returns `undefined` for anything else, and for what no line may be
 */
export function typedPrice(text: string, ownSigns: readonly string[] | undefined): number | undefined {
  const [, before = '', figures, behind = ''] = PRICE.exec(compared(text)) ?? [];
  const own = ownSigns?.map(compared);
  const isOwn = (sign: string) => sign === '' || (own ? own.includes(sign) : ANY_SIGN.test(sign));
  const price = figures && isOwn(before) && isOwn(behind) ? Number(figures.replace(',', '.')) : 0;
  return price >= LOWEST_LINE && price <= HIGHEST_LINE ? price : undefined;
}

/** Full-width figures and signs are those of Japanese keyboards. */
function compared(text: string): string {
  const typed = text.replace(FULL_WIDTH, (sign) => sign.normalize('NFKC'));
  return typed.trim().toLowerCase();
}
