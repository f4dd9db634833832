import { constantBot, ourBot } from './bots.ts';
import { AT_ONCE } from './contender.ts';
import { type Bots, type Ids, interleavedRuns, type Run as RunOf, WARM_UP, warmUp } from './interleaved-runs.ts';
import { StoredCards, storedCardId } from './stored-cards.ts';

/** Number of cards that are looked up again and again. */
const KNOWN = 10;

/** `again` is a second constant bot: it shows how much two measurements of the same thing differ. */
const NAMES = ['ours', 'constant', 'again'] as const;

export type Name = (typeof NAMES)[number];
export type Run = RunOf<Name>;

/** Latencies by the layer that the card comes from. Costs one request, which is not among the measured ones. */
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
    await warmUp(NAMES, bots, ids, size > WARM_UP ? AT_ONCE : 1); // a small store is refilled while it is read
    const disk = await interleavedRuns(NAMES, bots, ids);
    stored.put(0, size);
    const known = { ...ids, ours: knownIds() };
    await warmUp(NAMES, bots, known, AT_ONCE);
    return { disk, memory: await interleavedRuns(NAMES, bots, known) };
  } finally {
    stored.close();
    await Promise.all(NAMES.map((name) => bots[name].stop()));
  }
}

async function start(dataDir: string, serviceUrl: string): Promise<Bots<Name>> {
  const ours = await ourBot(dataDir, serviceUrl);
  await ours.answered('base1-4'); // from the service, so that replies show the requests left today
  const { embeds } = await ours.answered(storedCardId(0));
  return { ours, constant: await constantBot(dataDir, embeds[0]), again: await constantBot(dataDir, embeds[0]) };
}

/** Ids of stored cards that were never looked up; a small store is refilled with new cards as they run out. */
function* unreadIds(stored: StoredCards, size: number): Ids {
  for (let index = 1; ; index++) {
    if (index % size === 0) stored.put(index, size);
    yield storedCardId(index);
  }
}

/** The same few stored cards over and over. */
export function* knownIds(): Ids {
  for (let index = 0; ; index++) yield storedCardId(index % KNOWN);
}
