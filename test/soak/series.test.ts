import { expect, it } from 'vitest';
import { judge, type SeriesName, type SoakSample } from './series.ts';

const FLAT = { residentBytes: 100e6, handles: 40, rows: 500, logLinesPerMinute: 1_500 };
const MINUTE_MS = 60_000;

/** Twenty minutes, a sample each. */
function soak(at: (minute: number) => Partial<SoakSample>): SoakSample[] {
  return Array.from({ length: 21 }, (_, minute) => ({ atMs: minute * MINUTE_MS, ...FLAT, ...at(minute) }));
}

function growing(samples: SoakSample[]): SeriesName[] {
  return judge(samples, 5 * MINUTE_MS)
    .filter(({ isFlat }) => !isFlat)
    .map(({ name }) => name);
}

it('what does not grow is flat, whatever happened in the warm-up', () => {
  expect(growing(soak((minute) => ({ residentBytes: minute < 5 ? minute * 20e6 : 100e6 })))).toEqual([]);
});

it('what goes up and down is flat', () => {
  expect(
    growing(soak((minute) => ({ residentBytes: 100e6 + (minute % 2) * 20e6, handles: 40 + (minute % 3) }))),
  ).toEqual([]);
});

it.each<[SeriesName, number]>([
  ['residentBytes', 2e6],
  ['handles', 2],
  ['rows', 10],
  ['logLinesPerMinute', 50],
])('%s that grows by %i a minute is not', (name, aMinute) => {
  expect(growing(soak((minute) => ({ [name]: FLAT[name] + minute * aMinute })))).toEqual([name]);
});

it('too few samples are no verdict', () => {
  expect(() => judge(soak(() => ({})).slice(0, 8), 5 * MINUTE_MS)).toThrow(/run it for longer/);
});
