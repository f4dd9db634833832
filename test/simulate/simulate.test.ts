import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

/** It computes all the time: ten seconds that a busy machine makes minutes. */
const BUSY_MS = 600_000;

/** In a process of its own: time and chance are replaced there. */
async function simulated(...given: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['test/simulate/main.ts', ...given]);
  return stdout;
}

const traceIn = (output: string) => /last trace (\w+)/.exec(output)?.[1];

describe('the app in simulated time', { timeout: BUSY_MS }, () => {
  it('keeps its promises in thirty seeds, and a seed is the same after others and by itself', async () => {
    const parts = [
      ['1', '15'],
      ['16', '15'],
      ['30', '1'],
    ] as const;
    const outputs = await Promise.all(parts.map(([first, seeds]) => simulated('--seed', first, '--seeds', seeds)));
    for (const output of outputs) expect(output).toContain('\n0 seeds failed');
    const [alone, afterOthers] = outputs.map(traceIn).reverse();
    expect(afterOthers).toBe(alone);
  });
});
