import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { temporaryFolder } from '../support/temporary-folder.ts';

const Lockfile = z.object({
  packages: z.record(
    z.string(),
    z.object({ dev: z.boolean(), optional: z.boolean(), devOptional: z.boolean() }).partial(),
  ),
});

/** One line of a Dockerfile. */
export interface Instruction {
  name: string;
  text: string;
}

/** The stages of `Dockerfile`, in order; each begins with its FROM. */
export async function readStages(): Promise<Instruction[][]> {
  const stages: Instruction[][] = [];
  const text = (await readFile('Dockerfile', 'utf8')).replaceAll(/\\\n\s*/g, '');
  for (const line of text.split('\n')) {
    const [, name, text] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    if (name === undefined || text === undefined) continue;
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name, text });
  }
  return stages;
}

/** What a stage takes out of this checkout. */
export function copiedPaths(stage: readonly Instruction[]): string[] {
  return stage
    .filter(({ name, text }) => name === 'COPY' && !text.startsWith('--from='))
    .flatMap(({ text }) => text.split(' ').slice(0, -1));
}

/** Paths that `.dockerignore` lets in; nothing else may be copied. */
export async function allowedPaths(): Promise<string[]> {
  return (await readIgnoreFile()).filter((line) => line.startsWith('!')).map((line) => line.slice(1));
}

/** A folder that holds what the image's `/app` holds. Gone when the test is over. */
export async function unpackImage(): Promise<string> {
  const app = temporaryFolder('image');
  for (const path of (await readStages()).flatMap(copiedPaths).filter((path) => path !== 'package-lock.json')) {
    await cp(path, join(app, path), { recursive: true });
  }
  for (const path of await installedPackages()) {
    await mkdir(dirname(join(app, path)), { recursive: true });
    await symlink(resolve(path), join(app, path));
  }
  return app;
}

/** Paths of what `npm ci --omit=dev --omit=optional` installs, without those within another package. */
async function installedPackages(): Promise<string[]> {
  const { packages } = Lockfile.parse(JSON.parse(await readFile('package-lock.json', 'utf8')));
  return Object.entries(packages)
    .filter(
      ([path, { dev, optional, devOptional }]) =>
        /^node_modules\/(?!.*node_modules)/.test(path) && !(dev || optional || devOptional),
    )
    .map(([path]) => path);
}

async function readIgnoreFile(): Promise<string[]> {
  return (await readFile('.dockerignore', 'utf8')).split('\n').filter(Boolean);
}
