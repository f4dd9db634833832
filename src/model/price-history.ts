import { z } from 'zod';

/** What a card cost at one time. */
const PricePoint = z.tuple([z.number(), z.number()]);
/** `[atMs, market]`: a card may have many, and each name would be stored with each of them. */
export type PricePoint = z.infer<typeof PricePoint>;

/** Market prices of one card as they were seen, oldest first. Earlier versions also kept those of 0, which are no prices. */
export const PriceHistory = z.array(PricePoint).transform((points) => points.filter(([, market]) => market > 0));
export type PriceHistory = readonly PricePoint[];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
/** Older prices are forgotten. */
const KEPT_MS = 365 * DAY_MS;
/** Some 21 bytes each, so 4 kB a card. */
export const MOST_POINTS = 200;

/** How long each price stays the last one of its span, by its age: an hour for two days, and so on. */
const SPANS = [
  { upToMs: 2 * DAY_MS, spanMs: HOUR_MS },
  { upToMs: WEEK_MS, spanMs: 6 * HOUR_MS },
  { upToMs: 13 * WEEK_MS, spanMs: DAY_MS },
  { upToMs: KEPT_MS, spanMs: WEEK_MS },
];

/**
 * The history with one more point, thinned by age: one an hour, after two days one in six hours, after a week one a day,
 * after a quarter one a week, up to a year. Of several in one of these spans the last stays: 200 points at most.
 */
export function withPrice(history: PriceHistory, [atMs, market]: PricePoint): PricePoint[] {
  const lastBySpan = new Map<string, PricePoint>();
  const earlier = history.filter(([pointMs]) => pointMs <= atMs); // later ones were seen before the clock was set back
  for (const point of [...earlier, [atMs, market] as const]) {
    const [pointMs] = point;
    const span = SPANS.find(({ upToMs }) => atMs - pointMs <= upToMs);
    if (span) lastBySpan.set(`${span.spanMs} ${Math.floor(pointMs / span.spanMs)}`, [...point]);
  }
  return [...lastBySpan.values()].slice(-MOST_POINTS);
}

export interface PriceChange {
  /** 0.042 for 4.2 % more. */
  share: number;
  /** Whole days. */
  days: number;
}

/** An older price says nothing of the last days. */
const LONGEST_AGO_DAYS = 30;

/**
 * How the last price compares with that of a week before.
 *
 * @returns `undefined` without a point that is at least a week older, or when the last such is over a month older
 */
export function weekChange(history: PriceHistory): PriceChange | undefined {
  const [atMs, market] = history.at(-1) ?? [0, 0];
  const then = history.findLast(([pointMs]) => atMs - pointMs >= WEEK_MS);
  if (!then || then[1] <= 0) return undefined;
  const days = Math.floor((atMs - then[0]) / DAY_MS);
  return days > LONGEST_AGO_DAYS ? undefined : { share: market / then[1] - 1, days };
}

/** A price curve in columns of equal time. */
export interface PriceCurve {
  sinceMs: number;
  lowest: number;
  highest: number;
  /** The price at the end of each column. */
  prices: number[];
}

/** Fewer points are no curve. */
const LEAST_POINTS = 5;
const MOST_COLUMNS = 16;

/** @returns `undefined` before there are five points */
export function priceCurve(history: PriceHistory): PriceCurve | undefined {
  const [first, last] = [history[0], history.at(-1)];
  if (!first || !last || history.length < LEAST_POINTS) return undefined;
  const columns = Math.min(MOST_COLUMNS, history.length);
  const columnMs = (last[0] - first[0]) / columns;
  const priceAt = (atMs: number) => (history.findLast(([pointMs]) => pointMs <= atMs) ?? first)[1];
  const ends = Array.from({ length: columns }, (_, index) => first[0] + (index + 1) * columnMs);
  const markets = history.map(([, market]) => market);
  return {
    sinceMs: first[0],
    lowest: Math.min(...markets),
    highest: Math.max(...markets),
    prices: [...ends.slice(0, -1).map(priceAt), last[1]],
  };
}

/** What a price's picture may show, in days. */
export const HISTORY_DAYS = [7, 30, 90] as const;
const LEAST_SPAN_MS = DAY_MS;
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
  const drawable = HISTORY_DAYS.filter((days, index) => {
    const points = lastDays(history, days, nowMs);
    const spanMs = (points.at(-1)?.[0] ?? 0) - (points[0]?.[0] ?? 0);
    const shorter = HISTORY_DAYS[index - 1];
    const isMore = shorter === undefined || points.length > lastDays(history, shorter, nowMs).length;
    return isMore && points.length >= LEAST_DRAWN && spanMs >= LEAST_SPAN_MS;
  });
  return drawable.reverse();
}
