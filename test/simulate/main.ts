import { parseArgs } from 'node:util';
import { DISRUPTIONS, FAULTS, type Hit } from './faults.ts';
import { simulate } from './simulate.ts';

/**
 * From `--seed`, as many as `--seeds` says; `--redis` runs two or three processes over one Redis; `--shrink` looks for the
 * faults without which a seed does not fail; `--verbose` prints the trace and the log.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
    redis: { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: false },
  },
});
const [first, seeds] = [Number(values.seed), Number(values.seeds)];
const print = (line: string) => process.stdout.write(`${line}\n`);
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
  const options = { seed: String(seed), isShared: values.redis };
  const { commands, forgotten, hits, outages, hash, failures } = await simulate({
    ...options,
    isVerbose: values.verbose,
  });
  count('commands', commands);
  count('forgotten', forgotten);
  for (const { fault } of hits) count(fault);
  for (const { kind } of outages) count(kind);
  trace = hash;
  if (failures.length === 0) continue;
  count('failed');
  print(`seed ${seed}: ${failures.slice(0, 4).join('\n  ')}`);
  for (const { atMs, call, fault, when } of values.shrink ? await shrunk(options, hits) : [])
    print(`  fails with ${fault} ${when} ${call} at ${atMs} ms`);
}
const seconds = Number(process.hrtime.bigint() - startedAt) / 1e9;
const kinds = values.redis ? [...FAULTS, ...DISRUPTIONS] : FAULTS;
const faults = kinds.reduce((sum, kind) => sum + of(kind), 0);
print(`${seeds} seeds from ${first}, ${of('commands')} commands, ${faults} faults in ${seconds.toFixed(1)} s:`);
print(kinds.map((kind) => `${of(kind)} × ${kind}`).join(', '));
print(`${of('failed')} seeds failed; ${of('forgotten')} commands were not acknowledged when their process was killed`);
print(`last trace ${trace}`);
process.exit(of('failed') > 0 ? 1 : 0);

/** The faults without which a seed does not fail, one after the other left out. */
async function shrunk(options: Parameters<typeof simulate>[0], all: readonly Hit[]): Promise<readonly Hit[]> {
  let left = all;
  for (const { number } of all) {
    const only = new Set(left.map((hit) => hit.number).filter((other) => other !== number));
    const outcome = await simulate({ ...options, only });
    if (outcome.failures.length > 0) left = outcome.hits;
  }
  return left;
}
