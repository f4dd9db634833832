import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { runCatalogCli } from '../../src/catalog-cli/cli.ts';
import { onFinished } from '../support/on-finished.ts';

/** A folder for one test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cardbot-catalog-'));
  onFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

interface Outside {
  stdin?: string | Buffer;
  env?: Record<string, string>;
  signal?: AbortSignal;
  isTTY?: boolean;
}

/** Runs `npm run catalog -- ARGS` in this process, with files relative to `folder` and the catalog in `folder/data`. */
export async function runCatalog(
  folder: string,
  args: readonly string[],
  { stdin = '', env, ...outside }: Outside = {},
) {
  const [out, err] = [new Collected(), new Collected()];
  const code = await runCatalogCli(args, {
    env: { DATA_DIR: join(folder, 'data'), ...env },
    folder,
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout: out,
    stderr: Object.assign(err, { isTTY: outside.isTTY ?? false }),
    signal: outside.signal ?? new AbortController().signal,
  });
  return { code, out: out.text, err: err.text };
}

class Collected extends Writable {
  text = '';

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.text += chunk;
    done();
  }
}

/** What `export -` writes. */
export async function exported(folder: string, env?: Record<string, string>): Promise<unknown[]> {
  const { out } = await runCatalog(folder, ['export', '-'], { ...(env && { env }) });
  return out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
