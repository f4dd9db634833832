import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cardUrl } from '../../src/service/card-service.ts';
import { anyId } from '../support/any-id.ts';
import { described } from '../support/described.ts';
import { table } from '../table.ts';

const template = fc.constantFrom(
  ['/cards/', ''],
  ['/v1/cards/', ''],
  ['/', ''],
  ['/cards/', '.json'],
  ['/cards/', '/full'],
  ['/cards/tcg-', ''],
);
const base = fc.constantFrom('', '/', '/api', '/api/v2/');

it.each(table`
  | /cards/{id} | base1-4 | /cards/base1-4
  / | /cards/{id} | base1-4 | /cards/base1-4
  /api// | /v1/cards/{id} | base1-4 | /api/v1/cards/base1-4
  | /cards/{id} | a/../b | /cards/a%2F..%2Fb
  | /cards/{id} | %2e%2e | /cards/%252e%252e
  | /cards/{id} | a?b#c | /cards/a%3Fb%23c
  | /cards/{id} | $&{id} | /cards/%24%26%7Bid%7D
  | /cards/{id} | 四 | /cards/%E5%9B%9B
`)('cardUrl puts into %s and %s the id %s', (base, cardPath = '', id = '', path) => {
  const { href } = cardUrl(`http://cards.test${base}`, described({ cardPath }), id);
  expect(href).toBe(`http://cards.test${path}?includePrices=true`);
});

it('an address keeps any id in exactly one segment of its path, with nothing beside that but the wish for prices', () => {
  fc.assert(
    fc.property(anyId, template, base, (id, [before, after], prefix) => {
      const url = cardUrl(`http://cards.test${prefix}`, described({ cardPath: `${before}{id}${after}` }), id);
      const start = prefix.replace(/\/$/, '') + before;
      expect(url.origin + url.search + url.hash + url.username).toBe('http://cards.test?includePrices=true');
      expect(url.pathname.startsWith(start)).toBe(true);
      expect(url.pathname.endsWith(after)).toBe(true);
      const segment = url.pathname.slice(start.length, url.pathname.length - after.length);
      expect(segment).not.toContain('/');
      expect(decodeURIComponent(segment)).toBe(id);
      expect(new URL(url.href).href).toBe(url.href);
    }),
    { numRuns: 300 },
  );
});
