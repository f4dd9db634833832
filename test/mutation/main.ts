import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, globSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { seededRandom } from '../../sandbox/seeded-random.ts';
import { type Mutant, mutantsOf } from './mutants.ts';
import { relatedTests } from './related-tests.ts';

/** All tests take half of it. */
const LIMIT_MS = 300_000;
const FILES_A_WORKER = 10;

/** A test that times out may have noticed the change, or was merely slow: who reads the list decides. */
type Outcome = 'caught' | 'missed' | 'timed out';

interface Placed extends Mutant {
  file: string;
  source: string;
}

/** Changes the last commit in one place at a time, and prints the changes that no test notices, or that only a timeout does. */
async function main({ folder, seed, count }: { folder: string; seed: string; count: number }): Promise<void> {
  const root = copyOfLastCommit();
  process.on('exit', () => rmSync(root, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const random = seededRandom(seed);
  const all = globSync([`src/${folder}/**/*.ts`, `${folder}/**/*.ts`], { cwd: root })
    .sort()
    .flatMap((file) => placed(root, file));
  if ((await outcomeOf(root, [join('test', folder)])) !== 'missed')
    throw new Error(`The tests of ${folder} fail without any change.`);
  const inOrder = all.map((mutant) => ({ mutant, order: random() })).sort((a, b) => a.order - b.order);
  const chosen = inOrder.slice(0, count).map(({ mutant }) => mutant);
  const counts: Record<Outcome, number> = { caught: 0, missed: 0, 'timed out': 0 };
  for (const mutant of chosen) {
    const outcome = await tried(root, mutant);
    counts[outcome]++;
    process.stdout.write(outcome === 'caught' ? '.' : `\n${outcome}: ${described(mutant)}\n`);
  }
  const total = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`);
  process.stdout.write(`\n${chosen.length} changes in ${folder}: ${total.join(', ')} (seed ${seed}).\n`);
}

function copyOfLastCommit(): string {
  const root = mkdtempSync(join(tmpdir(), 'cardbot-mutation-'));
  const checkout = join(import.meta.dirname, '../..');
  execFileSync('git', ['clone', '--quiet', checkout, root]);
  symlinkSync(join(checkout, 'node_modules'), join(root, 'node_modules'));
  return root;
}

function placed(root: string, file: string): Placed[] {
  const source = readFileSync(join(root, file), 'utf8');
  return mutantsOf(source).map((mutant) => ({ ...mutant, file, source }));
}

async function tried(root: string, { file, source, start, end, instead }: Placed): Promise<Outcome> {
  const path = join(root, file);
  writeFileSync(path, source.slice(0, start) + instead + source.slice(end));
  try {
    for (const tests of relatedTests(root, file)) {
      const outcome = await outcomeOf(root, tests);
      // On a busy machine a test fails now and then, whatever is changed.
      if (outcome === 'timed out' || (outcome === 'caught' && (await outcomeOf(root, tests)) === 'caught'))
        return outcome;
    }
    return 'missed';
  } finally {
    writeFileSync(path, source);
  }
}

async function outcomeOf(root: string, tests: readonly string[]): Promise<Outcome> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  // A worker for one file loads its modules longer than it runs it.
  const workers = `--maxWorkers=${Math.ceil(tests.length / FILES_A_WORKER)}`;
  const log = join(root, 'failures.log');
  const stderr = openSync(log, 'w'); // unlike a pipe, it ends although something that a test started still holds it
  const child = spawn(process.execPath, [vitest, 'run', '--bail=1', workers, ...tests], {
    cwd: root,
    stdio: ['ignore', 'ignore', stderr],
    detached: true, // its workers end with it
    timeout: LIMIT_MS,
  });
  const [code] = await once(child, 'exit');
  closeSync(stderr);
  if (child.pid) endGroup(child.pid);
  if (code === 0) return 'missed';
  return child.killed || /(?:Test|Hook) timed out in/.test(readFileSync(log, 'utf8')) ? 'timed out' : 'caught';
}

/** What a test has started outlives a run that ends at its first failure. */
function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // Nothing is left of it.
  }
}

function described({ file, source, start, end, instead }: Placed): string {
  const line = source.slice(0, start).split('\n').length;
  return `${file}:${line}: ${source.slice(start, end)} → ${instead}`;
}

await new Command('mutate')
  .requiredOption('--folder <name>', 'commands, or a folder of src, such as quota; with those in it')
  .option('--seed <text>', 'which changes', String(Date.now()))
  .option('--count <number>', 'how many', Number, 30)
  .action(main)
  .parseAsync();
