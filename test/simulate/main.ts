import { parseArgs } from 'node:util';
import { FAULTS, type Hit } from './faults.ts';
import { simulate } from './simulate.ts';

/** From `--seed`, as many as `--seeds` says; `--verbose` prints the trace and the log. */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
  },
});
const print = (line: string) => process.stdout.write(`${line}\n`);
process.on('unhandledRejection', (error) => unhandled.push(error));
const unhandled: unknown[] = [];
const startedAtMs = process.hrtime.bigint();
const hits: Hit[] = [];
let failed = 0;
let forgotten = 0;
let commands = 0;
let digest = '';
const first = Number(values.seed);
for (let seed = first; seed < first + Number(values.seeds); seed++) {
  const outcome = await simulate({ seed: String(seed), isVerbose: values.verbose });
  hits.push(...outcome.hits);
  forgotten += outcome.forgotten;
  commands += outcome.commands;
  digest = outcome.hash;
  if (outcome.failures.length === 0) continue;
  failed++;
  print(`seed ${seed}: ${outcome.failures.slice(0, 4).join('\n  ')}`);
}
const seconds = Number(process.hrtime.bigint() - startedAtMs) / 1e9;
const counts = FAULTS.map((fault) => `${hits.filter((hit) => hit.fault === fault).length} ${fault}`).join(', ');
print(`${values.seeds} seeds, ${commands} commands, ${hits.length} faults (${counts}) in ${seconds.toFixed(1)} s:`);
print(`${failed} seeds failed; ${forgotten} commands were not acknowledged when their process was killed`);
if (unhandled.length > 0) print(`${unhandled.length} unhandled: ${(unhandled[0] as Error).stack}`);
print(`last trace ${digest}`);
process.exit(failed > 0 ? 1 : 0);
