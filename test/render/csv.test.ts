import { expect, it } from 'vitest';
import { csvOf } from '../../src/render/worth-message.ts';

const cell = (value: string | number | undefined) => csvOf([[value]]).slice(1, -2);

it('a table is rows of commas that end with CR LF, after a mark of UTF-8', () => {
  expect(
    csvOf([
      ['a', 'é'],
      [1, undefined],
    ]),
  ).toBe('\uFEFFa,é\r\n1,\r\n');
});

it.each([
  ['Sol Ring', 'Sol Ring'],
  ['Jace, the Mind Sculptor', '"Jace, the Mind Sculptor"'],
  ['a "b"', '"a ""b"""'],
  ['a\nb', '"a\nb"'],
  [0.1, '0.1'],
  [-1, '-1'],
])('%j is the cell %j', (value, shown) => expect(cell(value)).toBe(shown));

it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '＝1', '=HYPERLINK("http://x")'])(
  '%j is text, which no spreadsheet runs',
  (value) => expect(cell(value)).toMatch(/^"?'/),
);
