import { expect, it } from 'vitest';
import { requestsBetween } from '../../src/quota/usual-requests.ts';

const HOUR_MS = 3_600_000;

/** Hours from 0 on, each with so many requests, of which some were for watches. */
function counted(...counts: (number | [requests: number, watches: number])[]) {
  return counts.map((count, hour) => {
    const [requests, watches] = typeof count === 'number' ? [count, 0] : count;
    return { fromMs: hour * HOUR_MS, untilMs: (hour + 1) * HOUR_MS, requests, watches, saved: 0 };
  });
}

it.each<[string, ReturnType<typeof counted>, number, number, number | undefined]>([
  ['the sum of the hours between', counted(1, 2, 4, 8), 1, 3, 6],
  ['parts of hours in proportion', counted(4, 8, 12), 0.5, 2.25, 2 + 8 + 3],
  ['what was sent for watches left out', counted([10, 4], [10, 10]), 0, 2, 6],
  ['none where none were counted', counted(1, 0, 0), 1, 3, 0],
  ['not known before the first was counted', counted(0, 0, 5), 1, 3, undefined],
  ['not known where no hour is', counted(1, 1), 2, 3, undefined],
])('%s', (_, hours, fromHour, untilHour, requests) => {
  expect(requestsBetween(hours, fromHour * HOUR_MS, untilHour * HOUR_MS)).toBe(requests);
});
