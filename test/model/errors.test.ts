import { expect, it } from 'vitest';
import { KeyRefused, meaningOf, RateLimited, ServiceDown, Stopping, UnexpectedAnswer } from '../../src/model/errors.ts';

it.each<[string, Error, string]>([
  ['a 429', new RateLimited({ seconds: undefined }), 'not counted rateLimited info nextPermit'],
  ['a 429 with a wait', new RateLimited({ seconds: 5.5 }), 'not counted rateLimited 5500 info nextPermit'],
  ['an outage', new ServiceDown({ reason: 'silence' }), 'counted serviceDown warn backOff'],
  ['a 503', new ServiceDown({ reason: '503', retryAfterMs: 30_000 }), 'counted serviceDown 30000 warn backOff'],
  ['no connection', new ServiceDown({ reason: 'DNS', neverLeft: true }), 'not counted serviceDown warn backOff'],
  ['a refused key', new KeyRefused({ status: 401 }), 'counted keyRefused error never'],
  ['an answer that does not fit', new UnexpectedAnswer({ detail: 'name' }), 'counted answered warn never'],
  ['a stop', new Stopping(), 'counted abandoned warn never'],
  ['a bug', new TypeError('a bug'), 'counted abandoned error never'],
])('what %s means', (_, error, means) => {
  const { isCounted, kind, statedMs, level, retry } = meaningOf(error);
  expect([isCounted ? 'counted' : 'not counted', kind, statedMs, level, retry].filter(Boolean).join(' ')).toBe(means);
});
