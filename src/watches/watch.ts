import { createHash } from 'node:crypto';
import { z } from 'zod';
import { DAY_MS } from '../time/utc-day.ts';

/** A line was crossed, and the member has not been told yet. */
const Crossing = z.object({
  line: z.enum(['above', 'below']),
  /** The price that the member had named then. */
  target: z.number(),
  price: z.number(),
  /** With the watch's id it makes the nonce of the message: a watch that is stopped and set again has other crossings. */
  atMs: z.number(),
  /** message: a direct message is tried; command: it is shown with the member's next command. */
  tellBy: z.enum(['message', 'command']),
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
  /** Where the last price was. A crossing is a change to `above` or `below`. */
  side: z.enum(['above', 'below', 'between']),
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
export function newWatch(wish: Wish, price: number | undefined, atMs: number, before?: Watch): Watch {
  const lines = price === undefined ? wish : withPercent(wish, price);
  const { crossings = 0, untold = [] } = before ?? {};
  const side = price === undefined ? 'between' : sideOf(lines, price);
  return Watch.parse({ ...lines, id: watchId(wish), side, setAtMs: atMs, crossings, untold });
}

/** After a price has come; the same object when nothing changes. */
export function withPrice(watch: Watch, price: number, atMs: number): Watch {
  const lined = withPercent(watch, price);
  const side = sideOf(lined, price);
  if (side === lined.side) return lined;
  if (side === 'between') return { ...lined, side };
  const crossing: Crossing = { line: side, target: lined[side] ?? price, price, atMs, tellBy: 'message' };
  return { ...lined, side, crossings: watch.crossings + 1, untold: [...watch.untold, crossing].slice(-MOST_UNTOLD) };
}

/** After its member was told of a crossing (`undefined`), or is to be told of it by a command. */
export function withTold(watch: Watch, { atMs }: Crossing, tellBy: 'command' | undefined): Watch {
  const untold = watch.untold.flatMap((each) => {
    if (each.atMs !== atMs) return [each];
    return tellBy ? [{ ...each, tellBy }] : [];
  });
  return { ...watch, untold };
}

/** Whether a crossing is to be told by message. */
export function isUntold({ untold }: Watch): boolean {
  return untold.some(({ tellBy }) => tellBy === 'message');
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

function sideOf({ above = Number.POSITIVE_INFINITY, below = Number.NEGATIVE_INFINITY }: Lines, price: number) {
  return price >= above ? 'above' : price <= below ? 'below' : 'between';
}

/** @returns `undefined` for what this version cannot read */
export function parseWatch(text: string | null | undefined): Watch | undefined {
  try {
    return Watch.parse(JSON.parse(text ?? ''));
  } catch {
    return undefined;
  }
}
