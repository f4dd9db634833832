import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { DEFAULT, shippedNames } from '../src/config/card-service.ts';
import { Variables } from '../src/config/variables.ts';
import { DescriptionFile, faultsOf } from '../src/model/service-description.ts';
import { described } from './support/described.ts';

const Scripts = z.object({ scripts: z.record(z.string(), z.string()) }).transform(({ scripts }) => scripts);

/** In capitals, and no setting of the bot. */
const OTHER_NAMES = [
  'NODE_OPTIONS',
  'NODE_EXTRA_CA_CERTS',
  'NODE_USE_ENV_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'PATH_RECORD',
  'REQUIRE_REAL_REDIS',
  'CHROMIUM_PATH',
  'CARDBOT_IMAGE',
  'SERVER_ID',
  'MEMBER_ID',
];

interface Page {
  path: string;
  text: string;
}

let pages: Page[] = [];

beforeAll(async () => {
  const paths = ['README.md', 'SECURITY.md', ...(await Array.fromAsync(glob('docs/**/*.md'))).sort()];
  pages = await Promise.all(paths.map(async (path) => ({ path, text: await readFile(path, 'utf8') })));
});

/** Of every page, what does not hold there. */
function found(wrong: (page: Page) => string[]): string[] {
  return pages.flatMap((page) => wrong(page).map((what) => `${page.path}: ${what}`));
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

/** Rows of a table whose first cell names a variable: its name, its default as code, if any, and the whole cell. */
function variableRows(text: string): { name: string; cell: string; shown: string | undefined }[] {
  return [...text.matchAll(/^\| `([A-Z][A-Z_]+)` +\| ([^|]+?) +\|/gm)].map(([, name = '', cell = '']) => ({
    name,
    cell,
    shown: /^`([^`]+)`/.exec(cell)?.[1],
  }));
}

function isRequired(name: string): boolean {
  return !Variables.shape[name as keyof typeof Variables.shape].safeParse(undefined).success;
}

/** `undefined` without one. */
function defaultOf(name: string): string | undefined {
  const read = Variables.shape[name as keyof typeof Variables.shape].safeParse(undefined);
  return read.data === undefined ? undefined : String(read.data);
}

/** The source of the program or subcommand that a script runs, with its neighbours. */
async function sourceOf(script: string): Promise<string> {
  const [, entry, subcommand = ''] = /(\S+\.ts) ?(\w*)/.exec(script) ?? [];
  if (entry === undefined) return '';
  const files = await Array.fromAsync(glob(join(dirname(entry), subcommand, '*.ts')));
  return (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
}

describe('README.md', () => {
  it('has at most 110 lines and 1,200 words', () => {
    expect(pages[0]?.text.trimEnd().split('\n').length).toBeLessThanOrEqual(110);
    expect(pages[0]?.text.split(/\s+/).length).toBeLessThanOrEqual(1_200);
  });

  it('quotes only what the bot says', async () => {
    const files = await Array.fromAsync(glob(['src/**/*.ts', 'commands/**/*.ts']));
    const sources = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    // ICU messages and strings in single quotes write an apostrophe in ways of their own.
    const said = sources.join('\n').replaceAll("''", "'").replaceAll("\\'", "'");
    const quotes = matches(pages[0]?.text ?? '', /“([^”]+)”/g);

    expect(quotes.length).toBeGreaterThan(0);
    expect(quotes.filter((quote) => !said.includes(quote))).toEqual([]);
  });
});

it('README.md compares by the figures of docs/benchmarks.md', () => {
  const benchmarks = pages.find(({ path }) => path === 'docs/benchmarks.md')?.text ?? '';
  const rush = [...benchmarks.matchAll(/^\| rush \| .+? +\| [\d,]+ +\| ([\d,]+) .*\| ([\d.]+ %) +\| [^|]+\|$/gm)];
  const measured = rush.map(([, refused, noCard]) => `${noCard} | ${refused} |`);
  const shown = matches(pages[0]?.text ?? '', /^\| [^|]+ \| ([\d.]+ % \| [\d,]+ \|)$/gm);
  expect(shown).toHaveLength(3);
  expect(shown.filter((figures) => !measured.includes(figures))).toEqual([]);
});

describe('README.md and docs/', () => {
  it('link only to files and headings that exist', () => {
    const texts = new Map(pages.map(({ path, text }) => [path, text]));
    const wrong = found(({ path, text }) =>
      matches(text, /\]\(([^)\s]+)\)/g).filter((target) => {
        if (/^https?:/.test(target)) return false;
        const [file = '', anchor] = target.split('#');
        const linked = file === '' ? path : normalize(join(dirname(path), file));
        if (anchor === undefined) return !existsSync(linked);
        return !anchors(texts.get(linked) ?? '').includes(anchor);
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('name only files and folders that exist', () => {
    const wrong = found(({ text }) =>
      inlineCode(text).filter(
        (path) =>
          /^((src|commands|test|docs)\/[a-z\d./-]*|[a-z\d/-]+\/[a-z\d-]+\.ts)$/.test(path) &&
          !existsSync(path) &&
          !existsSync(join('src', path)),
      ),
    );
    expect(wrong).toEqual([]);
  });

  it('name only variables that exist', () => {
    const wrong = found(({ text }) =>
      matches(code(text).join('\n'), /\b([A-Z]+(?:_[A-Z]+)+)\b(?=$|[ =\n"])/g).filter(
        (name) =>
          !(name in Variables.shape) &&
          !text.includes(`"$${name}"`) &&
          !OTHER_NAMES.includes(name) &&
          !/^INTERACTION_/.test(name),
      ),
    );
    expect(wrong).toEqual([]);
  });

  it('show only npm scripts that exist, with words and options that they know', async () => {
    const scripts = Scripts.parse(JSON.parse(await readFile('package.json', 'utf8')));
    const shown = pages.flatMap(({ path, text }) =>
      code(text).flatMap((line) =>
        [...line.matchAll(/npm (?:run )?(?:-s )?([a-z]+)((?: (?!&&|#)[^\s#]+)*)/g)].map(
          ([command, name = '', rest = '']) => ({
            where: `${path}: ${command}`,
            name,
            words: rest.split(' ').filter((word) => /^(--)?[a-z][a-z-]*$/.test(word)),
          }),
        ),
      ),
    );
    const wrong: string[] = [];
    for (const { where, name, words } of shown) {
      if (name === 'ci') continue;
      const script = scripts[name];
      const source = await sourceOf(script ?? '');
      const known = (word: string) => word === '--help' || new RegExp(`(?<![\\w-])${word}(?![\\w-])`).test(source);
      if (script === undefined || (source !== '' && !words.every(known))) wrong.push(where);
    }
    expect(shown.length).toBeGreaterThan(10);
    expect(wrong).toEqual([]);
  });
});

describe('docs/services.md', () => {
  it('shows a description of at most fifteen lines that fits', async () => {
    const example = /```json\n(.*?)\n```/s.exec(await readFile('docs/services.md', 'utf8'))?.[1] ?? '';
    const read = DescriptionFile.safeParse(JSON.parse(example));
    expect(read.error && faultsOf(read.error)).toBeUndefined();
    expect(example.split('\n').length).toBeLessThanOrEqual(15);
  });

  it('has three more descriptions that fit: by hour and day, billed, and one that ends', async () => {
    const [, ...others] = [...(await readFile('docs/services.md', 'utf8')).matchAll(/```json\n(.*?)\n```/gs)];
    const read = others.map(([, example = '']) => DescriptionFile.safeParse(JSON.parse(example)));
    expect(read.flatMap(({ error }) => (error ? faultsOf(error) : []))).toEqual([]);
    expect(read.map(({ data }) => [data?.quota.map(({ per }) => per), data?.billed, data?.ends])).toEqual([
      [['hour', 'day'], false, undefined],
      [[], true, undefined],
      [[], false, '2027-03-01'],
    ]);
  });

  it('has a row for each key of a description, and for each service that ships its plans and terms', async () => {
    const text = await readFile('docs/services.md', 'utf8');
    const rows = [...text.matchAll(/^\| `([a-zA-Z]+)` \| (.*) \|$/gm)].map(([, name = '', rest = '']) => ({
      name,
      rest,
    }));
    const shipped = shippedNames().filter((name) => name !== DEFAULT);
    expect(rows.map(({ name }) => name).sort()).toEqual([...shipped, ...Object.keys(DescriptionFile.shape)].sort());
    for (const name of shipped) {
      const { plans = {} } = described({}, name);
      const row = rows.find((each) => each.name === name)?.rest;
      expect(text).toContain(`- **\`${name}\`**`);
      for (const [plan, { perDay }] of Object.entries(plans))
        if (perDay !== undefined) expect(row).toContain(`\`${plan}\` ${perDay.toLocaleString('en')}`);
    }
  });
});

describe('the settings', () => {
  it('stand in docs/configuration.md, all of them, with their defaults', async () => {
    const rows = variableRows(await readFile('docs/configuration.md', 'utf8'));

    expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(Variables.shape).sort());
    for (const { name, cell, shown } of rows) {
      expect([name, shown]).toEqual([name, defaultOf(name)]);
      if (shown === undefined) expect([name, cell]).toEqual([name, isRequired(name) ? 'required' : 'unset']);
    }
  });

  it('stand in .env.example, all of them: the required ones to fill in, the others as comments with their defaults', async () => {
    const lines = [...(await readFile('.env.example', 'utf8')).matchAll(/^(#?)([A-Z_]+)=(\S*)/gm)];

    expect(lines.map(([, , name]) => name).sort()).toEqual(Object.keys(Variables.shape).sort());
    for (const [, comment, name = '', value = ''] of lines) {
      expect([name, comment, value]).toEqual([name, isRequired(name) ? '' : '#', defaultOf(name) ?? '']);
    }
  });
});
