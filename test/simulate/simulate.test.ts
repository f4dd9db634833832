import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

/** In a process of its own: time and chance are replaced there. */
async function simulated(...given: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['test/simulate/main.ts', ...given]);
  return stdout;
}

const traceIn = (output: string) => /last trace (\w+)/.exec(output)?.[1];

describe('the app in simulated time', () => {
  it('keeps its promises in ten seeds, and a seed is the same after others and by itself', async () => {
    const all = await simulated('--seed', '1', '--seeds', '10');
    expect(all).toContain('\n0 seeds failed');
    expect(traceIn(all)).toBe(traceIn(await simulated('--seed', '10')));
  });

  it('keeps them over Redis, which restarts, forgets, hangs, is cut off and fails over', async () => {
    const all = await simulated('--redis', '--seed', '1', '--seeds', '2');
    expect(all).toContain('\n0 seeds failed');
    expect(traceIn(all)).toBe(traceIn(await simulated('--redis', '--seed', '2')));
  });
});
