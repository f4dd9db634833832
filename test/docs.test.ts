import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { DEFAULT, shippedNames } from '../src/config/description.ts';
import { Variables } from '../src/config/variables.ts';
import { DescriptionFile, faultsOf } from '../src/service/service-description.ts';
import { described } from './support/described.ts';

const Scripts = z.object({ scripts: z.record(z.string(), z.string()) }).transform(({ scripts }) => scripts);

/** In capitals, and no setting of the bot. */
const OTHER_NAMES =
  'NODE_OPTIONS NODE_EXTRA_CA_CERTS NODE_USE_ENV_PROXY HTTPS_PROXY NO_PROXY PATH_RECORD REQUIRE_REAL_REDIS ' +
  'CHROMIUM_PATH CARDBOT_IMAGE SERVER_ID MEMBER_ID';

const read = (path: string) => readFile(path, 'utf8');
const paths = ['README.md', 'SECURITY.md', ...(await Array.fromAsync(glob('docs/**/*.md'))).sort()];
const pages = new Map(await Promise.all(paths.map(async (path) => [path, await read(path)] as const)));
const textOf = (path: string) => pages.get(path) ?? '';
const README = textOf('README.md');

/** Expects that of every page nothing is found that does not hold there. */
function expectNone(wrong: (text: string, path: string) => string[]): void {
  expect([...pages].flatMap(([path, text]) => wrong(text, path).map((what) => `${path}: ${what}`))).toEqual([]);
}

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, group = '']) => group);
}

/** Fenced and indented blocks, and code within a line. */
function code(text: string): string[] {
  return matches(text, /(?:^|\n)```\w*\n(.*?)\n```/gs).concat(matches(text, /^ {4}(.+)$/gm), inlineCode(text));
}

function inlineCode(text: string): string[] {
  return matches(text, /`([^`\n]+)`/g);
}

/** The anchors that GitHub gives to headings. */
function anchors(text: string): string[] {
  return matches(text, /^#+ (.+)$/gm).map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** What a setting is when it is not set; `undefined`: it is required. */
function unset(name: string, none: string): string | undefined {
  const { success, data } = Variables.shape[name as keyof typeof Variables.shape].safeParse(undefined);
  if (!success) return undefined;
  return data === undefined ? none : `default ${data}`;
}

/** The source of the program or subcommand that a script runs, with its neighbours. */
async function sourceOf(script: string): Promise<string> {
  const [, entry, subcommand = ''] = /(\S+\.ts) ?(\w*)/.exec(script) ?? [];
  if (entry === undefined) return '';
  const files = await Array.fromAsync(glob(join(dirname(entry), subcommand, '*.ts')));
  return (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
}

it('README.md has at most 110 lines and 1,200 words', () => {
  expect(README.trimEnd().split('\n').length).toBeLessThanOrEqual(110);
  expect(README.split(/\s+/).length).toBeLessThanOrEqual(1_200);
});

it('README.md quotes only what the bot says', async () => {
  const files = await Array.fromAsync(glob(['src/**/*.ts', 'commands/**/*.ts']));
  const sources = await Promise.all(files.map(read));
  // ICU messages and strings in single quotes write an apostrophe in ways of their own.
  const said = sources.join('\n').replaceAll("''", "'").replaceAll("\\'", "'");
  const quotes = matches(README, /“([^”]+)”/g);
  expect(quotes.length).toBeGreaterThan(0);
  expect(quotes.filter((quote) => !said.includes(quote))).toEqual([]);
});

it('README.md compares by the figures of docs/benchmarks.md', () => {
  const row = /^\| rush \| .+? +\| [\d,]+ +\| ([\d,]+) .*\| ([\d.]+ %) +\| [^|]+\|$/gm;
  const measured = [...textOf('docs/benchmarks.md').matchAll(row)].map(
    ([, refused, noCard]) => `${noCard} | ${refused} |`,
  );
  const shown = matches(README, /^\| [^|]+ \| ([\d.]+ % \| [\d,]+ \|)$/gm);
  expect(shown).toHaveLength(3);
  expect(shown.filter((figures) => !measured.includes(figures))).toEqual([]);
});

it('links lead only to files and headings that exist', () => {
  expectNone((text, path) =>
    matches(text, /\]\(([^)\s]+)\)/g).filter((target) => {
      if (/^https?:/.test(target)) return false;
      const [file = '', anchor] = target.split('#');
      const linked = file === '' ? path : normalize(join(dirname(path), file));
      return anchor === undefined ? !existsSync(linked) : !anchors(textOf(linked)).includes(anchor);
    }),
  );
});

it('only files and folders are named that exist', () => {
  const ours = /^((src|commands|test|docs)\/[a-z\d./-]*|[a-z\d/-]+\/[a-z\d-]+\.ts)$/;
  expectNone((text) =>
    inlineCode(text).filter((path) => ours.test(path) && !existsSync(path) && !existsSync(join('src', path))),
  );
});

it('only variables are named that exist', () => {
  expectNone((text) =>
    matches(code(text).join('\n'), /\b([A-Z]+(?:_[A-Z]+)+)\b(?=$|[ =\n"])/g).filter(
      (name) =>
        !(name in Variables.shape) &&
        !text.includes(`"$${name}"`) &&
        !OTHER_NAMES.split(' ').includes(name) &&
        !name.startsWith('INTERACTION_'),
    ),
  );
});

it('only npm scripts are shown that exist, with words and options that they know', async () => {
  const scripts = Scripts.parse(JSON.parse(await read('package.json')));
  const shown = [...pages].flatMap(([path, text]) =>
    code(text).flatMap((line) =>
      [...line.matchAll(/npm (?:run )?(?:-s )?([a-z]+)((?: (?!&&|#)[^\s#]+)*)/g)].map(
        ([command, name = '', rest = '']) => ({ where: `${path}: ${command}`, name, rest }),
      ),
    ),
  );
  const wrong: string[] = [];
  for (const { where, name, rest } of shown.filter(({ name }) => name !== 'ci')) {
    const script = scripts[name];
    const source = await sourceOf(script ?? '');
    const words = rest.split(' ').filter((word) => /^(--)?[a-z][a-z-]*$/.test(word) && word !== '--help');
    const known = (word: string) => new RegExp(`(?<![\\w-])${word}(?![\\w-])`).test(source);
    if (script === undefined || (source !== '' && !words.every(known))) wrong.push(where);
  }
  expect(shown.length).toBeGreaterThan(10);
  expect(wrong).toEqual([]);
});

describe('docs/services.md', () => {
  const text = textOf('docs/services.md');
  const examples = matches(text, /```json\n(.*?)\n```/gs);

  it('shows four descriptions that fit: one of at most fifteen lines, by hour and day, billed, and one that ends', () => {
    const read = examples.map((example) => DescriptionFile.safeParse(JSON.parse(example)));
    expect(read.flatMap(({ error }) => (error ? faultsOf(error) : []))).toEqual([]);
    expect(examples[0]?.split('\n').length).toBeLessThanOrEqual(15);
    expect(read.slice(1).map(({ data }) => [data?.quota.map(({ per }) => per), data?.billed, data?.ends])).toEqual([
      [['hour', 'day'], false, undefined],
      [[], true, undefined],
      [[], false, '2027-03-01'],
    ]);
  });

  it('has a row for each key of a description, and for each service that ships its plans and terms', () => {
    const rows = new Map([...text.matchAll(/^\| `([a-zA-Z]+)` \| (.*) \|$/gm)].map(([, name, rest]) => [name, rest]));
    const shipped = shippedNames().filter((name) => name !== DEFAULT);
    expect([...rows.keys()].sort()).toEqual([...shipped, ...Object.keys(DescriptionFile.shape)].sort());
    for (const name of shipped) {
      expect(text).toContain(`- **\`${name}\`**`);
      for (const [plan, { perDay }] of Object.entries(described({}, name).plans ?? {}))
        if (perDay !== undefined) expect(rows.get(name)).toContain(`\`${plan}\` ${perDay.toLocaleString('en')}`);
    }
  });
});

/** Of each setting, in order, what it is when it is not set. */
const settings = (required: string, none = 'unset') =>
  Object.keys(Variables.shape)
    .sort()
    .map((name) => [name, unset(name, none) ?? required]);

it('the settings stand in docs/configuration.md, all of them, with their defaults', () => {
  const rows = [...textOf('docs/configuration.md').matchAll(/^\| `([A-Z][A-Z_]+)` +\| ([^|]+?) +\|/gm)];
  const shown = rows.map(([, name, cell = '']) => [name, cell.replace(/^`([^`]+)`.*/, 'default $1')]);
  expect(shown.sort()).toEqual(settings('required'));
});

it('the settings stand in .env.example, all of them: the required ones to fill in, the others as comments with their defaults', async () => {
  const lines = [...(await read('.env.example')).matchAll(/^(#?)([A-Z_]+)=(\S*)/gm)];
  const shown = lines.map(([, comment, name, value]) => [name, comment ? `default ${value}` : `fill in${value}`]);
  expect(shown.sort()).toEqual(settings('fill in', 'default '));
});
