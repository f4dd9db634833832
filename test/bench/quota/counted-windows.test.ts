import { expect, it } from 'vitest';
import { COUNTED_SERVICES, startCounted, UNCOUNTED } from './counted-windows.ts';
import { rhythmicDay } from './day-of-lookups.ts';
import { simulateDays } from './simulated-day.ts';

it.each(COUNTED_SERVICES)('never asks beyond a window in two days with many new cards: $name', async (service) => {
  const { start, counted } = startCounted(service);
  await simulateDays(start, [rhythmicDay(4_000, 0), rhythmicDay(4_000, 1)], UNCOUNTED);
  expect(counted.refused).toEqual([]);
  for (const answered of counted.answered) expect(answered).toBeGreaterThanOrEqual(60);
});
