import { describe, expect, it } from 'vitest';
import { accountOf } from '../../src/storage/state.ts';

describe('an account', () => {
  const ADDRESS = 'https://cards.test';

  it.each([
    ['key', ADDRESS, 'other'],
    ['lack of a key', ADDRESS, undefined],
    ['address', 'https://other.test', 'key'],
  ])('differs by its %s', (_, address, key) => {
    expect(accountOf(address, key)).not.toBe(accountOf(ADDRESS, 'key'));
    expect(accountOf(address, key)).toBe(accountOf(address, key));
  });

  it('does not reveal the key', () => {
    expect(accountOf(ADDRESS, 'very-secret-key')).toMatch(/^[0-9a-f]{64}$/);
  });
});
