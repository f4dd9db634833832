import { setTimeout as sleep } from 'node:timers/promises';
import type { Contender } from './contender.ts';

export const RUNS = 5;
export const BLOCKS = 3;
export const BLOCK = 50;
/** Enough for V8 to compile the hot code, because a bot runs for weeks. */
export const WARM_UP = 3_000;
/** Lets a bot finish its work after an answer, such as the log line, before the next command. */
export const GAP_MS = 1;

/** The times of one run, in milliseconds. */
export type Run<Name extends string> = Record<Name, number[]>;
export type Bots<Name extends string> = Record<Name, Contender>;
export type Ids = Iterator<string, never>;

export async function warmUp<Name extends string>(
  names: readonly Name[],
  bots: Bots<Name>,
  ids: Record<Name, Ids>,
  atOnce: number,
  commands = WARM_UP,
): Promise<void> {
  for (const name of names) await bots[name].load(ids[name], commands, atOnce);
}

/** Alternates between the bots, so that a busy machine affects all alike. */
export async function interleavedRuns<Name extends string>(
  names: readonly Name[],
  bots: Bots<Name>,
  ids: Record<Name, Ids>,
): Promise<Run<Name>[]> {
  const all: Run<Name>[] = [];
  for (let index = 0; index < RUNS; index++) {
    const run = Object.fromEntries(names.map((name) => [name, []])) as unknown as Run<Name>;
    for (let block = 0; block < BLOCKS; block++) {
      // Each bot is first, second and last equally often.
      for (const name of rotated(names, index * BLOCKS + block)) {
        for (let count = 0; count < BLOCK; count++) {
          run[name].push(await bots[name].callbackMs(ids[name].next().value));
          await sleep(GAP_MS);
        }
      }
    }
    all.push(run);
  }
  return all;
}

function rotated<T>(items: readonly T[], by: number): T[] {
  const first = by % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}
