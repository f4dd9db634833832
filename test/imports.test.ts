import { glob, readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { table } from './table.ts';

/**
 * What each folder may import, type imports included: folders that stand above it, so that there is no cycle. Every folder
 * may import `log.ts`. As in docs/contributing.md.
 */
const MAY_IMPORT = new Map(
  table`
    time |
    output |
    log-terminal |
    log | log-terminal
    model | time
    service | model time
    config | model time service package.json
    quota | model time
    render | model time
    storage/sqlite/file | model time
    catalog | model time storage/sqlite/file
    known | model time service catalog
    lookup | model time service known quota
    members | model time known quota lookup
    commands | model time known lookup quota catalog members render
    replies | model time lookup commands render
    discord | commands replies render model time
    operations | model time quota package.json
    storage | model time config service known quota catalog lookup replies members storage/sqlite/file
    compile-cache |
    node-version | package.json
    stop-signal |
    cli | commands config discord model time service catalog render storage storage/sqlite/file log-terminal
      stop-signal compile-cache node-version
    app | model time config service known quota catalog render lookup replies commands discord members storage
      storage/sqlite/file operations
    run | app cli config discord model output stop-signal package.json
    main | compile-cache node-version run
  `.map(([folder = '', imported = '']) => [folder, imported.split(' ').filter(Boolean)]),
);

const DISCORD_FOLDERS = ['src/discord/', 'commands/', 'sandbox/'];
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

const files = await Array.fromAsync(glob(['src/**/*.ts', 'commands/**/*.ts', 'sandbox/**/*.{ts,tsx}']));
const imports = (await Promise.all(files.map(async (file) => importsIn(file, await readFile(file, 'utf8'))))).flat();

function importsIn(file: string, source: string): Import[] {
  const statement = /^(?:import|export)\s(type\s)?(?:[^'";]*\sfrom\s)?'([^']+)'|\bimport\('([^']+)'\)/gm;
  return [...source.matchAll(statement)].map(([, type, still, dynamic]) => ({
    file,
    specifier: still ?? dynamic ?? '',
    isTypeOnly: type !== undefined,
  }));
}

/** Expects that none of the imports are so. */
function expectNone(isWrong: (each: Import) => boolean): void {
  expect(imports.filter(isWrong).map(({ file, specifier }) => `${file}: ${specifier}`)).toEqual([]);
}

const isOwn = ({ specifier }: Import) => specifier.startsWith('.');
/** The file that is imported, if it is one of ours. */
const targetOf = ({ file, specifier }: Import) => join(dirname(file), specifier);

/** How a SQLite file is opened, which every store is built on. */
const SQLITE_FILE = 'storage/sqlite/file';

/** `src/known/cards.ts` → `known`, `src/app.ts` → `app`, `commands/card.ts` → `commands` */
function folderOf(path: string): string {
  if (path === `src/${SQLITE_FILE}.ts`) return SQLITE_FILE;
  const [top = '', second = ''] = path.split('/');
  return top === 'src' ? second.replace(/\.ts$/, '') : top;
}

describe('the import table', () => {
  it('has a row for every folder, each of which imports those above it alone', () => {
    const folders = [...MAY_IMPORT.keys()];
    const above = (at: number) => [...folders.slice(0, at), 'package.json'];
    const wrong = [...MAY_IMPORT.values()].filter((others, at) => others.some((each) => !above(at).includes(each)));
    expect(wrong).toEqual([]);
    const unknown = new Set(imports.map(({ file }) => folderOf(file))).difference(MAY_IMPORT);
    expect([...unknown]).toEqual(['sandbox']);
    expect(imports.length).toBeGreaterThan(500);
  });

  it('is kept by every import', () => {
    expectNone((each) => {
      const [from, to] = [folderOf(each.file), folderOf(targetOf(each))];
      return isOwn(each) && ![from, 'log'].includes(to) && from !== 'sandbox' && !MAY_IMPORT.get(from)?.includes(to);
    });
  });

  it('lets only the folders at the edge import a library for Discord', () => {
    expectNone(({ file, specifier }) => {
      return DISCORD_LIBRARY.test(specifier) && !DISCORD_FOLDERS.some((folder) => file.startsWith(folder));
    });
  });

  it('lets the packages of the sandbox be imported through their faces', () => {
    expectNone((each) => {
      const [, folder, name = ''] = /^sandbox\/(\w+)\/(.+)/.exec(targetOf(each)) ?? [];
      const isForeign = folder !== undefined && !each.file.startsWith(`sandbox/${folder}/`) && isOwn(each);
      return isForeign && !SANDBOX_FACES[folder]?.includes(name);
    });
  });

  it('files import each other in no circle, types included', () => {
    const next = Map.groupBy(imports.filter(isOwn), ({ file }) => file);
    const done = new Set<string>();
    const circlesFrom = (file: string, path: readonly string[] = []): string[] => {
      if (path.includes(file)) return [[...path.slice(path.indexOf(file)), file].join(' → ')];
      if (done.has(file)) return [];
      const circles = [...new Set(next.get(file)?.map(targetOf))].flatMap((target) => {
        return circlesFrom(target, [...path, file]);
      });
      done.add(file);
      return circles;
    };
    expect([...next.keys()].flatMap((file) => circlesFrom(file))).toEqual([]);
  });
});

it('what runs imports no package that only development needs', async () => {
  const { dependencies } = JSON.parse(await readFile('package.json', 'utf8'));
  // `@scope/name/file` → `@scope/name`
  const nameOf = (specifier: string) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  const isPackage = (each: Import) =>
    !each.file.startsWith('sandbox/') && !each.isTypeOnly && !isOwn(each) && !isBuiltin(each.specifier);
  expectNone((each) => isPackage(each) && !(nameOf(each.specifier) in dependencies));
  expect(imports.filter(isPackage).length).toBeGreaterThan(50);
});

/** Where a test may get a part of the app from, besides `test/support/`: what the contracts of the ports are told of. */
const CONTRACTS = ['known/card-stores.ts'];
/** Tools that nothing is proved with, and what runs the whole app by itself. */
const TOOLS = /^(support|bench|chaos|screenshots|simulate)\//;
/** Tests from before there were seams. This list only ever gets shorter. */
const BUILDERS = `
catalog/catalog.test.ts catalog/vocabulary.test.ts discord/command-rate.test.ts
lookup/outcomes.test.ts lookup/usage-reports.test.ts members/member-data.test.ts members/renewals.test.ts
members/server-settings.test.ts members/watches.test.ts operations/alerts.test.ts
service/clients.ts service/own-description.test.ts storage/sqlite/file.test.ts
`;
/** What is imported from `src/`, but for values, clocks, configuration and log lines. */
const PARTS =
  /^import \{([^}]+)\} from '[./]+\/src\/(?!model\/|service\/field-source|time\.|config\/|log|output)[^']+'/gm;

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
