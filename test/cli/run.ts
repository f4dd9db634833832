import { Readable, Writable } from 'node:stream';
import { expect } from 'vitest';
import type { CliContext } from '../../src/cli/context.ts';
import { runCli } from '../../src/cli/program.ts';

interface Outside extends Partial<Pick<CliContext, 'env' | 'envFile' | 'folder' | 'ask' | 'commands'>> {
  stdin?: string | Buffer;
  signal?: AbortSignal;
  isTTY?: boolean;
}

/** Runs `npm run ARGS` in this process. */
export async function run(
  args: readonly string[],
  { stdin = '', signal = new AbortController().signal, isTTY = false, ...outside }: Outside = {},
) {
  const [out, err] = [new Collected(), new Collected()];
  const code = await runCli(args, {
    env: {},
    folder: process.cwd(),
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout: out,
    stderr: Object.assign(err, { isTTY }),
    stopSignal: () => signal,
    pauseMs: 0,
    ...outside,
  });
  return { code, out: out.text, err: err.text };
}

/** What a run that failed is expected to have said, among other things if that is a text. */
export function failing(says: string | RegExp, code = 1) {
  return { code, err: typeof says === 'string' ? expect.stringContaining(says) : expect.stringMatching(says) };
}

class Collected extends Writable {
  text = '';

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.text += chunk;
    done();
  }
}
