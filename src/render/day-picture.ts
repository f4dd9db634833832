import { Canvas, textWidth } from './canvas.ts';
import type { IndexedPicture } from './png.ts';

/** A day of the quota as it is drawn. Hours are of the UTC day. */
export interface DayView {
  /** Up to the present hour. */
  hours: readonly { requests: number; saved: number }[];
  /** Requests that are used and that there are in the day, as the service says; `undefined` when it has not. */
  used: number | undefined;
  limit: number | undefined;
  /** The end of the dotted line: a share of the day, and the requests used by then. */
  forecast: { dayShare: number; used: number } | undefined;
  /** How much of the day is over, 0 to 1. */
  dayShare: number;
}

const WIDTH = 720;
const HEIGHT = 372;
const LEFT = 6;
const RIGHT = WIDTH - 6;
/** The curve of the requests, and below it the bars of the hours: above each there is room for figures. */
const CURVE = { top: 34, bottom: 190 };
const BARS = { top: 232, bottom: 336 };
const LINE = 4;
/** Of a digit: on a phone of 390 pixels the picture is shown at half its size. */
const FIGURE = 20;
const GAP = 8;

/** All have a contrast of 3 on Discord's dark and light grounds. */
export const DAY_INKS = {
  axis: { colour: 0x8a8f98 },
  requests: { colour: 0x6a77f0 },
  saved: { colour: 0x2f9e63 },
  limit: { colour: 0xe5484d },
};

type DayCanvas = Canvas<keyof typeof DAY_INKS>;

/**
 * The day by hour: above, the requests used so far, with the limit as a line and the forecast as dots; below, a bar for
 * each hour with the requests and what was answered from memory. The figures are the limit, the requests used, those of the
 * busiest hour, and the hours (UTC); what they mean stands in the message.
 *
 * @param shown how a count is written
 */
export function dayPicture(view: DayView, shown: (count: number) => string): IndexedPicture {
  const canvas: DayCanvas = new Canvas(WIDTH, HEIGHT, DAY_INKS);
  for (const { bottom } of [CURVE, BARS]) {
    canvas.fill('axis', LEFT, bottom, RIGHT, bottom + 2);
    for (const quarter of [0.25, 0.5, 0.75]) canvas.fill('axis', atX(quarter), bottom - 6, atX(quarter) + 2, bottom);
  }
  for (const hour of [0, 6, 12, 18, 24]) {
    const align = hour === 0 ? 'left' : hour === 24 ? 'right' : 'centre';
    canvas.text('axis', String(hour), [atX(hour / 24), BARS.bottom + GAP], FIGURE, align);
  }
  drawCurve(canvas, view, shown);
  drawBars(canvas, view, shown);
  return canvas.picture();
}

function drawCurve(
  canvas: DayCanvas,
  { hours, used, limit, forecast, dayShare }: DayView,
  shown: (count: number) => string,
): void {
  const steps = usedByHour(hours, used);
  const highest = Math.max(1, limit ?? 0, forecast?.used ?? 0, ...steps) * 1.02;
  const atY = (requests: number) => CURVE.bottom - Math.round((requests / highest) * (CURVE.bottom - CURVE.top));
  for (const [hour, requests] of steps.entries()) {
    const untilX = hour === steps.length - 1 ? atX(dayShare) : atX((hour + 1) / 24);
    canvas.fill('requests', atX(hour / 24), atY(requests), Math.max(untilX, atX(hour / 24) + LINE), CURVE.bottom);
  }
  if (limit !== undefined) {
    canvas.fill('limit', LEFT, atY(limit), RIGHT, atY(limit) + LINE);
    canvas.text('limit', shown(limit), [RIGHT, atY(limit) - FIGURE - GAP], FIGURE, 'right');
  }
  const from = { x: atX(dayShare), y: atY(steps.at(-1) ?? 0) };
  writeUsed(canvas, shown(steps.at(-1) ?? 0), from);
  if (!forecast) return;
  const to = { x: atX(forecast.dayShare), y: atY(forecast.used) };
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  for (let along = 0; along < length; along += 3 * LINE) {
    const [x, y] = [from.x + ((to.x - from.x) * along) / length, from.y + ((to.y - from.y) * along) / length];
    canvas.fill('requests', x, y, x + LINE, y + LINE);
  }
}

/**
 * Right below the end of the curve, or over it where that is too low: dots are at neither place. The words of the message
 * have it, too, when there is no room.
 */
function writeUsed(canvas: DayCanvas, used: string, { x, y }: { x: number; y: number }): void {
  const width = textWidth(used, FIGURE);
  if (y + FIGURE + 2 * GAP > CURVE.bottom) {
    canvas.text('requests', used, [Math.max(x, LEFT + width), y - FIGURE - 2 * GAP], FIGURE, 'right');
  } else if (x + GAP + width <= RIGHT) canvas.text('requests', used, [x + GAP, y + GAP], FIGURE);
}

/**
 * The requests used by the end of each hour, up to what the service says now. The ledger knows what this bot sent: the
 * rest, by others with the same key, counts as used before.
 */
export function usedByHour(hours: DayView['hours'], used: number | undefined): number[] {
  let left = used ?? hours.reduce((sum, { requests }) => sum + requests, 0);
  return hours
    .toReversed()
    .map(({ requests }) => {
      const byThen = Math.max(0, left);
      left -= requests;
      return byThen;
    })
    .reverse();
}

function drawBars(canvas: DayCanvas, { hours }: DayView, shown: (count: number) => string): void {
  const highest = Math.max(1, ...hours.map(({ requests, saved }) => requests + saved));
  const size = (count: number) =>
    count === 0 ? 0 : Math.max(2, Math.round((count / highest) * (BARS.bottom - BARS.top)));
  for (const [hour, { requests, saved }] of hours.entries()) {
    const [x, right] = [atX(hour / 24) + 2, atX((hour + 1) / 24) - 2];
    const top = Math.max(BARS.top, BARS.bottom - size(requests));
    canvas.fill('requests', x, top, right, BARS.bottom);
    canvas.fill('saved', x, Math.max(BARS.top, top - size(saved)), right, top);
  }
  const busiest = hours.findIndex(({ requests, saved }) => requests + saved === highest);
  if (busiest < 0) return;
  const half = textWidth(shown(highest), FIGURE) / 2;
  const x = Math.min(RIGHT - half, Math.max(LEFT + half, atX((busiest + 0.5) / 24)));
  canvas.text('axis', shown(highest), [x, BARS.top - FIGURE - GAP], FIGURE, 'centre');
}

function atX(dayShare: number): number {
  return Math.round(LEFT + Math.min(1, Math.max(0, dayShare)) * (RIGHT - LEFT));
}
