import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Of types alone nothing runs. */
const IMPORTED = /^(?:import|export) (?!type )[^;]*?'(\.[^']+\.ts)';|import\('(\.[^']+\.ts)'\)/gm;
/** Whatever these import, they are tests of the whole. */
const WHOLE = ['src/app.ts', 'src/cli/program.ts', 'sandbox/sandbox.ts'];

/** The test files that run a file, those first that most probably notice a change of it: of its name, of its folder, of others, and of the whole app. */
export function relatedTests(root: string, file: string): string[][] {
  const tests = globSync('test/**/*.test.ts', { cwd: root });
  const close = tests.filter((test) => reached(root, test, WHOLE).has(file));
  const own = close.filter((test) => dirname(test) === join('test', dirname(file).replace(/^src\//, '')));
  const named = own.filter((test) => basename(test, '.test.ts') === basename(file, '.ts'));
  const far = tests.filter((test) => reached(root, test).has(file));
  const without = (some: readonly string[], others: readonly string[]) => some.filter((test) => !others.includes(test));
  return [named, without(own, named), without(close, own), without(far, close)].filter(({ length }) => length > 0);
}

function reached(root: string, from: string, without: readonly string[] = []): Set<string> {
  const found = new Set<string>();
  const open = [from];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file) || without.includes(file)) continue;
    found.add(file);
    for (const [, fixed, lazy = ''] of sourceOf(root, file).matchAll(IMPORTED))
      open.push(join(dirname(file), fixed ?? lazy));
  }
  return found;
}

const sources = new Map<string, string>();

function sourceOf(root: string, file: string): string {
  const path = join(root, file);
  const source = sources.get(path) ?? readFileSync(path, 'utf8');
  sources.set(path, source);
  return source;
}
