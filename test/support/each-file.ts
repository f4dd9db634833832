import { afterAll } from 'vitest';
import { finishFile } from './on-finished.ts';

// vitest's `setupFiles` run for every test file, also where several share a worker and its modules.
afterAll(finishFile);
