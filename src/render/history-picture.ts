import type { PriceHistory, PricePoint } from '../model/price-history.ts';
import { Canvas, textWidth } from './canvas.ts';
import type { Point } from './glyphs.ts';
import type { IndexedPicture } from './png.ts';

const WIDTH = 640;
const HEIGHT = 320;
/** The plot: above it stands the highest price, below it the lowest, at its right the last. */
const PLOT = { left: 12, right: 480, top: 52, bottom: 264 };
const LINE = 4;
const DOT = 12;
/** Of a digit: on a phone of 390 pixels the picture is shown at two fifths of its size. */
const PRICE_HEIGHT = 24;
const DATE_HEIGHT = 18;
const GAP = 10;

/** The lines and figures have a contrast of 3 on Discord's dark and light grounds. */
export const HISTORY_INKS = {
  line: { colour: 0x6a77f0 },
  area: { colour: 0x6a77f0, opacity: 0.18 },
  figures: { colour: 0x8a8f98 },
};

/**
 * The curve of a price over time, with the highest, the lowest and the last price and their dates (UTC). Drawing takes a
 * few milliseconds of the event loop.
 *
 * @param shown how a price is written, with signs that a canvas can draw
 */
export function historyPicture(history: PriceHistory, shown: (price: number) => string): IndexedPicture {
  const canvas = new Canvas(WIDTH, HEIGHT, HISTORY_INKS);
  const [first = [0, 0], last = first] = [history[0], history.at(-1)];
  const { lowest, highest } = extremes(history);
  const spanMs = Math.max(1, last[0] - first[0]);
  const range = highest[1] - lowest[1];
  const at = ([atMs, price]: PricePoint): Point => [
    PLOT.left + ((atMs - first[0]) / spanMs) * (PLOT.right - PLOT.left),
    PLOT.bottom - (range === 0 ? 0.5 : (price - lowest[1]) / range) * (PLOT.bottom - PLOT.top),
  ];
  const line = lastOfEachColumn(history.map(at), [highest, lowest].map(at));
  fillBelow(canvas, line);
  canvas.stroke('line', line, LINE);

  const write = (point: PricePoint, [x, y]: Point) => {
    const price = shown(point[1]);
    const height = PRICE_HEIGHT * Math.min(1, (WIDTH - x) / textWidth(price, PRICE_HEIGHT));
    canvas.text('figures', price, [x, y + PRICE_HEIGHT - height], height);
    canvas.text('figures', day(point), [x, y + PRICE_HEIGHT + GAP], DATE_HEIGHT);
  };
  const [lastX, lastY] = at(last);
  canvas.stroke('line', [[lastX, lastY]], DOT);
  write(last, [lastX + 2 * GAP, Math.min(HEIGHT - 60, Math.max(10, lastY - PRICE_HEIGHT / 2))]);

  const mark = (point: PricePoint, y: number) => {
    if (range === 0 || point[1] === last[1]) return; // the last price says the same
    const text = `${shown(point[1])} · ${day(point)}`;
    const half = textWidth(text, DATE_HEIGHT) / 2;
    const [x, dotY] = at(point);
    canvas.stroke('line', [[x, dotY]], DOT);
    canvas.text(
      'figures',
      text,
      [Math.min(PLOT.right - half, Math.max(PLOT.left + half, x)), y],
      DATE_HEIGHT,
      'centre',
    );
  };
  mark(highest, PLOT.top - DATE_HEIGHT - 2 * GAP);
  mark(lowest, PLOT.bottom + 2 * GAP);
  return canvas.picture();
}

/** The points with the lowest and the highest price; of several, the last. */
export function extremes(history: PriceHistory): { lowest: PricePoint; highest: PricePoint } {
  const [first = [0, 0] as const] = history;
  return {
    lowest: history.reduce((least, point) => (point[1] <= least[1] ? point : least), first),
    highest: history.reduce((most, point) => (point[1] >= most[1] ? point : most), first),
  };
}

/** Several points in the width of the line would only thicken it. @param kept also when they are not the last */
function lastOfEachColumn(points: readonly Point[], kept: readonly Point[]): Point[] {
  const column = ([x]: Point) => Math.floor(x / LINE);
  const isKept = ([x]: Point) => kept.some((point) => point[0] === x);
  return points.filter((point, index) => {
    const next = points[index + 1];
    return !next || column(next) !== column(point) || isKept(point);
  });
}

function fillBelow(canvas: Canvas<keyof typeof HISTORY_INKS>, line: readonly Point[]): void {
  for (const [index, [fromX, fromY]] of line.entries()) {
    const [toX, toY] = line[index + 1] ?? [fromX, fromY];
    for (let x = Math.round(fromX); x < Math.round(toX); x++) {
      const y = fromY + ((toY - fromY) * (x + 0.5 - fromX)) / (toX - fromX);
      canvas.fill('area', x, y, x + 1, PLOT.bottom);
    }
  }
}

/** Such as `2026-11-23`, which is read alike in every language. */
export function day([atMs]: PricePoint): string {
  return new Date(atMs).toISOString().slice(0, 10);
}
