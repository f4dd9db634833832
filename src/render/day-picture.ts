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
const HEIGHT = 300;
const LEFT = 6;
const RIGHT = WIDTH - 6;
/** The curve of the requests, and below it the bars of the hours. */
const CURVE = { top: 8, bottom: 170 };
const BARS = { top: 190, bottom: HEIGHT - 10 };
const LINE = 4;

/** All but the first, which is transparent, have a contrast of 3 on Discord's dark and light grounds. */
export const COLOURS = { ground: 0x000000, axis: 0x8a8f98, requests: 0x6a77f0, saved: 0x2f9e63, limit: 0xe5484d };
const INDEX = { ground: 0, axis: 1, requests: 2, saved: 3, limit: 4 } as const;

type Colour = keyof typeof INDEX;

/**
 * The day by hour: above, the requests used so far, with the limit as a line and the forecast as dots; below, a bar for
 * each hour with the requests and what was answered from memory. It has no text: every fact of it stands in the message.
 */
export function dayPicture(view: DayView): IndexedPicture {
  const canvas = new Canvas();
  canvas.fill('axis', LEFT, CURVE.bottom, RIGHT, CURVE.bottom + 2);
  canvas.fill('axis', LEFT, BARS.bottom, RIGHT, BARS.bottom + 2);
  for (const quarter of [0.25, 0.5, 0.75]) {
    canvas.fill('axis', atX(quarter), CURVE.bottom - 6, atX(quarter) + 2, CURVE.bottom);
    canvas.fill('axis', atX(quarter), BARS.bottom - 6, atX(quarter) + 2, BARS.bottom);
  }
  drawCurve(canvas, view);
  drawBars(canvas, view);
  return canvas.picture();
}

function drawCurve(canvas: Canvas, { hours, used, limit, forecast, dayShare }: DayView): void {
  const steps = usedByHour(hours, used);
  const highest = Math.max(1, limit ?? 0, forecast?.used ?? 0, ...steps) * 1.02;
  const atY = (requests: number) => CURVE.bottom - Math.round((requests / highest) * (CURVE.bottom - CURVE.top));
  for (const [hour, requests] of steps.entries()) {
    const untilX = hour === steps.length - 1 ? atX(dayShare) : atX((hour + 1) / 24);
    canvas.fill('requests', atX(hour / 24), atY(requests), Math.max(untilX, atX(hour / 24) + LINE), CURVE.bottom);
  }
  if (limit !== undefined) canvas.fill('limit', LEFT, atY(limit), RIGHT, atY(limit) + LINE);
  if (!forecast) return;
  const from = { x: atX(dayShare), y: atY(steps.at(-1) ?? 0) };
  const to = { x: atX(forecast.dayShare), y: atY(forecast.used) };
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  for (let along = 0; along < length; along += 3 * LINE) {
    const [x, y] = [from.x + ((to.x - from.x) * along) / length, from.y + ((to.y - from.y) * along) / length];
    canvas.fill('requests', x, y, x + LINE, y + LINE);
  }
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

function drawBars(canvas: Canvas, { hours }: DayView): void {
  const highest = Math.max(1, ...hours.map(({ requests, saved }) => requests + saved));
  const size = (count: number) =>
    count === 0 ? 0 : Math.max(2, Math.round((count / highest) * (BARS.bottom - BARS.top)));
  for (const [hour, { requests, saved }] of hours.entries()) {
    const [x, right] = [atX(hour / 24) + 2, atX((hour + 1) / 24) - 2];
    const top = Math.max(BARS.top, BARS.bottom - size(requests));
    canvas.fill('requests', x, top, right, BARS.bottom);
    canvas.fill('saved', x, Math.max(BARS.top, top - size(saved)), right, top);
  }
}

function atX(dayShare: number): number {
  return Math.round(LEFT + Math.min(1, Math.max(0, dayShare)) * (RIGHT - LEFT));
}

class Canvas {
  readonly #pixels = new Uint8Array(WIDTH * HEIGHT);

  /** A rectangle; what is outside is left out. */
  fill(colour: Colour, left: number, top: number, right: number, bottom: number): void {
    for (let y = Math.max(0, Math.round(top)); y < Math.min(HEIGHT, Math.round(bottom)); y++) {
      const from = Math.max(0, Math.round(left));
      this.#pixels.fill(
        INDEX[colour],
        y * WIDTH + from,
        y * WIDTH + Math.max(from, Math.min(WIDTH, Math.round(right))),
      );
    }
  }

  picture(): IndexedPicture {
    return { width: WIDTH, height: HEIGHT, palette: Object.values(COLOURS), pixels: this.#pixels };
  }
}
