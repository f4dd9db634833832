import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Start processes, browsers and servers, and break them: first, so that the short ones fill the gaps they leave. */
const LONG = ['test/e2e/**/*.test.ts', 'test/container/**/*.test.ts', 'test/storage/redis/**/*.test.ts'];

/** These mostly wait; begun last, they would be waited for. */
const LONGEST = /\/(?:gateway-process|chaos|shards|page|redis-link|redis-outages)\.test\.ts$/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLongest = ({ moduleId }: TestSpecification) => LONGEST.test(moduleId);
    const sorted = await super.sort(files);
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
  }
}

export default defineConfig({
  test: {
    isolate: false, // a third of the time went into loading the same modules again
    sequence: { shuffle: { tests: true, files: false }, sequencer: LongestFirst },
    testTimeout: 20_000, // only a hang takes so long; a busy machine must not look like one
    hookTimeout: 20_000,
    expect: { poll: { timeout: 15_000 } },
    maxWorkers: 5, // most of the time tests wait for something
    globalSetup: 'test/support/compile-cache.ts',
    setupFiles: 'test/support/each-file.ts',
    // vitest deals them out in the order of their names.
    projects: [
      { extends: true, test: { name: 'e2e', include: LONG } },
      { extends: true, test: { name: 'parts', include: ['test/**/*.test.ts'], exclude: LONG } },
      {
        // No command behaves differently.
        extends: true,
        test: {
          name: 'redis',
          include: ['test/e2e/{card,usage,quota,budgets}.test.ts'],
          env: { STATE_IN: 'redis' },
        },
      },
    ],
  },
});
