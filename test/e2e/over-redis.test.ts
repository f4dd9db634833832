import { afterAll, beforeAll, describe } from 'vitest';

beforeAll(() => {
  process.env.STATE_IN = 'redis';
});
afterAll(() => {
  delete process.env.STATE_IN;
});

// The query makes these other modules than the files' own: a module that this worker has run already adds no test.
describe('with the state in Redis, as without', async () => {
  await import(`../scenes/kept-state.test.ts?${'redis'}`);
});
