import { parseArgs } from 'node:util';
import { simulate } from './simulate.ts';

/**
 * From `--seed`, as many as `--seeds` says; `--redis` runs two or three processes over one Redis;
 * `--verbose` prints the trace and the log.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
    redis: { type: 'boolean', default: false },
  },
});
const [first, seeds] = [Number(values.seed), Number(values.seeds)];
const print = (line: string) => process.stdout.write(`${line}\n`);
let [faults, failed] = [0, 0];
let trace = '';
for (let seed = first; seed < first + seeds; seed++) {
  const seen = await simulate({ seed: String(seed), isShared: values.redis, isVerbose: values.verbose });
  faults += seen.faults;
  trace = seen.hash;
  if (seen.failures.length === 0) continue;
  failed++;
  print(`seed ${seed}: ${seen.failures.slice(0, 4).join('\n  ')}`);
}
print(`${seeds} seeds from ${first}, ${faults} faults:`);
print(`${failed} seeds failed`);
print(`last trace ${trace}`);
process.exit(failed > 0 ? 1 : 0);
