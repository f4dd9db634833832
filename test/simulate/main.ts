import { parseArgs } from 'node:util';
import { FAULTS, type Hit } from './faults.ts';
import { DISRUPTIONS, type Outage } from './outages.ts';
import { simulate } from './simulate.ts';

/** From `--seed`, as many as `--seeds` says; `--redis` runs two or three processes over one Redis; `--shrink` looks for the faults without
 * which a seed does not fail; `--verbose` prints the trace and the log. */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
    redis: { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: false },
  },
});
/** The faults without which a seed does not fail, one after the other left out. */
async function shrunk(seed: string, all: readonly Hit[]): Promise<readonly Hit[]> {
  let left = all;
  for (const { number } of all) {
    const only = new Set(left.map((hit) => hit.number).filter((other) => other !== number));
    const outcome = await simulate({ seed, only, isShared: values.redis });
    if (outcome.failures.length > 0) left = outcome.hits;
  }
  return left;
}

const print = (line: string) => process.stdout.write(`${line}\n`);
process.on('unhandledRejection', (error) => unhandled.push(error));
const unhandled: unknown[] = [];
const startedAtMs = process.hrtime.bigint();
const hits: Hit[] = [];
const outages: Outage[] = [];
let failed = 0;
let forgotten = 0;
let commands = 0;
let digest = '';
const first = Number(values.seed);
for (let seed = first; seed < first + Number(values.seeds); seed++) {
  const outcome = await simulate({ seed: String(seed), isVerbose: values.verbose, isShared: values.redis });
  hits.push(...outcome.hits);
  outages.push(...outcome.outages);
  forgotten += outcome.forgotten;
  commands += outcome.commands;
  digest = outcome.hash;
  if (outcome.failures.length === 0) continue;
  failed++;
  print(`seed ${seed}: ${outcome.failures.slice(0, 4).join('\n  ')}`);
  if (!values.shrink) continue;
  const left = await shrunk(String(seed), outcome.hits);
  for (const { atMs, call, fault, when } of left) print(`  fails with ${fault} ${when} ${call} at ${atMs} ms`);
}
const seconds = Number(process.hrtime.bigint() - startedAtMs) / 1e9;
const counts = FAULTS.map((fault) => `${hits.filter((hit) => hit.fault === fault).length} ${fault}`).join(', ');
print(`${values.seeds} seeds, ${commands} commands, ${hits.length} faults (${counts}) in ${seconds.toFixed(1)} s:`);
if (values.redis)
  print(DISRUPTIONS.map((kind) => `${outages.filter((each) => each.kind === kind).length} × ${kind}`).join(', '));
print(`${failed} seeds failed; ${forgotten} commands were not acknowledged when their process was killed`);
if (unhandled.length > 0) print(`${unhandled.length} unhandled rejections, first ${(unhandled[0] as Error).stack}`);
print(`last trace ${digest}`);
process.exit(failed + unhandled.length > 0 ? 1 : 0);
