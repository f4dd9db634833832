import { glob, readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { expect, it } from 'vitest';
import { z } from 'zod';

const Manifest = z.object({ dependencies: z.record(z.string(), z.string()) });

/** What a file needs while it runs: `import type` is gone by then. */
function imported(source: string): string[] {
  const statement = /^(?:import|export)\s(?!type\s)(?:[^'";]*\sfrom\s)?'([^']+)'|\bimport\('([^']+)'\)/gm;
  return [...source.matchAll(statement)].map(([, still, later]) => still ?? later ?? '');
}

/** `@scope/name/file` → `@scope/name` */
function packageName(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

it('what runs imports neither the sandbox nor a package that only development needs', async () => {
  const { dependencies } = Manifest.parse(JSON.parse(await readFile('package.json', 'utf8')));
  const wrong: string[] = [];
  let seen = 0;
  for await (const file of glob(['src/**/*.ts', 'commands/**/*.ts'], { exclude: ['src/sandbox/**'] })) {
    for (const specifier of imported(await readFile(file, 'utf8'))) {
      seen++;
      const allowed = specifier.startsWith('.')
        ? !specifier.includes('sandbox')
        : isBuiltin(specifier) || packageName(specifier) in dependencies;
      if (!allowed) wrong.push(`${file}: ${specifier}`);
    }
  }

  expect(wrong).toEqual([]);
  expect(seen).toBeGreaterThan(100);
});
