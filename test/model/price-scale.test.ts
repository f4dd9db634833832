import fc from 'fast-check';
import { expect, it } from 'vitest';
import { priceScale } from '../../src/model/price-scale.ts';
import { formatPrice } from '../../src/render/formats.ts';

const price = fc.oneof(fc.double({ min: 1e-9, max: 1e15, noNaN: true }), fc.double({ min: 0, max: 100, noNaN: true }));

it.each(['USD', 'JPY', 'KWD', undefined])(
  'prices of %s are the same when they are shown as when they are compared',
  (currency) => {
    const scale = priceScale(currency);
    const shown = (value: number) => formatPrice('en-US', value, currency);
    fc.assert(
      fc.property(price, (value) => {
        expect(shown(scale.shown(value))).toBe(shown(value));
      }),
    );
  },
);

it.each([
  [1.005, undefined, 1.01, 0.01],
  [36, 'USD', 36, 0.01],
  [36.4, 'JPY', 36, 1],
  [0.004567, 'USD', 0.0046, 0.0001],
  [1.2345e12, undefined, 1.23e12, 1e10],
])('of %s in %s is read %s, and the next is %s away', (value, currency, shown, step) => {
  const scale = priceScale(currency);
  expect(scale.shown(value)).toBe(shown);
  expect(scale.step(value)).toBeCloseTo(step, 12);
});
