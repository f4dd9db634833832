import { expect, it } from 'vitest';
import { type BenchTable, failed, judged, missed, toMarkdown } from './table.ts';

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
  const tooLong = { claim: '2 × as long', reached: false };
  const tables = [{ ...TABLE, verdicts: [tooLong, reached] }, TABLE, { ...TABLE, verdicts: [reached] }];
  expect(judged(tables)).toBe('Reached: 0 answers 429; 0 answers 429.\n\n**Missed**: 2 × as long.');
  expect(missed({ waits: tables })).toContain('| `waits` | 2 × as long ');
  expect(missed({ waits: tables.slice(1) })).toBe('All targets were reached.');
});

it.each([
  ['a count that was missed', { claim: '', reached: false }, true],
  ['a time that was missed', { claim: '', reached: false, timing: true }, false],
  ['what was reached', { claim: '', reached: true }, false],
])('fails a run for counts only: %s', (_, verdict, fails) => {
  expect(failed({ ...TABLE, verdicts: [verdict] })).toBe(fails);
});
