import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export interface PageAsset {
  contentType: string;
  body: Buffer;
}

const PAGE_DIR = new URL('./page/', import.meta.url);

let loaded: Promise<ReadonlyMap<string, PageAsset>> | undefined;

/** The page's three files by path, bundled once in memory: no build step, nothing written to disk. */
export function loadPageAssets(): Promise<ReadonlyMap<string, PageAsset>> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<ReadonlyMap<string, PageAsset>> {
  const [html, css, script] = await Promise.all([
    readFile(new URL('page.html', PAGE_DIR)),
    bundle('page.css'),
    bundle('page.ts'),
  ]);
  return new Map([
    ['/', { contentType: 'text/html; charset=utf-8', body: html }],
    ['/page.css', { contentType: 'text/css; charset=utf-8', body: css }],
    ['/page.js', { contentType: 'text/javascript; charset=utf-8', body: script }],
  ]);
}

async function bundle(entry: string): Promise<Buffer> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(entry, PAGE_DIR))],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
    logLevel: 'silent',
  });
  const [bundled] = outputFiles;
  if (bundled === undefined) throw new Error(`esbuild produced no output for ${entry}`);
  return Buffer.from(bundled.contents);
}
