import type { MessageFile } from '../model/message.ts';
import { extremes, type PriceHistory, type PricePoint } from '../model/price-history.ts';
import { utcDay } from '../time.ts';
import { Canvas, encodePng, isDrawable, type Point } from './canvas.ts';
import { formatPrice } from './formats.ts';
import { formatMessage } from './messages.ts';

/** A currency whose sign cannot be drawn as a whole is not drawn at all: C$ is not $. The E of 3E12 is no sign. */
const CURRENCY = /(?<!\d)[\p{L}\p{Sc}]+/gu;

/** A card's price as a picture, with what it shows in words for those who cannot see it. */
export async function historyFile(
  history: PriceHistory,
  locale: string,
  currency: string | undefined,
): Promise<MessageFile> {
  const shown = (price: number) => formatPrice(locale, price, currency);
  const drawn = (price: number) => {
    const text = shown(price);
    return isDrawable(text) ? text : text.replace(CURRENCY, '').trim();
  };
  const { first, last, lowest, highest } = extremes(history);
  const description = formatMessage(locale, 'historyPicture', {
    first: first[0],
    last: last[0],
    latest: shown(last[1]),
    highest: shown(highest[1]),
    highestDate: highest[0],
    lowest: shown(lowest[1]),
    lowestDate: lowest[0],
  });
  const canvas = historyPicture(history, drawn);
  return { name: 'price-history.png', contentType: 'image/png', data: await encodePng(canvas), description };
}

const WIDTH = 640;
const HEIGHT = 320;
/** The plot: above it stands the highest price, below it the lowest, at its right the last. */
const PLOT = { left: 12, right: 480, top: 52, bottom: 264 };
const LINE = 4;
const DOT = 12;
/** Heights of digits: on a phone of 390 pixels the picture is shown at half its size. */
const PRICE = 24;
const DATE = 18;
const GAP = 10;

/** The line and the figures have a contrast of 3 on Discord's dark and light grounds. */
export const HISTORY_INKS = {
  line: { colour: 0x6a77f0 },
  area: { colour: 0x6a77f0, opacity: 0.18 },
  figures: { colour: 0x82878f },
};

/**
 * The curve of a price over time, with the highest, the lowest and the last price and their dates (UTC).
 *
 * @param shown how a price is written, with signs that a canvas can draw
 */
export function historyPicture(history: PriceHistory, shown: (price: number) => string): Canvas {
  const canvas = new Canvas(WIDTH, HEIGHT);
  const { first, last, lowest, highest } = extremes(history);
  const [spanMs, range] = [Math.max(1, last[0] - first[0]), highest[1] - lowest[1]];
  const at = ([atMs, price]: PricePoint): Point => [
    PLOT.left + ((atMs - first[0]) / spanMs) * (PLOT.right - PLOT.left),
    PLOT.bottom - (range === 0 ? 0.5 : (price - lowest[1]) / range) * (PLOT.bottom - PLOT.top),
  ];
  const column = (point: PricePoint | undefined) => point && Math.floor(at(point)[0] / LINE);
  // Several points in the width of the line would only thicken it.
  const line = history
    .filter((point, index) => column(point) !== column(history[index + 1]) || point === highest || point === lowest)
    .map(at);
  for (const [index, [fromX, fromY]] of line.entries()) {
    const [toX, toY] = line[index + 1] ?? [fromX, fromY];
    for (let x = Math.round(fromX); x < Math.round(toX); x++) {
      const y = fromY + ((toY - fromY) * (x + 0.5 - fromX)) / (toX - fromX);
      canvas.fill(HISTORY_INKS.area, x, y, x + 1, PLOT.bottom);
    }
  }
  canvas.stroke(HISTORY_INKS.line, line, LINE);

  const { figures } = HISTORY_INKS;
  for (const point of new Set([highest, lowest, last])) {
    const [x, y] = at(point);
    canvas.stroke(HISTORY_INKS.line, [[x, y]], DOT);
    const [price, date] = [shown(point[1]), utcDay(point[0])];
    if (point === last) {
      const side = { x, left: x + 2 * GAP, right: WIDTH };
      const top = Math.max(PLOT.top, Math.min(PLOT.bottom - PRICE - GAP - DATE, y - PRICE / 2));
      canvas.text(figures, price, { ...side, y: top, height: PRICE });
      canvas.text(figures, date, { ...side, y: top + PRICE + GAP, height: DATE });
    } else {
      const top = point === highest ? PLOT.top - 2 * GAP - DATE : PLOT.bottom + 2 * GAP;
      canvas.text(figures, `${price} · ${date}`, { ...PLOT, x, y: top, height: DATE });
    }
  }
  return canvas;
}
