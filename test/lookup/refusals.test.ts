import { describe, expect, it } from 'vitest';
import { isCounted } from '../../src/lookup/refusals.ts';
import { KeyRefused, RateLimited, ServiceDown, UnexpectedAnswer } from '../../src/model/errors.ts';

describe('a request that failed', () => {
  it.each<[string, Error, boolean]>([
    ['with 429 is not', new RateLimited({ seconds: 1, source: 'body' }), false],
    ['before it left is not', new ServiceDown('connection failed', { neverLeft: true }), false],
    ['after it left is', new ServiceDown('connection failed'), true],
    ['by a refused key is', new KeyRefused(401), true],
    ['by nonsense is', new UnexpectedAnswer('name'), true],
  ])('%s counted', (_, error, counted) => {
    expect(isCounted(error)).toBe(counted);
  });
});
