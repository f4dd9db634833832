import { inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pictureSize } from '../../sandbox/discord/file-store.ts';
import { encodePng, type IndexedPicture } from '../../src/render/canvas.ts';
import { DAY_INKS, type DayView, dayPicture, usageDay, usedByHour } from '../../src/render/usage-day.ts';
import { contrast } from '../support/contrast.ts';
import { anyHours } from './service-answers.ts';

const INKS = Object.entries(DAY_INKS);
const shown = String;
const NOON_MS = Date.UTC(2026, 10, 20, 12);
const MIDNIGHT_MS = Date.UTC(2026, 10, 21);
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

/** The inks in a column of the picture, from top to bottom, each once in a row. */
function column({ width, height, palette, pixels }: IndexedPicture, dayShare: number): string[] {
  const x = Math.round(6 + dayShare * (width - 12));
  const inkAt = (y: number) => {
    const { colour, alpha } = palette[pixels[y * width + x] ?? 0] ?? { colour: 0, alpha: 0 };
    return alpha === 0 ? '' : (INKS.find(([, ink]) => ink.colour === colour)?.[0] ?? '');
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

  it.each([
    ['at the beginning of a day', { used: 10, dayShare: 0.02, forecast: { dayShare: 1, used: 70 } }],
    ['while few are used', { used: 6, dayShare: 0.5, forecast: { dayShare: 1, used: 12 } }],
    ['while many are used', { used: 60, dayShare: 0.5, forecast: { dayShare: 0.9, used: 100 } }],
    ['while many are used at the end of a day', { used: 60, dayShare: 0.99, forecast: undefined }],
    ['at the end of a day', { used: 3, dayShare: 0.99, forecast: { dayShare: 1, used: 3 } }],
  ])('writes the requests used where nothing else is, %s', (_, more) => {
    const view = { ...VIEW, ...more };
    const figures = (used: string) => dayPicture(view, (count) => (count === view.used ? used : ''));
    const [{ pixels, width }, bare] = [figures(shown(view.used)), figures('').pixels];
    const drawn = [...pixels.keys()].filter((at) => pixels[at] !== bare[at]);
    const columns = drawn.map((at) => at % width);
    // Also between the figures.
    const isAround = (at: number, of: number[]) => at >= Math.min(...of) && at <= Math.max(...of);
    const below = [...bare.keys()].filter((at) => isAround(at, drawn) && isAround(at % width, columns));
    expect([drawn.length > 0, below.filter((at) => bare[at] !== 0)]).toEqual([true, []]);
  });

  it('is small, and readable in both themes', async () => {
    for (const { colour } of Object.values(DAY_INKS)) {
      expect(Math.min(contrast(colour, 0x2b2d31), contrast(colour, 0xf2f3f5))).toBeGreaterThan(3);
    }
    const hours = Array.from({ length: 24 }, (_, hour) => ({ requests: hour * 7 + 1, saved: 500 - hour * 11 }));
    expect((await encodePng(dayPicture({ ...VIEW, hours }, shown))).length).toBeLessThan(8_000);
  });

  it('is drawn whatever was counted', () => {
    const count = fc.option(fc.maxSafeNat(), { nil: undefined });
    const share = fc.double({ min: -1, max: 2, noNaN: true });
    const forecast = fc.option(fc.record({ dayShare: share, used: fc.maxSafeNat() }), { nil: undefined });
    const view = fc.record({ hours: anyHours, used: count, limit: count, forecast, dayShare: share });
    fc.assert(
      fc.property(view, (it) => {
        const { width, height, palette, pixels } = dayPicture(it, shown);
        expect(pixels.length).toBe(width * height);
        expect(pixels.every((index) => index < palette.length)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});

it.each<[string, number[], number | undefined, number[]]>([
  ['are what this bot sent', [1, 2, 3], undefined, [1, 3, 6]],
  ['end with what the service says: what others used counts as used before', [1, 2, 3], 16, [11, 13, 16]],
  ['are never less than nothing', [5, 5], 2, [0, 2]],
])('the requests used by the end of each hour %s', (_, requests, used, byThen) => {
  expect(usedByHour(hoursOf(...requests.map((sent): [number, number] => [sent, 0])), used)).toEqual(byThen);
});

describe('a PNG', () => {
  const data = (png: Buffer, type: string) => {
    const at = png.indexOf(type, 0, 'latin1');
    return png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4));
  };

  it('holds every pixel, and the palette with how opaque each colour is; two pixels in a byte', async () => {
    const pixels = Uint8Array.of(0, 1, 2, 0, 2, 1, 0, 0);
    const palette = [0x010203, 0xff0000, 0x00ff00].map((colour, index) => ({ colour, alpha: index * 100 }));
    const png = await encodePng({ width: 4, height: 2, palette, pixels });
    expect(pictureSize(png)).toEqual({ width: 4, height: 2 });
    expect([...data(png, 'PLTE')]).toEqual([1, 2, 3, 255, 0, 0, 0, 255, 0]);
    expect([...data(png, 'tRNS')]).toEqual([0, 100, 200]);
    expect(data(png, 'IHDR')[8]).toBe(4);
    expect([...inflateSync(data(png, 'IDAT'))]).toEqual([0, 0x01, 0x20, 0, 0x21, 0x00]);
  });
});

describe('the day of /usage', () => {
  const NONE = { requests: 0, saved: 0 };
  const HOURS = [...Array(11).fill(NONE), { requests: 100, saved: 40 }, NONE];
  const TODAY = { used: 100, limit: 1_000, remaining: 900, resetsAtMs: MIDNIGHT_MS, atMs: NOON_MS };
  const UNKNOWN = { used: undefined, limit: undefined, forecast: undefined };
  const LATER_MS = NOON_MS + 6 * 3_600_000;
  const day = (today = {}, runsOutAtMs?: number) => usageDay(HOURS, { ...TODAY, ...today }, runsOutAtMs, NOON_MS);

  it('is not drawn before anything was counted', () => {
    for (const hours of [[NONE], []]) expect(usageDay(hours, TODAY, undefined, NOON_MS)).toBeUndefined();
  });

  it.each<[string, object, number | undefined, object]>([
    [
      'ends at the rate of the day so far',
      {},
      undefined,
      { used: 100, limit: 1_000, forecast: { dayShare: 1, used: 200 } },
    ],
    ['ends at the limit when the requests run out', {}, LATER_MS, { forecast: { dayShare: 0.75, used: 1_000 } }],
    ['has no forecast that contradicts that they do not', { used: 600 }, undefined, { used: 600, forecast: undefined }],
    ['has no forecast of nothing', { used: 0 }, undefined, { forecast: undefined }],
    ['has neither for another day than that of the counts', { resetsAtMs: NOON_MS + 3_600_000 }, undefined, UNKNOWN],
  ])('%s', (_, today, runsOutAtMs, drawn) => {
    expect(day(today, runsOutAtMs)).toMatchObject({ ...drawn, busiest: { hour: 11, requests: 100, saved: 40 } });
  });
});
