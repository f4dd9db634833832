import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that mostly wait: they begin first, otherwise the run would end with their waits. */
const LONGEST = /\/(?:gateway-process|chaos|shards|page|redis-link|redis-outages)\.test\.ts$/;

/** Tests that start and break processes, browsers and servers: they are next, and the short ones fill the gaps. */
const LONG = /\/test\/(?:e2e|container|storage\/redis)\//;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}

/** A worker ends when the next file is of another project, so each project runs as a whole. */
function rank({ moduleId, project }: TestSpecification): number {
  return project.name === 'redis' ? -1 : [LONGEST, LONG, /^/].findIndex((which) => which.test(moduleId));
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
    projects: [
      { extends: true, test: { name: 'all', include: ['test/**/*.test.ts'] } },
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
