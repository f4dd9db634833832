import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PricePoint } from '../../src/model/price-history.ts';
import { encodePng, isDrawable } from '../../src/render/canvas.ts';
import { HISTORY_INKS, historyMessage, historyPicture } from '../../src/render/history-message.ts';
import { contrast } from '../support/contrast.ts';
import { table } from '../table.ts';
import { momentMs } from './service-answers.ts';

const DAY_MS = 86_400_000;
const FIRST_MS = Date.UTC(2026, 7, 1);
const shown = (price: number) => `$${price.toFixed(2)}`;

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

describe('the picture of a price', () => {
  it('is at most 8 kB with every point that is kept', async () => {
    for (const days of [3, 30, 90, 120, 200]) {
      for (const next of [moving, restless]) {
        const png = await encodePng(historyPicture(prices(days, next), shown));
        expect(png.length).toBeLessThanOrEqual(8_000);
      }
    }
  });

  it('has a contrast of 3 in both themes', () => {
    for (const { colour } of [HISTORY_INKS.line, HISTORY_INKS.figures]) {
      for (const ground of [0xffffff, 0x313338]) expect(contrast(colour, ground)).toBeGreaterThanOrEqual(3);
    }
  });

  it('is drawn whatever the prices were', () => {
    const points = fc.array(fc.tuple(momentMs, fc.double({ noNaN: true })), {
      maxLength: 50,
    });
    fc.assert(
      fc.property(points, (given) => {
        const history = given.toSorted(([a], [b]) => a - b);
        const { width, height, palette, pixels } = historyPicture(history, String);
        expect(pixels.length).toBe(width * height);
        expect(pixels.every((index) => index < palette.length)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  /** The picture of three days from a day on, at 2 and so much more each day. */
  async function fileOf(firstMs: number, risesBy: number, to: { locale: string; currency: string | undefined }) {
    const history = [0, 1, 2].map((day): PricePoint => [firstMs + day * DAY_MS, 2 + risesBy * day]);
    const view = { card: { name: 'Emberwing Drake' }, history, days: 7, choices: [7], nowMs: firstMs + 2 * DAY_MS };
    const { files } = await historyMessage({ ...view, ...to }, {});
    return { history, file: files[0] };
  }

  it.each([
    ['en', 'USD', '$2.00'],
    ['de', 'EUR', '2,00\u00a0€'],
    ['fr', 'USD', '2,00\u00a0$US'],
    ['es', 'USD', '2,00\u00a0US$'],
    ['pt-BR', 'BRL', 'R$\u00a02,00'],
    ['ja', 'JPY', '￥2'],
    ['en', 'CAD', '2.00'],
    ['ja', 'KRW', '2'],
    ['en', undefined, '2.00'],
  ])(
    'writes a price as it is written in %s, without a currency (%s) that it cannot draw: %s',
    async (...[locale, currency, price]) => {
      const { history, file } = await fileOf(FIRST_MS, 0, { locale, currency });
      expect(isDrawable(price)).toBe(true);
      expect(file?.data).toEqual(await encodePng(historyPicture(history, () => price)));
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
  `)('is told to readers who cannot see it with dates as they are written in %s: %s', async (locale, date) => {
    const { file } = await fileOf(Date.UTC(2026, 10, 13), 1, { locale: `${locale}`, currency: 'USD' });
    expect(file?.description).toContain(date);
    expect(file?.description).not.toContain('2026-11');
  });
});
