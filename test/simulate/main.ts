import { fork } from 'node:child_process';
import { parseArgs } from 'node:util';
import { FAULTS, type Hit } from './faults.ts';
import { DISRUPTIONS } from './outages.ts';

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
/** What a run of seeds has come to: counts by what they count. */
interface Result {
  counts: Record<string, number>;
  trace: string;
}
/** So many seeds are run, and told of, together. */
const SEEDS_TOGETHER = 1_000;

const print = (line: string) => process.stdout.write(`${line}\n`);

async function simulated(first: number, seeds: number): Promise<Result> {
  const { simulate } = await import('./simulate.ts');
  const counts: Record<string, number> = {};
  const count = (what: string, by = 1) => {
    counts[what] = (counts[what] ?? 0) + by;
  };
  process.on('unhandledRejection', (error) => {
    count('failed');
    print(`unhandled rejection: ${error instanceof Error ? error.stack : error}`);
  });
  let trace = '';
  for (let seed = first; seed < first + seeds; seed++) {
    const outcome = await simulate({ seed: String(seed), isVerbose: values.verbose, isShared: values.redis });
    count('seeds');
    count('commands', outcome.commands);
    count('forgotten', outcome.forgotten);
    for (const { fault } of outcome.hits) count(fault);
    for (const { kind } of outcome.outages) count(kind);
    trace = outcome.hash;
    if (outcome.failures.length === 0) continue;
    count('failed');
    print(`seed ${seed}: ${outcome.failures.slice(0, 4).join('\n  ')}`);
    if (!values.shrink) continue;
    const left = await shrunk(String(seed), outcome.hits, simulate);
    for (const { atMs, call, fault, when } of left) print(`  fails with ${fault} ${when} ${call} at ${atMs} ms`);
  }
  return { counts, trace };
}

/** The faults without which a seed does not fail, one after the other left out. */
async function shrunk(
  seed: string,
  all: readonly Hit[],
  simulate: typeof import('./simulate.ts').simulate,
): Promise<readonly Hit[]> {
  let left = all;
  for (const { number } of all) {
    const only = new Set(left.map((hit) => hit.number).filter((other) => other !== number));
    const outcome = await simulate({ seed, only, isShared: values.redis });
    if (outcome.failures.length > 0) left = outcome.hits;
  }
  return left;
}

/** In a process of their own. */
function inChild(first: number, seeds: number): Promise<Result> {
  const given = process.argv.slice(2).filter((each) => each.startsWith('--'));
  const flags = given.filter((each) => each !== '--jobs' && each !== '--seed' && each !== '--seeds');
  const child = fork(import.meta.filename, [...flags, '--seed', String(first), '--seeds', String(seeds)]);
  return new Promise((resolve, reject) => {
    child.once('message', (result) => resolve(result as Result));
    child.once('exit', (code) => reject(new Error(`seeds ${first} to ${first + seeds - 1} ended with ${code}`)));
  });
}

const [first, seeds, jobs] = [Number(values.seed), Number(values.seeds), Number(values.jobs)];
if (process.send) {
  const result = await simulated(first, seeds);
  process.send(result, () => process.exit());
} else {
  const startedAt = process.hrtime.bigint();
  const sum: Result = { counts: {}, trace: '' };
  const of = (what: string) => sum.counts[what] ?? 0;
  const all = (names: readonly string[]) => names.reduce((total, name) => total + of(name), 0);
  const inParts = jobs > 1 || seeds > SEEDS_TOGETHER;
  const together = inParts ? Math.min(SEEDS_TOGETHER, Math.ceil(seeds / jobs)) : seeds;
  let next = first;
  const work = async () => {
    while (next < first + seeds) {
      const from = next;
      const size = Math.min(together, first + seeds - from);
      next += size;
      const { counts, trace } = await (inParts ? inChild(from, size) : simulated(from, size));
      for (const [what, by] of Object.entries(counts)) sum.counts[what] = of(what) + by;
      sum.trace = trace;
      if (inParts) print(`seeds ${from} to ${from + size - 1}: ${counts.failed ?? 0} failed`);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  const seconds = Number(process.hrtime.bigint() - startedAt) / 1e9;
  const kinds = values.redis ? [...FAULTS, ...DISRUPTIONS] : FAULTS;
  print(`${of('seeds')} seeds, ${of('commands')} commands, ${all(kinds)} faults in ${seconds.toFixed(1)} s:`);
  print(kinds.map((kind) => `${of(kind)} × ${kind}`).join(', '));
  print(
    `${of('failed')} seeds failed; ${of('forgotten')} commands were not acknowledged when their process was killed`,
  );
  print(`last trace ${sum.trace}`);
  process.exit(of('failed') > 0 ? 1 : 0);
}
