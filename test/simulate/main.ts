import { fork } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { FAULTS, type Hit } from './faults.ts';
import { DISRUPTIONS } from './outages.ts';
import type { Outcome } from './simulate.ts';

/**
 * From `--seed`, as many as `--seeds` says; `--redis` runs two or three processes over one Redis; `--jobs` shares the seeds
 * between so many processes; `--shrink` looks for the faults without which a seed does not fail; `--verbose` prints the trace
 * and the log.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
    redis: { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: false },
  },
});
const [first, seeds, jobs] = [Number(values.seed), Number(values.seeds), Number(values.jobs)];
/** So many seeds are run in one process, and told of together. */
const SEEDS_TOGETHER = 1_000;

const print = (line: string) => process.stdout.write(`${line}\n`);

await (jobs > 1 || seeds > SEEDS_TOGETHER ? inParts() : simulated());

/** In processes of their own, each of which tells of its seeds. */
async function inParts(): Promise<void> {
  const size = Math.min(SEEDS_TOGETHER, Math.ceil(seeds / jobs));
  const flags = (['verbose', 'redis', 'shrink'] as const).filter((name) => values[name]).map((name) => `--${name}`);
  let next = first;
  const work = async () => {
    while (next < first + seeds) {
      const part = [next, Math.min(size, first + seeds - next)].map(String);
      next += size;
      const child = fork(import.meta.filename, [...flags, '--seed', part[0] ?? '', '--seeds', part[1] ?? '']);
      const [code] = await once(child, 'exit');
      if (code !== 0) process.exitCode = 1;
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
}

type Simulate = typeof import('./simulate.ts').simulate;

async function simulated(): Promise<void> {
  const { simulate } = await import('./simulate.ts');
  const startedAt = process.hrtime.bigint();
  const counts = new Map<string, number>();
  const of = (what: string) => counts.get(what) ?? 0;
  const count = (what: string, by = 1) => void counts.set(what, of(what) + by);
  process.on('unhandledRejection', (error) => {
    count('failed');
    print(`unhandled rejection: ${error instanceof Error ? error.stack : error}`);
  });
  let trace = '';
  for (let seed = first; seed < first + seeds; seed++) {
    const outcome = await simulate({ seed: String(seed), isVerbose: values.verbose, isShared: values.redis });
    count('commands', outcome.commands);
    count('forgotten', outcome.forgotten);
    for (const { fault } of outcome.hits) count(fault);
    for (const { kind } of outcome.outages) count(kind);
    trace = outcome.hash;
    if (outcome.failures.length > 0) {
      count('failed');
      await tell(String(seed), outcome, simulate);
    }
  }
  const seconds = Number(process.hrtime.bigint() - startedAt) / 1e9;
  const kinds = values.redis ? [...FAULTS, ...DISRUPTIONS] : FAULTS;
  const faults = kinds.reduce((sum, kind) => sum + of(kind), 0);
  print(`${seeds} seeds from ${first}, ${of('commands')} commands, ${faults} faults in ${seconds.toFixed(1)} s:`);
  print(kinds.map((kind) => `${of(kind)} × ${kind}`).join(', '));
  print(
    `${of('failed')} seeds failed; ${of('forgotten')} commands were not acknowledged when their process was killed`,
  );
  print(`last trace ${trace}`);
  process.exit(of('failed') > 0 ? 1 : 0);
}

/** What a seed fails with. */
async function tell(seed: string, { failures, hits }: Outcome, simulate: Simulate): Promise<void> {
  print(`seed ${seed}: ${failures.slice(0, 4).join('\n  ')}`);
  const left = values.shrink ? await shrunk(seed, hits, simulate) : [];
  for (const { atMs, call, fault, when } of left) print(`  fails with ${fault} ${when} ${call} at ${atMs} ms`);
}

/** The faults without which a seed does not fail, one after the other left out. */
async function shrunk(seed: string, all: readonly Hit[], simulate: Simulate): Promise<readonly Hit[]> {
  let left = all;
  for (const { number } of all) {
    const only = new Set(left.map((hit) => hit.number).filter((other) => other !== number));
    const outcome = await simulate({ seed, only, isShared: values.redis });
    if (outcome.failures.length > 0) left = outcome.hits;
  }
  return left;
}
