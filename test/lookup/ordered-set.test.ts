import fc from 'fast-check';
import { expect, it } from 'vitest';
import { OrderedSet } from '../../src/lookup/ordered-set.ts';

interface Item {
  value: number;
  marks: number;
}

const step = fc.record({ value: fc.nat(60), marks: fc.constantFrom(0, 2, 4, 6), isAdded: fc.boolean() });

it('is what sorting makes of the same items, whatever comes and goes', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), fc.nat(61), (steps, place) => {
      const set = new OrderedSet<Pick<Item, 'value'>, Item>(
        (a, b) => a.value - b.value,
        ({ marks }) => marks,
      );
      const model = new Map<number, Item>();
      for (const { value, marks, isAdded } of steps) {
        const present = model.get(value);
        if (isAdded && !present) {
          model.set(value, { value, marks });
          set.add(model.get(value) as Item);
        } else if (present && !isAdded) {
          model.delete(value);
          set.delete(present);
        }
      }
      const sorted = [...model.values()].toSorted((a, b) => a.value - b.value);
      expect(set.size).toBe(sorted.length);
      expect([...set.having()]).toEqual(sorted);
      for (const marks of [2, 4, 6]) {
        expect([...set.having(marks)]).toEqual(sorted.filter((item) => item.marks & marks));
        expect(set.first(marks)).toBe(sorted.find((item) => item.marks & marks));
      }
      expect(set.countBefore({ value: place })).toBe(sorted.filter(({ value }) => value < place).length);
    }),
  );
});

it('looks at as many items as the logarithm of their number, also when they come in order', () => {
  let compared = 0;
  const set = new OrderedSet<number>((a, b) => {
    compared += 1;
    return a - b;
  });
  for (let item = 0; item < 2 ** 14; item++) set.add(item);
  compared = 0;
  for (let item = 0; item < 100; item++) {
    set.countBefore(item * 150);
    set.first();
    set.delete(item * 150);
    set.add(item * 150);
  }
  expect(compared / 100).toBeLessThan(3 * 4 * 14);
});
