import { expect, it } from 'vitest';
import { COUNTED_SERVICES, startCounted, UNCOUNTED } from './counted-windows.ts';
import { rhythmicDay } from './day-of-lookups.ts';
import { simulateDays } from './simulated-day.ts';

/** More than the windows allow. In an hour fewer cards are new. */
const LOOKUPS_A_DAY = { spentInTheDay: 1_500, spentInAnHour: 4_000 };

it.each(COUNTED_SERVICES)('never asks beyond a window in two days with many new cards: $name', async (service) => {
  const { start, counted } = startCounted(service);
  const lookups = service.plan.perHour ? LOOKUPS_A_DAY.spentInAnHour : LOOKUPS_A_DAY.spentInTheDay;
  await simulateDays(start, [rhythmicDay(lookups, 0), rhythmicDay(lookups, 1)], UNCOUNTED);
  expect(counted.refused).toEqual([]);
  for (const answered of counted.answered) expect(answered).toBeGreaterThanOrEqual(60);
});
