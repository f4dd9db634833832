import { expect, it } from 'vitest';
import { seededRandom } from '../../../src/sandbox/seeded-random.ts';
import { zipf } from './zipf.ts';

function draw(times: number, count: number, exponent: number): number[] {
  const rank = zipf(count, exponent, seededRandom('zipf'));
  const drawn = new Array<number>(count).fill(0);
  for (let time = 0; time < times; time++) {
    const index = rank();
    drawn[index] = (drawn[index] ?? 0) + 1;
  }
  return drawn;
}

it('draws the n-th most popular 1/n times as often as the first', () => {
  const drawn = draw(100_000, 500, 1);
  const first = drawn[0] ?? 0;
  // The first of 500 has 1 / (1 + 1/2 + … + 1/500) = 14.7 % of all.
  expect(first / 100_000).toBeCloseTo(0.147, 2);
  for (const n of [2, 5, 10]) expect(((drawn[n - 1] ?? 0) * n) / first).toBeCloseTo(1, 1);
});

it('draws every rank equally often with exponent 0', () => {
  for (const times of draw(40_000, 4, 0)) expect(times / 40_000).toBeCloseTo(0.25, 2);
});

it.each([
  [0, 0],
  [1 - Number.EPSILON, 2],
])('draws an existing rank at the limits of the random number: %f', (random, rank) => {
  expect(zipf(3, 1, () => random)()).toBe(rank);
});
