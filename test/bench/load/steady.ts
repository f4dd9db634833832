import { setTimeout as sleep } from 'node:timers/promises';

const TICK_MS = 5;

/** Types `count` commands evenly over `seconds`, without waiting for their answers. */
export async function steady(count: number, seconds: number, type: (index: number) => void): Promise<void> {
  const startMs = performance.now();
  for (let typed = 0; typed < count; await sleep(TICK_MS)) {
    const due = Math.min(count, Math.ceil(((performance.now() - startMs) / 1_000 / seconds) * count));
    while (typed < due) type(typed++);
  }
}
