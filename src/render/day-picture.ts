import { Canvas, textWidth } from './canvas.ts';

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
const SIDES = { left: 6, right: WIDTH - 6 };
/** The curve of the requests, and below it the bars of the hours: above each there is room for figures. */
const CURVE = { top: 34, bottom: 190 };
const BARS = { top: 232, bottom: 336 };
const LINE = 4;
/** The height of a digit: on a phone of 390 pixels the picture is shown at half its size. */
const FIGURE = 20;
const GAP = 8;

/** All have a contrast of 3 on the grounds of Discord's embeds, dark and light. */
export const DAY_INKS = {
  axis: { colour: 0x82878f },
  requests: { colour: 0x6a77f0 },
  saved: { colour: 0x2f9e63 },
  limit: { colour: 0xe5484d },
};

/**
 * The day by hour: above, the requests used so far, with the limit as a line and the forecast as dots; below, a bar for
 * each hour with the requests and what was answered from memory. The figures are the limit, the requests used, those of
 * the busiest hour, and the hours (UTC); what they mean stands in the message.
 *
 * @param shown how a count is written
 */
export function dayPicture(view: DayView, shown: (count: number) => string): Canvas {
  const canvas = new Canvas(WIDTH, HEIGHT);
  for (const { bottom } of [CURVE, BARS]) {
    canvas.fill(DAY_INKS.axis, SIDES.left, bottom, SIDES.right, bottom + 2);
    for (const quarter of [0.25, 0.5, 0.75]) {
      canvas.fill(DAY_INKS.axis, atX(quarter), bottom - 6, atX(quarter) + 2, bottom);
    }
  }
  for (const hour of [0, 6, 12, 18, 24]) write(canvas, 'axis', String(hour), atX(hour / 24), BARS.bottom + GAP);
  drawCurve(canvas, view, shown);
  drawBars(canvas, view, shown);
  return canvas;
}

function write(canvas: Canvas, ink: keyof typeof DAY_INKS, text: string, x: number, y: number): void {
  canvas.text(DAY_INKS[ink], text, { ...SIDES, x, y, height: FIGURE });
}

function drawCurve(
  canvas: Canvas,
  { hours, used, limit, forecast, dayShare }: DayView,
  shown: (count: number) => string,
): void {
  const steps = usedByHour(hours, used);
  const highest = Math.max(1, limit ?? 0, forecast?.used ?? 0, ...steps) * 1.02;
  const atY = (requests: number) => CURVE.bottom - Math.round((requests / highest) * (CURVE.bottom - CURVE.top));
  for (const [hour, requests] of steps.entries()) {
    const [x, untilX] = [atX(hour / 24), atX(hour === steps.length - 1 ? dayShare : (hour + 1) / 24)];
    canvas.fill(DAY_INKS.requests, x, atY(requests), Math.max(untilX, x + LINE), CURVE.bottom);
  }
  if (limit !== undefined) {
    canvas.fill(DAY_INKS.limit, SIDES.left, atY(limit), SIDES.right, atY(limit) + LINE);
    write(canvas, 'limit', shown(limit), SIDES.right, atY(limit) - FIGURE - GAP);
  }
  const last = steps.at(-1) ?? 0;
  const from = { x: atX(dayShare), y: atY(last) };
  writeUsed(canvas, shown(last), from.x, from.y);
  if (!forecast) return;
  const to = { x: atX(forecast.dayShare), y: atY(forecast.used) };
  const dots = Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / (3 * LINE));
  for (let dot = 0; dot < dots; dot++) {
    const [x, y] = [from.x + ((to.x - from.x) * dot) / dots, from.y + ((to.y - from.y) * dot) / dots];
    canvas.fill(DAY_INKS.requests, x, y, x + LINE, y + LINE);
  }
}

/**
 * Right below the end of the curve, or else over it: dots are at neither place. Where the one is outside and the other
 * would hide the limit, only the words of the message have it.
 */
function writeUsed(canvas: Canvas, used: string, x: number, y: number): void {
  const width = textWidth(used, FIGURE);
  const [below, over] = [y + GAP, y - FIGURE - GAP];
  const fitsBelow = below + FIGURE + GAP <= CURVE.bottom && x + GAP + width <= SIDES.right;
  if (fitsBelow) write(canvas, 'requests', used, x + GAP + width / 2, below);
  else if (over > CURVE.top + GAP) write(canvas, 'requests', used, x - width / 2, over);
}

/**
 * The requests used by the end of each hour, up to what the service says now. The ledger knows what this bot sent: the
 * rest, by others with the same key, counts as used before.
 */
export function usedByHour(hours: DayView['hours'], used: number | undefined): number[] {
  const sent = hours.map((_, hour) => hours.slice(0, hour + 1).reduce((sum, { requests }) => sum + requests, 0));
  const byOthers = used === undefined ? 0 : used - (sent.at(-1) ?? 0);
  return sent.map((each) => Math.max(0, byOthers + each));
}

/** The hour with the most requests and answers from memory together; of several, the first. */
export function busiestOf(hours: DayView['hours']) {
  const totals = hours.map(({ requests, saved }) => requests + saved);
  const total = Math.max(0, ...totals);
  const hour = totals.indexOf(total);
  return { requests: 0, saved: 0, ...hours[hour], hour, total };
}

function drawBars(canvas: Canvas, { hours }: DayView, shown: (count: number) => string): void {
  const { hour: busiest, total: highest } = busiestOf(hours);
  const size = (count: number) =>
    count === 0 ? 0 : Math.max(2, Math.round((count / highest) * (BARS.bottom - BARS.top)));
  for (const [hour, { requests, saved }] of hours.entries()) {
    const [x, right] = [atX(hour / 24) + 2, atX((hour + 1) / 24) - 2];
    const top = Math.max(BARS.top, BARS.bottom - size(requests));
    canvas.fill(DAY_INKS.requests, x, top, right, BARS.bottom);
    canvas.fill(DAY_INKS.saved, x, Math.max(BARS.top, top - size(saved)), right, top);
  }
  if (highest > 0) write(canvas, 'axis', shown(highest), atX((busiest + 0.5) / 24), BARS.top - FIGURE - GAP);
}

function atX(dayShare: number): number {
  return Math.round(SIDES.left + Math.min(1, Math.max(0, dayShare)) * (SIDES.right - SIDES.left));
}
