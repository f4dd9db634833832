import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that start and break processes, browsers and servers: they begin first, and the short ones fill the gaps. */
const LONG = ['test/e2e/**/*.test.ts', 'test/container/**/*.test.ts', 'test/storage/redis/**/*.test.ts'];

/** Tests that mostly wait: they begin first, otherwise the run would end with their waits. */
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
    isolate: false, // isolation spends a third of the time on loading the same modules again
    sequence: { shuffle: { tests: true, files: false }, sequencer: LongestFirst },
    testTimeout: 60_000, // only a hang takes this long, even on a busy machine
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 6, // more than the cores, because tests mostly wait
    globalSetup: 'test/support/compile-cache.ts',
    setupFiles: 'test/support/each-file.ts',
    // vitest starts projects in the order of their names.
    projects: [
      { extends: true, test: { name: 'e2e', include: LONG } },
      { extends: true, test: { name: 'parts', include: ['test/**/*.test.ts'], exclude: LONG } },
      {
        // The commands behave the same with Redis.
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
