import { expect, it } from 'vitest';
import { type BenchTable, failed, judged, toMarkdown } from './table.ts';

const TABLE: BenchTable = { title: 'Waits', columns: ['way', 'wait'], rows: [['a|b', '1 s'], ['c']] };

it('pads columns to one width and escapes what would end a cell', () => {
  expect(toMarkdown(TABLE)).toBe(
    ['**Waits**', '', '| way  | wait |', '| ---- | ---- |', '| a\\|b | 1 s  |', '| c    |      |'].join('\n'),
  );
});

it('writes notes under the table', () => {
  expect(toMarkdown({ ...TABLE, notes: ['One.', 'Two.'] })).toMatch(/\|\n\nOne\.\n\nTwo\.$/);
});

it('lists what was reached and what was missed', () => {
  const reached = { claim: '0 answers 429', reached: true };
  const missed = { claim: '2 × as long', reached: false };
  const tables = [{ ...TABLE, verdicts: [missed, reached] }, TABLE, { ...TABLE, verdicts: [reached] }];
  expect(judged(tables)).toBe('Reached: 0 answers 429; 0 answers 429.\n\n**Missed**: 2 × as long.');
});

it.each([
  ['a count that was missed', { claim: '', reached: false }, true],
  ['a time that was missed', { claim: '', reached: false, timing: true }, false],
  ['what was reached', { claim: '', reached: true }, false],
])('fails a run for counts only: %s', (_, verdict, fails) => {
  expect(failed({ ...TABLE, verdicts: [verdict] })).toBe(fails);
});
