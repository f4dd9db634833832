import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that mostly wait: they begin first, otherwise the run would end with their waits. */
const LONGEST =
  /\/(?:sandbox|pictures|page|gateway-faults|chaos|edit-faults|watch-messages|page-messages|redis-takeover|service-faults|callback-faults|redis-outages)\.test\.ts$/;

/** Tests that start and break processes, browsers and servers, and wait for them. */
const LONG = /\/test\/(?:e2e|container|storage\/redis|cli)\/|worker-catalog/;

/** Between long ones stand short ones, which compute while those wait. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rest = sorted.filter(({ moduleId }) => !LONGEST.test(moduleId));
    const long = rest.filter(({ moduleId }) => LONG.test(moduleId));
    const short = rest.filter(({ moduleId }) => !LONG.test(moduleId));
    const spread = (some: TestSpecification[]) => some.map((file, at) => ({ file, at: at / some.length }));
    const mixed = [...spread(long), ...spread(short)].sort((a, b) => a.at - b.at).map(({ file }) => file);
    return [...sorted.filter((file) => !rest.includes(file)), ...mixed];
  }
}

/**
 * Files that count what is called in the whole process, or set its clock without vitest: that takes the clock for the real
 * one when it first looks at it, be it in `expect.poll`, and builds its own on it in all later files of the process.
 */
const ALONE = ['test/bench/**/*.test.ts', 'test/e2e/pictures.test.ts', 'test/path.test.ts'];

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
      { extends: true, test: { name: 'together', include: ['test/**/*.test.ts'], exclude: ALONE, isolate: false } },
      { extends: true, test: { name: 'alone', include: ALONE } },
    ],
  },
});
