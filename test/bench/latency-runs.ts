import { setTimeout as sleep } from 'node:timers/promises';
import { constantBot, ourBot } from './bots.ts';
import { AT_ONCE, type Contender } from './contender.ts';
import { StoredCards, storedCardId } from './stored-cards.ts';

export const RUNS = 5;
export const BLOCKS = 3;
export const BLOCK = 50;
/** Until V8 has compiled what is used; a bot runs for weeks. */
export const WARM_UP = 3_000;
/** A bot finishes what it does after an answer, such as its log line, before the next command comes. */
export const GAP_MS = 1;
/** Cards that are asked for again and again. */
const KNOWN = 10;

/** `again` is the constant bot once more: how far two measurements of the same thing lie apart. */
const NAMES = ['ours', 'constant', 'again'] as const;

export type Name = (typeof NAMES)[number];
/** The times of one run, in milliseconds. */
export type Run = Record<Name, number[]>;

type Bots = Record<Name, Contender>;
type Ids = Iterator<string, never>;

/** Where the card comes from, and how long that took. The service is asked for one card, which is not among the timed. */
export async function latencyRuns(
  size: number,
  dataDir: string,
  serviceUrl: string,
): Promise<Record<'disk' | 'memory', Run[]>> {
  const stored = await StoredCards.open(dataDir, serviceUrl);
  stored.put(0, size);
  const bots = await start(dataDir, serviceUrl);
  try {
    const ids = { ours: unreadIds(stored, size), constant: knownIds(), again: knownIds() };
    await warmUp(bots, ids, size > WARM_UP ? AT_ONCE : 1); // a small store is filled anew while it is read
    const disk = await runs(bots, ids);
    stored.put(0, size);
    const known = { ...ids, ours: knownIds() };
    await warmUp(bots, known, AT_ONCE);
    return { disk, memory: await runs(bots, known) };
  } finally {
    stored.close();
    await Promise.all(NAMES.map((name) => bots[name].stop()));
  }
}

async function start(dataDir: string, serviceUrl: string): Promise<Bots> {
  const ours = await ourBot(dataDir, serviceUrl);
  await ours.answered('base1-4'); // from the service, so that replies show what is left of the day
  const { embeds } = await ours.answered(storedCardId(0));
  return { ours, constant: await constantBot(dataDir, embeds[0]), again: await constantBot(dataDir, embeds[0]) };
}

async function warmUp(bots: Bots, ids: Record<Name, Ids>, atOnce: number): Promise<void> {
  for (const name of NAMES) await bots[name].load(ids[name], WARM_UP, atOnce);
}

async function runs(bots: Bots, ids: Record<Name, Ids>): Promise<Run[]> {
  const all: Run[] = [];
  for (let index = 0; index < RUNS; index++) {
    const run: Run = { ours: [], constant: [], again: [] };
    for (let block = 0; block < BLOCKS; block++) {
      // Each bot goes first, second and last equally often.
      for (const name of rotated(NAMES, block)) {
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

/** Ids of stored cards that were never asked for; a small store is filled with new cards as they run out. */
function* unreadIds(stored: StoredCards, size: number): Ids {
  for (let index = 1; ; index++) {
    if (index % size === 0) stored.put(index, size);
    yield storedCardId(index);
  }
}

/** The same few stored cards over and over. */
function* knownIds(): Ids {
  for (let index = 0; ; index++) yield storedCardId(index % KNOWN);
}

function rotated<T>(items: readonly T[], by: number): T[] {
  const first = by % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}
