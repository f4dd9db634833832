import { glob, readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';

/**
 * What each folder may import, type imports included: folders that stand above it, so that there is no cycle. Every folder
 * may import `log.ts`. As in docs/contributing.md.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  model: [],
  time: [],
  log: [],
  config: ['model', 'package.json'],
  service: ['model', 'time'],
  limiter: ['model', 'time'],
  quota: ['model', 'time', 'limiter'],
  lists: ['model', 'time'],
  render: ['model', 'time'],
  'storage/sqlite/file': ['model', 'time'],
  catalog: ['model', 'time', 'storage/sqlite/file'],
  known: ['model', 'time', 'service', 'catalog'],
  lookup: ['model', 'time', 'service', 'known', 'limiter', 'quota'],
  privacy: ['model', 'time', 'quota'],
  settings: ['model', 'time', 'quota'],
  watches: ['model', 'time', 'limiter', 'known', 'lookup'],
  commands: [
    ...['model', 'known', 'lookup', 'limiter', 'quota', 'catalog', 'privacy', 'settings', 'watches', 'lists'],
    'render',
  ],
  replies: ['model', 'time', 'lookup', 'commands', 'render'],
  discord: ['commands', 'replies', 'render', 'model', 'time'],
  operations: ['model', 'time', 'limiter', 'package.json'],
  storage: [
    ...['model', 'time', 'config', 'service', 'known', 'limiter', 'quota', 'catalog', 'lookup', 'replies', 'privacy'],
    ...['settings', 'watches', 'lists', 'storage/sqlite/file'],
  ],
  'compile-cache': [],
  'node-version': ['package.json'],
  'stop-signal': [],
  cli: [
    ...[
      'commands',
      'config',
      'discord',
      'model',
      'time',
      'service',
      'catalog',
      'render',
      'storage',
      'storage/sqlite/file',
    ],
    ...['stop-signal', 'compile-cache', 'node-version'],
  ],
  app: [
    ...['model', 'time', 'config', 'service', 'known', 'limiter', 'quota', 'catalog', 'render', 'lookup', 'replies'],
    ...[
      'commands',
      'discord',
      'privacy',
      'settings',
      'watches',
      'lists',
      'storage',
      'storage/sqlite/file',
      'operations',
    ],
  ],
  run: ['app', 'cli', 'config', 'discord', 'model', 'stop-signal', 'package.json'],
  main: ['compile-cache', 'node-version', 'run'],
};

const DISCORD_FOLDERS = ['src/discord/', 'commands/', 'src/cli/registration.ts', 'sandbox/'];
/** Without `discord-api-types`, which holds types only. */
const DISCORD_LIBRARY = /^(discord\.js|@discordjs\/)/;

/** What others may import of each package; `chat.ts` holds types only. */
const SANDBOX_FACES: Readonly<Record<string, readonly string[]>> = {
  discord: ['emulated-discord.ts', 'chat.ts'],
  service: ['service.ts'],
  page: ['page-server.ts'],
};

interface Import {
  file: string;
  specifier: string;
  isTypeOnly: boolean;
}

let imports: readonly Import[];
beforeAll(async () => {
  const files = await Array.fromAsync(glob(['src/**/*.ts', 'commands/**/*.ts', 'sandbox/**/*.{ts,tsx}']));
  const found = await Promise.all(files.map(async (file) => importsIn(file, await readFile(file, 'utf8'))));
  imports = found.flat();
});

function importsIn(file: string, source: string): Import[] {
  const statement = /^(?:import|export)\s(type\s)?(?:[^'";]*\sfrom\s)?'([^']+)'|\bimport\('([^']+)'\)/gm;
  return [...source.matchAll(statement)].map(([, type, still, dynamic]) => ({
    file,
    specifier: still ?? dynamic ?? '',
    isTypeOnly: type !== undefined,
  }));
}

/** Imports from one folder of the project to another. */
function crossings(): (Import & { from: string; to: string })[] {
  return imports
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map((each) => ({ ...each, from: folderOf(each.file), to: folderOf(join(dirname(each.file), each.specifier)) }))
    .filter(({ from, to }) => from !== to);
}

/** How a SQLite file is opened, which every store is built on. */
const SQLITE_FILE = 'storage/sqlite/file';

/** `src/known/cards.ts` → `known`, `src/app.ts` → `app`, `commands/card.ts` → `commands` */
function folderOf(path: string): string {
  if (path === `src/${SQLITE_FILE}.ts`) return SQLITE_FILE;
  const [top = '', second = ''] = path.split('/');
  return top === 'src' ? second.replace(/\.ts$/, '') : top;
}

describe('the import table', () => {
  it('lets a folder import those above it alone', () => {
    const folders = Object.keys(MAY_IMPORT);
    const wrong = folders.filter((folder, at) =>
      MAY_IMPORT[folder]?.some((other) => other !== 'package.json' && !folders.slice(0, at).includes(other)),
    );
    expect(wrong).toEqual([]);
  });

  it('has a row for every folder', () => {
    const folders = new Set(imports.map(({ file }) => folderOf(file)));
    expect([...folders].filter((folder) => !(folder in MAY_IMPORT))).toEqual(['sandbox']);
    expect(imports.length).toBeGreaterThan(500);
  });

  it('is kept by every import', () => {
    const wrong = crossings().filter((each) => {
      const { from, to } = each;
      if (from === 'sandbox' || to === 'log') return false;
      return !MAY_IMPORT[from]?.includes(to);
    });
    expect(wrong.map(({ file, specifier }) => `${file}: ${specifier}`)).toEqual([]);
  });

  it('lets only the folders at the edge import a library for Discord', () => {
    const wrong = imports.filter(
      ({ file, specifier }) =>
        DISCORD_LIBRARY.test(specifier) && !DISCORD_FOLDERS.some((folder) => file.startsWith(folder)),
    );
    expect(wrong.map(({ file, specifier }) => `${file}: ${specifier}`)).toEqual([]);
  });

  it('lets the packages of the sandbox be imported through their faces', () => {
    const inside = imports.flatMap(({ file, specifier }) => {
      const [, folder, name = ''] = /^sandbox\/(\w+)\/(.+)/.exec(join(dirname(file), specifier)) ?? [];
      const isForeign = folder !== undefined && !file.startsWith(`sandbox/${folder}/`) && specifier.startsWith('.');
      return isForeign && !SANDBOX_FACES[folder]?.includes(name) ? `${file}: ${specifier}` : [];
    });
    expect(inside).toEqual([]);
  });

  it('files import each other in no circle, types included', () => {
    const links = imports.filter(({ specifier }) => specifier.startsWith('.'));
    const next = Map.groupBy(links, ({ file }) => file);
    const done = new Set<string>();
    const circlesFrom = (file: string, path: readonly string[] = []): string[] => {
      if (path.includes(file)) return [[...path.slice(path.indexOf(file)), file].join(' → ')];
      if (done.has(file)) return [];
      const targets = new Set(next.get(file)?.map(({ specifier }) => join(dirname(file), specifier)));
      const circles = [...targets].flatMap((target) => circlesFrom(target, [...path, file]));
      done.add(file);
      return circles;
    };
    expect([...next.keys()].flatMap((file) => circlesFrom(file))).toEqual([]);
  });
});

it('what runs imports no package that only development needs', async () => {
  const { dependencies } = JSON.parse(await readFile('package.json', 'utf8'));
  const packages = imports.filter(
    ({ file, specifier, isTypeOnly }) =>
      !file.startsWith('sandbox/') && !isTypeOnly && !specifier.startsWith('.') && !isBuiltin(specifier),
  );
  // `@scope/name/file` → `@scope/name`
  const nameOf = (specifier: string) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  const wrong = packages.filter(({ specifier }) => !(nameOf(specifier) in dependencies));
  expect(wrong.map(({ file, specifier }) => `${file}: ${specifier}`)).toEqual([]);
  expect(packages.length).toBeGreaterThan(50);
});

/** Where a test may get a part of the app from, besides `test/support/`: what the contracts of the ports are told of. */
const CONTRACTS = ['known/card-stores.ts'];
/** Tools that nothing is proved with, and what runs the whole app by itself. */
const TOOLS = /^(support|bench|chaos|screenshots|simulate)\//;
/** Tests from before there were seams. This list only ever gets shorter. */
const BUILDERS = `
catalog/catalog.test.ts catalog/vocabulary.test.ts discord/command-rate.test.ts
known/card-store.test.ts lookup/usage-reports.test.ts operations/alerts.test.ts
privacy/member-data.test.ts
service/clients.ts service/own-description.test.ts settings/server-settings.test.ts
storage/sqlite/file.test.ts watches/renewals.test.ts watches/watches.test.ts
`;
/** What is imported from `src/`, but for values, clocks, configuration and log lines. */
const PARTS = /^import \{([^}]+)\} from '[./]+\/src\/(?!model\/|time\/|config\/|log)[^']+'/gm;

function buildsPart(source: string): boolean {
  const names = [...source.matchAll(PARTS)].flatMap(([, list = '']) => list.split(',').map((name) => name.trim()));
  return names.some((name) => source.includes(`new ${name}(`) || source.includes(`${name}.open(`));
}

it('no test builds a part of the app but through a seam: test/README.md names the five', async () => {
  const files = (await Array.fromAsync(glob('**/*.ts', { cwd: 'test' }))).sort();
  const tests = files.filter((file) => !TOOLS.test(file) && !CONTRACTS.includes(file));
  const sources = await Promise.all(tests.map((file) => readFile(join('test', file), 'utf8')));
  expect(tests.filter((_, at) => buildsPart(sources[at] ?? ''))).toEqual(BUILDERS.trim().split(/\s+/));
});
