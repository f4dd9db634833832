import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type PriceScale, priceScale } from '../model/price-scale.ts';
import { DAY_MS } from '../time/utc-day.ts';

const Line = z.enum(['above', 'below']);

/** A line was crossed, and the member has not been told yet. */
const Crossing = z.object({
  line: Line,
  /** The price that the member had named then. */
  target: z.number(),
  price: z.number(),
  /** With the watch's id it makes the nonce of the message: a watch that is stopped and set again has other crossings. */
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
  cardName: z.string(),
  ...Lines.shape,
  /** Lines that the price has reached, and from which it has not come back since: a crossing is one more of them. */
  crossed: z.array(Line).default([]),
  /** The member's language when it was set. */
  locale: z.string(),
  setAtMs: z.number(),
  /** How many crossings there were. */
  crossings: z.number(),
  untold: z.array(Crossing),
});
export type Watch = z.infer<typeof Watch>;

/** What a member asks for with `/watch`. */
export type Wish = Pick<Watch, 'memberId' | 'cardId' | 'cardName' | 'locale' | keyof Lines>;

/** After it was set a watch ends. */
export const WATCH_KEPT_MS = 365 * DAY_MS;
/** So far has a price to come back across a line before that is crossed again, of the line: otherwise a price that wobbles would be told again and again. */
const MARGIN = 0.02;
/** Older ones would tell a member who comes back of prices that are long past. */
const MOST_UNTOLD = 10;

/** One for a member and a card: the same wish from two places is one watch. */
export function watchId({ memberId, cardId }: Pick<Watch, 'memberId' | 'cardId'>): string {
  return createHash('sha256').update(`${memberId} ${cardId}`).digest('hex').slice(0, 16);
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
  scale = priceScale(),
): Watch {
  const [above, below] = [wish.above, wish.below].map((line) => line && scale.shown(line));
  const { crossings = 0, untold = [] } = before ?? {};
  const watch = { ...wish, above, below, id: watchId(wish), crossed: [], setAtMs: atMs, crossings, untold };
  if (price === undefined) return Watch.parse(watch);
  const lined = withPercent(watch, scale.shown(price), scale);
  return Watch.parse({ ...lined, crossed: crossedBy(lined, scale.shown(price), scale) });
}

/** After a price has come; the same object when nothing changes. */
export function withPrice(watch: Watch, newPrice: number, atMs: number, scale = priceScale()): Watch {
  const price = scale.shown(newPrice);
  const lined = withPercent(watch, price, scale);
  const crossed = crossedBy(lined, price, scale);
  const line = crossed.find((each) => !lined.crossed.includes(each));
  if (!line) return crossed.length === lined.crossed.length ? lined : { ...lined, crossed };
  const crossing: Crossing = { line, target: lined[line] ?? price, price, atMs, tellBy: 'message' };
  const untold = [...watch.untold, crossing].slice(-MOST_UNTOLD);
  return { ...lined, crossed, crossings: watch.crossings + 1, untold };
}

/** With what has become of a crossing instead; without it, its member was told. */
export function withTold(watch: Watch, { atMs }: Crossing, instead?: Crossing): Watch {
  return { ...watch, untold: watch.untold.flatMap((each) => (each.atMs === atMs ? (instead ?? []) : [each])) };
}

/** Whether a crossing is to be told by message. */
export function isUntold({ untold }: Watch): boolean {
  return untold.some(({ tellBy }) => tellBy === 'message');
}

export function hasEnded({ setAtMs }: Watch, nowMs: number): boolean {
  return nowMs - setAtMs >= WATCH_KEPT_MS;
}

/** The percentage as lines about the price. A line that was named stays, and is not met by the other. */
function withPercent<L extends Lines>(lines: L, price: number, scale: PriceScale): L {
  const { percent, ...named } = lines;
  if (percent === undefined) return lines;
  const moved = (share: number) => {
    const line = scale.shown(price * (1 + share));
    return line === price ? scale.shown(price + Math.sign(share) * scale.step(price)) : line;
  };
  const { above = moved(percent / 100), below = moved(-percent / 100) } = named;
  return { ...named, ...(above > below && { above, below }) } as L;
}

/** The lines that a price is at or beyond, and those of before that it has not come back across by the margin. */
function crossedBy(
  { crossed, ...lines }: Pick<Watch, 'crossed' | 'above' | 'below'>,
  price: number,
  scale: PriceScale,
) {
  return Line.options.filter((line) => {
    const at = lines[line];
    if (at === undefined) return false;
    const beyond = line === 'above' ? price - at : at - price;
    const step = scale.step(at);
    const margin = Math.max(MARGIN * at, step) - step / 2; // as it is shown
    return beyond >= 0 || (crossed.includes(line) && -beyond < margin);
  });
}

/** @returns `undefined` for what this version cannot read */
export function parseWatch(text: string | null | undefined): Watch | undefined {
  try {
    return Watch.parse(JSON.parse(text ?? ''));
  } catch {
    return undefined;
  }
}
