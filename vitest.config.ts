import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that wait for most of a minute: they begin first, otherwise the run would end with their waits. */
const LONGEST =
  /\/e2e\/(?:guided|sandbox|page|over-redis|gateway-faults|redis-(?:takeover|outages))|\/(?:link|simulate|doctor)\.test\.ts$/;

/** Tests that start and break processes, browsers and servers, or compute for long: they are next, and the short ones fill the gaps. */
const LONG = /\/test\/(?:e2e|storage\/redis|cli)\/|-rules/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => [LONGEST, LONG, /^/].findIndex((which) => which.test(moduleId));
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}

/** It counts what is called in the whole process. */
const ALONE = ['test/path.test.ts'];

/** Of what a change rarely breaks, and what takes long: .ci/run runs them, `npm test` does not. */
const CI = ['test/container/image.test.ts', 'test/container/verify.test.ts'];

/** The app in simulated time: these share processes among themselves alone. */
const SIMULATED = 'test/scenes/*.test.ts';

export default defineConfig({
  test: {
    sequence: { shuffle: { tests: true, files: false }, sequencer: LongestFirst },
    testTimeout: 240_000, // only a hang takes this long, even on a busy machine
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: Math.max(4, availableParallelism()), // half of the time is waiting; each loads its modules anew
    experimental: { viteModuleRunner: false }, // nothing is mocked or bundled: Node loads the tests as it loads the bot
    globalSetup: 'test/support/before-all.ts',
    setupFiles: 'test/support/each-file.ts',
    projects: [
      // Isolation spends a third of the time on loading the same modules again
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...ALONE, ...CI, SIMULATED],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'simulated',
          include: [SIMULATED],
          setupFiles: 'test/support/simulated-time.ts',
          isolate: false,
          // Nothing there waits, and each worker loads everything: they run after those that wait.
          maxWorkers: Math.max(2, availableParallelism()),
          sequence: { groupOrder: 1 },
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE } },
      { extends: true, test: { name: 'ci', include: CI } },
    ],
  },
});
