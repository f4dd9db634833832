import { defineConfig } from 'vitest/config';

/** Start processes, browsers and servers, and break them: each of these files has a worker of its own. */
const WITH_PROCESSES = ['test/e2e/**/*.test.ts', 'test/container/**/*.test.ts', 'test/redis/**/*.test.ts'];

export default defineConfig({
  test: {
    sequence: { shuffle: { tests: true, files: false } }, // files that take long come first
    testTimeout: 20_000, // only a hang takes so long; a busy machine must not look like one
    hookTimeout: 20_000,
    expect: { poll: { timeout: 15_000 } },
    maxWorkers: 4, // most of the time tests wait for something
    globalSetup: 'test/support/compile-cache.ts',
    setupFiles: 'test/support/each-file.ts',
    projects: [
      { extends: true, test: { name: 'processes', include: WITH_PROCESSES } },
      {
        // No command behaves differently.
        extends: true,
        test: {
          name: 'redis',
          include: ['test/e2e/{card,usage,quota,shares}.test.ts'],
          env: { STATE_IN: 'redis' },
        },
      },
      {
        extends: true,
        test: {
          name: 'parts',
          include: ['test/**/*.test.ts'],
          exclude: WITH_PROCESSES,
          isolate: false, // a third of their time went into loading the same modules again
        },
      },
    ],
  },
});
