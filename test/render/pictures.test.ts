import { inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pictureSize } from '../../sandbox/discord/file-store.ts';
import type { PricePoint } from '../../src/model/price-history.ts';
import { type Canvas, encodePng, isDrawable } from '../../src/render/canvas.ts';
import { FRESH_COLOUR, STALE_COLOUR } from '../../src/render/card-embed.ts';
import { DAY_INKS, type DayView, dayPicture, usedByHour } from '../../src/render/day-picture.ts';
import { HISTORY_INKS, historyFile, historyPicture } from '../../src/render/history-picture.ts';
import { contrast } from '../support/contrast.ts';
import { changed, table } from '../table.ts';
import { anyHours, momentMs } from './service-answers.ts';

const shown = String;
const DAY_MS = 86_400_000;
const FIRST_MS = Date.UTC(2026, 7, 1);

function hoursOf(...counts: [requests: number, saved: number][]): DayView['hours'] {
  return counts.map(([requests, saved]) => ({ requests, saved }));
}

const VIEW: DayView = {
  hours: hoursOf([10, 0], [0, 0], [5, 30]),
  used: 15,
  limit: 100,
  forecast: { dayShare: 1, used: 80 },
  dayShare: 2.5 / 24,
};

/** A price for each day, from a fixed sequence. @param next by the price before, and a random share */
function prices(days: number, next: (before: number, share: number) => number): PricePoint[] {
  let [seed, price] = [7, 30];
  return Array.from({ length: days }, (_, day) => {
    seed = (seed * 16_807) % 2_147_483_647;
    price = next(price, seed / 2_147_483_647);
    return [FIRST_MS + day * DAY_MS, price];
  });
}

const moving = (before: number, share: number) => before * (0.95 + share * 0.1);
/** Anything from one day to the next: a curve of many edges, and long figures. */
const restless = (_before: number, share: number) => (1 + 9 * share) * 100_000;

it('every picture is at most 8 kB', async () => {
  const hours = Array.from({ length: 24 }, (_, hour) => ({ requests: hour * 7 + 1, saved: 500 - hour * 11 }));
  const histories = [3, 30, 90, 120, 200].flatMap((days) => [prices(days, moving), prices(days, restless)]);
  const curves = histories.map((history) => historyPicture(history, (price) => `$${price.toFixed(2)}`));
  for (const canvas of [dayPicture({ ...VIEW, hours }, shown), ...curves])
    expect((await encodePng(canvas)).length).toBeLessThanOrEqual(8_000);
});

it.each([
  ['the day', Object.values(DAY_INKS), [0x2b2d31, 0xf2f3f5]],
  ['a price', [HISTORY_INKS.line, HISTORY_INKS.figures], [0x313338, 0xffffff]],
  ['embeds', [{ colour: FRESH_COLOUR }, { colour: STALE_COLOUR }], [0x313338, 0xffffff]],
])('the colours of %s are legible in both themes', (_, inks, grounds) => {
  for (const { colour } of inks)
    for (const ground of grounds) expect(contrast(colour, ground)).toBeGreaterThanOrEqual(3);
});

const count = fc.option(fc.maxSafeNat(), { nil: undefined });
const dayShare = fc.double({ min: -1, max: 2, noNaN: true });
const forecast = fc.option(fc.record({ dayShare, used: fc.maxSafeNat() }), { nil: undefined });
const points = fc.array(fc.tuple(momentMs, fc.double({ noNaN: true })), { maxLength: 50 });

it.each<[string, fc.Arbitrary<Canvas>]>([
  [
    'a day',
    fc.record({ hours: anyHours, used: count, limit: count, forecast, dayShare }).map((day) => dayPicture(day, shown)),
  ],
  [
    'a price',
    points.map((given) =>
      historyPicture(
        given.toSorted(([a], [b]) => a - b),
        shown,
      ),
    ),
  ],
])('the picture of %s is drawn whatever the figures were', (_, picture) => {
  fc.assert(
    fc.property(picture, ({ width, height, palette, pixels }) => {
      expect(pixels.length).toBe(width * height);
      expect(pixels.every((index) => index < palette.length)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

/** The inks in a column of the picture, from top to bottom, each once in a row. */
function column({ width, height, palette, pixels }: Canvas, dayShare: number): string[] {
  const x = Math.round(6 + dayShare * (width - 12));
  const inkAt = (y: number) => {
    const { colour, alpha } = palette[pixels[y * width + x] ?? 0] ?? { colour: 0, alpha: 0 };
    return alpha === 0 ? '' : (Object.entries(DAY_INKS).find(([, ink]) => ink.colour === colour)?.[0] ?? '');
  };
  const names = Array.from({ length: height }, (_, y) => inkAt(y));
  return names.filter((name, y) => name !== names[y - 1] && name !== '');
}

describe('the picture of a day', () => {
  it('shows the limit above the requests used so far, and below them the bars of each hour', () => {
    const picture = dayPicture(VIEW, (count) => (count === VIEW.used ? '' : shown(count)));
    expect(column(picture, 0.5 / 24)).toEqual(['limit', 'requests', 'axis', 'requests', 'axis']);
    expect(column(picture, 1.5 / 24)).toEqual(['limit', 'requests', 'axis', 'axis']);
    expect(column(picture, 2.4 / 24)).toEqual([
      ...['limit', 'requests', 'axis'],
      ...['axis', 'axis'], // the figure of the busiest hour
      ...['saved', 'requests', 'axis'],
    ]);
    expect(column(picture, 2.8 / 24).slice(0, 2)).toEqual(['limit', 'axis']); // it is half past two
  });

  it('has a mark at each quarter', () => {
    const { width, pixels } = dayPicture({ ...VIEW, hours: [], limit: undefined, forecast: undefined }, () => '');
    const inked = [0.25, 0.5, 0.75].map((share) => {
      const x = Math.round(6 + share * (width - 12));
      return pixels.subarray(0, 200 * width).filter((ink, at) => ink !== 0 && at % width === x).length;
    });
    expect(inked).toEqual([8, 8, 8]); // pixels, with those of the line below it
  });

  it('shows the forecast as dots up to where it leads', () => {
    const dotted = (view: DayView) => {
      const picture = dayPicture(view, shown);
      const shares = Array.from({ length: 100 }, (_, index) => 0.2 + index / 200);
      return shares.filter((share) => column(picture, share).includes('requests')).length;
    };
    expect(dotted(VIEW)).toBeGreaterThan(20);
    expect(dotted({ ...VIEW, forecast: undefined })).toBe(0);
  });

  it.each(table`
    at the beginning of a day | used=10; dayShare=0.02; forecast={"dayShare":1,"used":70}
    while few are used | used=6; dayShare=0.5; forecast={"dayShare":1,"used":12}
    while many are used | used=60; dayShare=0.5; forecast={"dayShare":0.9,"used":100}
    while many are used at the end of a day | used=60; dayShare=0.99; forecast=
    at the end of a day | used=3; dayShare=0.99; forecast={"dayShare":1,"used":3}
  `)('writes the requests used where nothing else is, %s', (_, changes) => {
    const view: DayView = changed(VIEW, changes);
    const figures = (used: string) => dayPicture(view, (count) => (count === view.used ? used : ''));
    const [{ pixels, width }, bare] = [figures(shown(view.used)), figures('').pixels];
    const drawn = [...pixels.keys()].filter((at) => pixels[at] !== bare[at]);
    const columns = drawn.map((at) => at % width);
    // Also between the figures.
    const isAround = (at: number, of: number[]) => at >= Math.min(...of) && at <= Math.max(...of);
    const below = [...bare.keys()].filter((at) => isAround(at, drawn) && isAround(at % width, columns));
    expect([drawn.length > 0, below.filter((at) => bare[at] !== 0)]).toEqual([true, []]);
  });

  it.each(table`
    are what this bot sent | 1 2 3 | | 1 3 6
    end with what the service says: what others used counts as used before | 1 2 3 | 16 | 11 13 16
    are never less than nothing | 5 5 | 2 | 0 2
  `)('has the requests used by the end of each hour, which %s', (_, requests = '', used, byThen) => {
    const hours = hoursOf(...requests.split(' ').map((sent): [number, number] => [Number(sent), 0]));
    expect(usedByHour(hours, used ? Number(used) : undefined).join(' ')).toBe(byThen);
  });
});

describe('the picture of a price', () => {
  it('is an unbroken line that rises with it', () => {
    const rising = [0, 1, 2].map((day): PricePoint => [FIRST_MS + day * DAY_MS, 2 + day]);
    const { width, palette, pixels } = historyPicture(rising, () => '');
    const isLine = (ink: number) => palette[ink]?.colour === HISTORY_INKS.line.colour && palette[ink].alpha === 255;
    const topAt = (x: number) => Math.floor(pixels.findIndex((ink, at) => at % width === x && isLine(ink)) / width);
    const tops = Array.from({ length: 440 }, (_, at) => topAt(20 + at));
    expect(tops).not.toContain(-1);
    expect(tops).toEqual(tops.toSorted((a, b) => b - a));
  });

  /** Of three days from a day on, at 2 and so much more each day. */
  async function fileOf(firstMs: number, risesBy: number, to: { locale: string; currency: string | undefined }) {
    const history = [0, 1, 2].map((day): PricePoint => [firstMs + day * DAY_MS, 2 + risesBy * day]);
    return { history, file: await historyFile(history, to.locale, to.currency) };
  }

  it.each(table`
    en | USD | $2.00
    de | EUR | 2,00 €
    fr | USD | 2,00 $US
    pt-BR | BRL | R$ 2,00
    ja | JPY | ￥2
    en | CAD | 2.00
    ja | KRW | 2
    en | | 2.00
  `)(
    'writes it as in %s, without a currency (%s) that it cannot draw: %s',
    async (locale = '', currency, shown = '') => {
      const { history, file } = await fileOf(FIRST_MS, 0, { locale, currency: currency || undefined });
      const price = shown.replace(' ', '\u00a0');
      expect(isDrawable(price)).toBe(true);
      expect(file.data).toEqual(await encodePng(historyPicture(history, () => price)));
    },
  );

  it.each(table`
    en-US | November 13, 2026
    en-GB | 13 November 2026
    de | 13. November 2026
    fr | 13 novembre 2026
    es-419 | 13 de noviembre de 2026
    pt-BR | 13 de novembro de 2026
    ja | 2026年11月13日
  `)('is told to readers who cannot see it with dates as they are written in %s: %s', async (locale = '', date) => {
    const { file } = await fileOf(Date.UTC(2026, 10, 13), 1, { locale, currency: 'USD' });
    expect(file.description).toContain(date);
    expect(file.description).not.toContain('2026-11');
  });
});

it('a PNG holds every pixel, and the palette with how opaque each colour is; two pixels in a byte', async () => {
  const canvas = dayPicture(VIEW, shown);
  const { width, height, palette, pixels } = canvas;
  const png = await encodePng(canvas);
  const data = (type: string) => {
    const at = png.indexOf(type, 0, 'latin1');
    return png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4));
  };
  expect(pictureSize(png)).toEqual({ width, height });
  expect(data('PLTE').toString('hex')).toBe(palette.map(({ colour }) => colour.toString(16).padStart(6, '0')).join(''));
  expect([...data('tRNS')]).toEqual(palette.map(({ alpha }) => alpha));
  expect(data('IHDR')[8]).toBe(4);
  const rows = Array.from({ length: height }, (_, y) => pixels.subarray(y * width, (y + 1) * width));
  const written = rows.map((row) => `00${Array.from(row, (index) => index.toString(16)).join('')}`);
  expect(inflateSync(data('IDAT')).toString('hex') === written.join('')).toBe(true);
});
