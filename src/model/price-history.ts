import { z } from 'zod';

/**
 * What a card cost at one time, `[atMs, market]`: a card may have many, and each name would be stored with each of
 * them.
 */
const PricePoint = z.tuple([z.number(), z.number()]);
export type PricePoint = z.infer<typeof PricePoint>;

/** Market prices of one card as they were seen, oldest first. */
export const PriceHistory = z.array(PricePoint);
export type PriceHistory = readonly PricePoint[];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;

/**
 * How long each price stays the last one of its span, by its age: an hour for two days, and so on. Some 200 points of
 * 21 bytes at most, so 4 kB a card. Older prices are forgotten.
 */
const SPANS = [
  { upToMs: 2 * DAY_MS, spanMs: HOUR_MS },
  { upToMs: WEEK_MS, spanMs: 6 * HOUR_MS },
  { upToMs: 13 * WEEK_MS, spanMs: DAY_MS },
  { upToMs: 365 * DAY_MS, spanMs: WEEK_MS },
];

/** The history with one more point, thinned by age: of several in one of these spans the last stays. */
export function withPoint(history: PriceHistory, newest: PricePoint): PricePoint[] {
  const [atMs] = newest;
  const lastBySpan = new Map<string, PricePoint>();
  const earlier = history.filter(([pointMs]) => pointMs <= atMs); // later ones were seen before the clock was set back
  for (const point of [...earlier, newest]) {
    const [pointMs] = point;
    const span = SPANS.find(({ upToMs }) => atMs - pointMs <= upToMs);
    if (span) lastBySpan.set(`${span.spanMs} ${Math.floor(pointMs / span.spanMs)}`, point);
  }
  return [...lastBySpan.values()];
}

/** An older price says nothing of the last days. */
const LONGEST_AGO_DAYS = 30;

/**
 * How the last price compares with that of a week before: a share of 0.042 is 4.2 % more.
 *
 * @returns `undefined` without a point that is at least a week older, or when the last such is over a month older
 */
export function weekChange(history: PriceHistory): { share: number; days: number } | undefined {
  const [atMs, market] = history.at(-1) ?? [0, 0];
  const then = history.findLast(([pointMs]) => atMs - pointMs >= WEEK_MS);
  if (!then) return undefined;
  const days = Math.floor((atMs - then[0]) / DAY_MS);
  return days > LONGEST_AGO_DAYS ? undefined : { share: market / then[1] - 1, days };
}

/** The points at both ends, and those with the lowest and the highest price; of several, the last. */
export function extremes(history: PriceHistory) {
  const [first = [0, 0] as const, last = first] = [history[0], history.at(-1)];
  return {
    first,
    last,
    lowest: history.reduce((least, point) => (point[1] <= least[1] ? point : least), first),
    highest: history.reduce((most, point) => (point[1] >= most[1] ? point : most), first),
  };
}

/** Fewer points are no curve. */
const LEAST_POINTS = 5;
/** With more, the line of a card is two on a phone. */
const MOST_COLUMNS = 8;

/** The prices at the ends of columns of equal time, none before there are five points. */
export function priceCurve(history: PriceHistory): number[] {
  if (history.length < LEAST_POINTS) return [];
  const { first, last } = extremes(history);
  const columns = Math.min(MOST_COLUMNS, history.length);
  const priceAt = (atMs: number) => (history.findLast(([pointMs]) => pointMs <= atMs) ?? first)[1];
  const ends = Array.from({ length: columns - 1 }, (_, at) => first[0] + ((at + 1) * (last[0] - first[0])) / columns);
  return [...ends.map(priceAt), last[1]];
}

/** What a price's picture may show, in days. */
const HISTORY_DAYS = [7, 30, 90];
const LEAST_DRAWN = 3;

/** The points of the last days, counted back from now. */
export function lastDays(history: PriceHistory, days: number, nowMs: number): PriceHistory {
  return history.filter(([atMs]) => nowMs - atMs <= days * DAY_MS);
}

/**
 * Over how many days a history can be drawn, the longest first; each shows more points than the next shorter one. Empty
 * before there are three points over at least a day.
 */
export function drawableDays(history: PriceHistory, nowMs: number): number[] {
  if (history.length < LEAST_DRAWN) return [];
  let shown = LEAST_DRAWN - 1;
  const drawable = HISTORY_DAYS.filter((days) => {
    const points = lastDays(history, days, nowMs);
    if (points.length <= shown) return false;
    shown = points.length;
    const { first, last } = extremes(points);
    return last[0] - first[0] >= DAY_MS;
  });
  return drawable.reverse();
}
