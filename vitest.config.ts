import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that mostly wait: they begin first, otherwise the run would end with their waits. */
const LONGEST =
  /\/(?:sandbox|pictures|page|gateway-faults|chaos|watch-messages|page-messages|redis-takeover|redis-outages)\.test\.ts$/;

/** Tests that start and break processes, browsers and servers: they are next, and the short ones fill the gaps. */
const LONG = /\/test\/(?:e2e|scenes|container|storage\/redis|cli)\/|worker-catalog|\/simulate\//;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => [LONGEST, LONG, /^/].findIndex((which) => which.test(moduleId));
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}

/**
 * Files that count what is called in the whole process, or set its clock without vitest: that takes the clock for the real
 * one when it first looks at it, be it in `expect.poll`, and builds its own on it in all later files of the process.
 */
const ALONE = ['test/bench/limiters/*.test.ts', 'test/e2e/pictures.test.ts', 'test/path.test.ts'];

/** The app in simulated time: these share processes among themselves alone. */
const SIMULATED = 'test/scenes/*.test.ts';

export default defineConfig({
  test: {
    sequence: { shuffle: { tests: true, files: false }, sequencer: LongestFirst },
    testTimeout: 120_000, // only a hang takes this long, even on a busy machine
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: Math.max(8, availableParallelism()), // more than half of the time is spent on waiting
    experimental: { viteModuleRunner: false }, // nothing is mocked or bundled: Node loads the tests as it loads the bot
    globalSetup: 'test/support/before-all.ts',
    setupFiles: 'test/support/each-file.ts',
    projects: [
      // Isolation spends a third of the time on loading the same modules again
      {
        extends: true,
        test: { name: 'together', include: ['test/**/*.test.ts'], exclude: [...ALONE, SIMULATED], isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'simulated',
          include: [SIMULATED],
          setupFiles: 'test/support/simulated-time.ts',
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE } },
    ],
  },
});
