import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    sequence: { shuffle: { tests: true, files: false } }, // files that take long come first
    testTimeout: 20_000, // only a hang takes so long; a busy machine must not look like one
    hookTimeout: 20_000,
    maxWorkers: 4, // most of the time tests wait for something
    projects: [
      { extends: true, test: { name: 'tests', include: ['test/**/*.test.ts'] } },
      {
        // No command behaves differently.
        extends: true,
        test: {
          name: 'redis',
          include: ['test/e2e/{card,usage,quota,shares}.test.ts'],
          env: { STATE_IN: 'redis' },
        },
      },
    ],
  },
});
