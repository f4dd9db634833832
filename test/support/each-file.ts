import { afterAll } from 'vitest';
import { endFile } from './when-over.ts';

// vitest's `setupFiles` run for every test file, also where several share a worker and its modules.
afterAll(endFile);
