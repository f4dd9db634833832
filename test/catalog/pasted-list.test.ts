import { describe, expect, it } from 'vitest';
import { type PastedList, readPastedList } from '../../src/catalog/pasted-list.ts';

/** In short: each line as `count name | set | number`, with `*F*` where it is a foil. */
function shown(list: PastedList): readonly string[] {
  if ('refusal' in list) return [list.refusal];
  return list.lines.map(({ count, name, set, number, isFoil }) =>
    [`${count} ${name}`, set, number, isFoil ? '*F*' : undefined].filter(Boolean).join(' | '),
  );
}

describe('a pasted list', () => {
  it('has its lines in their order, with what each names', () => {
    const text = 'Deck\r\n4 Lightning Bolt (M10) 146\r\n1x OP01-025 *F*\r\n\r\nSideboard\r\n2 Negate\r\n';
    expect(shown(readPastedList(text))).toEqual(['4 Lightning Bolt | M10 | 146', '1 OP01-025 | *F*', '2 Negate']);
  });

  it('has lines that say the same once, and says how many there were', () => {
    const list = readPastedList('4 Negate\nSB: 2 negate\n1 Negate (M20)\n1 Negate *F*');
    expect(shown(list)).toEqual(['6 Negate', '1 Negate | M20', '1 Negate | *F*']);
    expect(list).toMatchObject({ merged: 1, lines: [{ typed: '4 Negate' }, {}, {}] });
  });

  it.each([
    ['', 'empty'],
    [' \n\t\r\n', 'empty'],
    ['Deck\n\nSideboard', 'headingsOnly'],
    [Array.from({ length: 101 }, (_, at) => `1 Card ${at}a`).join('\n'), 'tooManyCards'],
    ['0 Negate', 'count'],
  ])('is refused where it is none: %j is %s', (text, refusal) => {
    expect(readPastedList(text)).toMatchObject({ refusal });
  });

  it('has a hundred different cards at most, however often each', () => {
    const names = Array.from({ length: 100 }, (_, at) => `2 Card ${at}a`);
    expect(readPastedList([...names, ...names].join('\n'))).toMatchObject({ merged: 100 });
  });
});
