import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listedIds } from '../../sandbox/bulk-listing.ts';
import { type ListingAddress, listRequest, roomForIds } from '../../src/service/listing-format.ts';
import { anyId } from '../support/any-id.ts';
import { listAt } from '../support/described.ts';

const BASE = 'http://cards.test';
const GET = { baseUrl: BASE, list: listAt('/cards?ids={ids}'), isDefault: true };
const POST = { ...GET, list: listAt('POST /cards/batch') };

function goTogether(address: ListingAddress, ids: readonly string[]): boolean {
  const { room, lengthOf } = roomForIds(address);
  return ids.reduce((sum, id) => sum + lengthOf(id), 0) <= room;
}

describe('the request for several cards', () => {
  it.each([
    ['/cards?ids={ids}', 'http://cards.test/cards?ids=a,b%20c&includePrices=true', undefined],
    ['GET /cards?ids={ids}', 'http://cards.test/cards?ids=a,b%20c&includePrices=true', undefined],
    ['/cards/{ids}/all', 'http://cards.test/cards/a,b%20c/all?includePrices=true', undefined],
    ['/cards?includePrices=1&ids={ids}', 'http://cards.test/cards?includePrices=1&ids=a,b%20c', undefined],
    ['POST /cards/batch', 'http://cards.test/cards/batch?includePrices=true', { ids: ['a', 'b c'] }],
    ['POST /cards/batch?v=2', 'http://cards.test/cards/batch?v=2&includePrices=true', { ids: ['a', 'b c'] }],
  ])('by the path "%s" goes to %s', (bulkPath, href, json) => {
    const request = listRequest({ ...GET, baseUrl: `${BASE}/`, list: listAt(bulkPath) }, ['a', 'b c']);
    expect([request.url.href, request.json]).toEqual([href, json]);
  });

  it('arrives with the same ids, whatever they hold, and is no longer than servers read', () => {
    fc.assert(
      fc.property(fc.array(anyId, { minLength: 1, maxLength: 30 }), fc.constantFrom(GET, POST), (ids, address) => {
        fc.pre(goTogether(address, ids));
        const { url, json } = listRequest(address, ids);
        expect(url.href.length).toBeLessThanOrEqual(8_000);
        expect(url.searchParams.getAll('includePrices')).toEqual(['true']);
        const method = json ? 'POST' : 'GET';
        const arrived = {
          method,
          path: url.pathname + url.search,
          authorization: undefined,
          body: JSON.stringify(json),
        };
        expect(listedIds(arrived)).toEqual(ids);
      }),
      { numRuns: 300 },
    );
  });
});

describe('cards that go together', () => {
  it('are all but those with a comma, by which ids are separated', () => {
    fc.assert(
      fc.property(fc.array(anyId, { minLength: 2, maxLength: 5 }), (ids) => {
        expect(goTogether(GET, ids)).toBe(!ids.some((id) => id.includes(',')));
      }),
    );
  });

  it('are as many as an address of 8,000 characters holds', () => {
    const longest = Array.from({ length: 10 }, (_, index) => `${index}${'𝕏'.repeat(99)}`);
    expect(longest.map((_, index) => goTogether(GET, longest.slice(0, index + 1)))).toEqual(
      longest.map((_, index) => index < 6),
    );
    expect(goTogether(POST, longest)).toBe(true);
  });

  it.each([
    [7_999, true],
    [8_001, false],
  ])('whose address has %i characters: %s', (length, expected) => {
    const idsOf = (filling: number) => ['a', 'b'.repeat(filling)];
    const around = listRequest(GET, idsOf(0)).url.href.length;
    const ids = idsOf(length - around);
    expect(listRequest(GET, ids).url.href).toHaveLength(length);
    expect(goTogether(GET, ids)).toBe(expected);
  });
});
