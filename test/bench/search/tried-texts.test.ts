import { expect, it } from 'vitest';
import { type TriedText, tableOf } from './tried-texts.ts';

it('counts a list that is held out in its own row only', () => {
  const text = { kind: 'whole name', typed: 'nova', meant: 'Nova', isTuning: false };
  const tried: TriedText[] = [
    { ...text, list: 'arkham', found: [{ id: '1', name: 'Nova' }], place: 0 },
    { ...text, list: 'marvel', found: [], place: undefined },
  ];
  const { rows, verdicts } = tableOf('', [{ name: 'cardbot', tried }], []);
  expect(rows).toEqual([
    ['whole name', '1', '100 %, 100 %, 100 %, 0'],
    ['(arkham)', '1', '100 %, 100 %, 100 %, 0'],
    ['all', '1', '100 %, 100 %, 100 %, 0'],
    ['(marvel)', '1', '0 %, 0 %, 0 %, 1'],
  ]);
  expect(verdicts?.[0]).toEqual({ claim: 'first at least 92 % (100.0 %)', reached: true });
});
