import { expect, it } from 'vitest';
import { COUNTED_SERVICES, startCounted, UNCOUNTED } from './counted-windows.ts';
import { rhythmicDay } from './day-of-lookups.ts';
import { simulateDays } from './simulated-day.ts';

/** More than the windows allow. In an hour fewer cards are new. */
const LOOKUPS_A_DAY = { perHour: 4_000, perMonth: 1_500, perDay: 400 };

it.each(COUNTED_SERVICES)('never asks beyond a window in two days with many new cards: $name', async (service) => {
  const { start, counted } = startCounted(service);
  const shortest = (['perHour', 'perDay', 'perMonth'] as const).find((window) => window in service.plan);
  const lookups = LOOKUPS_A_DAY[shortest ?? 'perDay'];
  await simulateDays(start, [rhythmicDay(lookups, 0), rhythmicDay(lookups, 1)], UNCOUNTED);
  expect(counted.refused).toEqual([]);
  for (const answered of counted.answered) expect(answered).toBeGreaterThanOrEqual(60);
});
