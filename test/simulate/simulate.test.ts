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

/** After others and by itself a seed is the same. */
async function keepsPromises(seeds: number, ...flags: string[]): Promise<void> {
  const [all, last] = await Promise.all([
    simulated(...flags, '--seed', '1', '--seeds', String(seeds)),
    simulated(...flags, '--seed', String(seeds)),
  ]);
  expect(all).toContain('\n0 seeds failed');
  expect(traceIn(all)).toBe(traceIn(last));
}

describe('the app in simulated time', { timeout: BUSY_MS }, () => {
  it('keeps its promises in ten seeds, and a seed is the same after others and by itself', () => keepsPromises(10));

  it('keeps them over Redis, which restarts, forgets, hangs, is cut off and fails over', () =>
    keepsPromises(2, '--redis'));
});
