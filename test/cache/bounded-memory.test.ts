import { describe, expect, it } from 'vitest';
import { BoundedMemory } from '../../src/cache/bounded-memory.ts';

const MAX_BYTES = 100_000;

describe('bounded memory', () => {
  it('never holds more than its bytes, and evicts the least recently used entry', () => {
    const memory = new BoundedMemory(MAX_BYTES);
    memory.set('first', 'x'.repeat(500));
    memory.set('second', 'x'.repeat(500));
    for (let index = 0; index < 1_000; index++) {
      memory.set(`card ${index}`, 'x'.repeat(500));
      memory.get('first');
      expect(memory.bytes).toBeLessThanOrEqual(MAX_BYTES);
    }
    expect(memory.bytes).toBeGreaterThan(MAX_BYTES * 0.9);
    expect([memory.get('first'), memory.get('second')]).toEqual(['x'.repeat(500), undefined]);
  });

  it('counts two bytes for each character, and an overhead for each entry', () => {
    const memory = new BoundedMemory(MAX_BYTES);
    memory.set('key', 'value');
    expect(memory.bytes).toBeGreaterThanOrEqual(16);
  });

  it('does not keep a value that is larger than all of it', () => {
    const memory = new BoundedMemory(MAX_BYTES);
    memory.set('small', 'x');
    memory.set('large', 'x'.repeat(MAX_BYTES));
    expect([memory.get('small'), memory.get('large')]).toEqual(['x', undefined]);
  });

  it('deletes and clears', () => {
    const memory = new BoundedMemory(MAX_BYTES);
    memory.set('a', '1');
    memory.set('b', '2');
    expect([memory.delete('a'), memory.delete('a')]).toEqual([true, false]);
    memory.clear();
    expect([memory.get('b'), memory.bytes]).toEqual([undefined, 0]);
  });
});
