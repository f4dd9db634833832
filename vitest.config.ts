import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    sequence: { shuffle: true },
    testTimeout: 20_000, // only a hang takes so long; a busy machine must not look like one
    hookTimeout: 20_000,
    maxWorkers: 2,
  },
});
