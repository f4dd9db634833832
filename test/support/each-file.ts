import { afterAll, afterEach } from 'vitest';
import { refuseViolations } from './discord-spec/observed.ts';
import { finishFile } from './on-finished.ts';

// vitest's `setupFiles` run for every test file, also where several share a worker and its modules.
afterEach(refuseViolations);
afterAll(async () => {
  await finishFile();
  await refuseViolations();
});
