import { afterAll, afterEach, vi } from 'vitest';
import { refuseViolations } from './discord-spec/observed.ts';
import { finishFile } from './on-finished.ts';

// vitest's `setupFiles` run for every test file, also where several share a worker and its modules.
afterEach(refuseViolations);
afterAll(async () => {
  vi.useRealTimers(); // fake ones of a test that failed would fail the next files of its worker
  await finishFile();
  await refuseViolations();
});
