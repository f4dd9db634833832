import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { seededRandom } from '../../src/sandbox/seeded-random.ts';
import { positive } from '../chaos/options.ts';
import { type Mutant, mutantsOf } from './mutants.ts';
import { relatedTests } from './related-tests.ts';

/** All tests take half of it; a change by which they never end is noticed by that. */
const LIMIT_MS = 300_000;
const FILES_A_WORKER = 10;

interface Placed extends Mutant {
  file: string;
  source: string;
}

/** Changes the last commit in one place at a time, and prints the changes that no test notices. */
async function main({ folder, seed, count }: { folder: string; seed: string; count: number }): Promise<void> {
  const root = copyOfLastCommit();
  process.on('exit', () => rmSync(root, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const random = seededRandom(seed);
  const all = readdirSync(join(root, 'src', folder))
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => placed(root, join('src', folder, name)));
  if (await fails(root, [join('test', folder)])) throw new Error(`The tests of ${folder} fail without any change.`);
  const inOrder = all.map((mutant) => ({ mutant, order: random() })).sort((a, b) => a.order - b.order);
  const chosen = inOrder.slice(0, count).map(({ mutant }) => mutant);
  let noticed = 0;
  for (const mutant of chosen) {
    const hasFailed = await isNoticed(root, mutant);
    if (hasFailed) noticed++;
    process.stdout.write(hasFailed ? '.' : `\n${described(mutant)}\n`);
  }
  process.stdout.write(`\n${noticed} of ${chosen.length} changes in src/${folder} are noticed (seed ${seed}).\n`);
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

async function isNoticed(root: string, { file, source, start, end, instead }: Placed): Promise<boolean> {
  const path = join(root, file);
  writeFileSync(path, source.slice(0, start) + instead + source.slice(end));
  try {
    for (const tests of relatedTests(root, file)) if (await fails(root, tests)) return true;
    return false;
  } finally {
    writeFileSync(path, source);
  }
}

/** Whether a test fails, or they do not end in time. */
async function fails(root: string, tests: readonly string[]): Promise<boolean> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  // A worker for one file loads its modules longer than it runs it.
  const workers = `--maxWorkers=${Math.ceil(tests.length / FILES_A_WORKER)}`;
  const child = spawn(process.execPath, [vitest, 'run', '--bail=1', workers, ...tests], {
    cwd: root,
    stdio: 'ignore',
    detached: true, // its workers end with it
    timeout: LIMIT_MS,
  });
  const [code] = await once(child, 'exit');
  if (code === null && child.pid) process.kill(-child.pid, 'SIGKILL');
  return code !== 0;
}

function described({ file, source, start, end, instead }: Placed): string {
  const line = source.slice(0, start).split('\n').length;
  return `${file}:${line}: ${source.slice(start, end)} → ${instead}`;
}

await new Command('mutate')
  .requiredOption('--folder <name>', 'a folder of src, such as quota')
  .option('--seed <text>', 'which changes', String(Date.now()))
  .option('--count <number>', 'how many', positive, 30)
  .action(main)
  .parseAsync();
