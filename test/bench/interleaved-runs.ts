import { setTimeout as sleep } from 'node:timers/promises';
import { AT_ONCE, type MeasuredBot } from './measured-bot.ts';
import { storedCardId } from './stored-cards.ts';

const RUNS = 5;
const BLOCKS = 3;
const BLOCK = 50;
/** Lets a bot finish its work after an answer, such as the log line, before the next command. */
const GAP_MS = 1;
/** Number of cards that are looked up again and again. */
export const KNOWN = 10;

/** Commands to each bot after those to warm up. */
export const MEASURED = RUNS * BLOCKS * BLOCK;
/** For the reader of the figures. */
export const HOW = `from INTERACTION_CREATE written to the gateway until the head of the callback arrives; one command at a time, ${GAP_MS} ms after the last. Medians of ${RUNS} runs, in each ${BLOCKS} × ${BLOCK} commands to each bot in turn.`;

export type Ids = Iterator<string, never>;
/** A bot and what is looked up with it. */
export type Measured<Name extends string> = Record<Name, { bot: MeasuredBot; ids: Ids }>;
/** The times of one run, in milliseconds. */
export type Run<Name extends string> = Record<Name, number[]>;

/** Alternates between the bots, so that a busy machine affects all alike. @param warmUp commands before, to each of them */
export async function interleavedRuns<Name extends string>(
  measured: Measured<Name>,
  warmUp: number,
  atOnce = AT_ONCE,
): Promise<Run<Name>[]> {
  const names = Object.keys(measured) as Name[];
  for (const name of names) await measured[name].bot.load(measured[name].ids, warmUp, atOnce);
  const all: Run<Name>[] = [];
  for (let index = 0; index < RUNS; index++) {
    const run = Object.fromEntries(names.map((name) => [name, []])) as unknown as Run<Name>;
    for (let block = 0; block < BLOCKS; block++) {
      // Each bot is first, second and last equally often.
      for (const name of rotated(names, index * BLOCKS + block)) {
        const { bot, ids } = measured[name];
        for (let count = 0; count < BLOCK; count++) {
          run[name].push(await bot.callbackMs(ids.next().value));
          await sleep(GAP_MS);
        }
      }
    }
    all.push(run);
  }
  return all;
}

/** The same few stored cards over and over. */
export function* knownIds(): Ids {
  for (let index = 0; ; index++) yield storedCardId(index % KNOWN);
}

/** Stored cards from a number on, each once. */
export function* unreadIds(from: number): Ids {
  for (let index = from; ; index++) yield storedCardId(index);
}

function rotated<T>(items: readonly T[], by: number): T[] {
  const first = by % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}
