import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { observe } from '../../sandbox/discord/observation.ts';
import type { ServiceCard } from '../../sandbox/sample-cards.ts';
import { formatMessage } from '../../src/render/messages.ts';
import { redisPrefix } from '../../src/storage/redis/client.ts';
import { nonceOf } from '../../src/watches/untold.ts';
import { parseWatch, type Watch } from '../../src/watches/watch.ts';
import { scoped } from '../support/on-finished.ts';
import { clientOf } from '../support/redis.ts';
import type { ChaosWorld } from './faults.ts';

/** The first cards are looked up most. */
const WATCHED = 20;
const [HIGH, LINE, LOW] = [36, 30, 20];
/** For so long are prices fresh. */
export const FRESH_SECONDS = 2;
const TURN_MS = 2_500;
const WATCH_TRIES = 20;
const UNREACHABLE = formatMessage('en-US', 'watchNotKept');

export interface WatchedWorld extends ChaosWorld {
  /** What the service has. */
  cards: readonly ServiceCard[];
}

/** Prices that cross the lines of members' watches again and again. */
export interface WatchedPrices {
  /** From now on no price changes. */
  stop(): void;
  /** To be called when the bots have ended. @returns how many crossings there were, and what was lost or told twice */
  outcome(): Promise<{ crossings: number; failures: string[] }>;
}

/** Members watch cards before anything breaks. */
export async function watchPrices({ discord, cards, dataDir, redis }: WatchedWorld): Promise<WatchedPrices> {
  /** The messages that Discord has shown, by nonce. */
  const shown = new Map<string, Set<string>>();
  observe({
    exchange({ route, sent, answered }) {
      if (route !== '/channels/:channel/messages' || answered?.status !== 200) return;
      const { nonce } = sent as { nonce: string };
      shown.set(nonce, (shown.get(nonce) ?? new Set()).add((answered.body as { id: string }).id));
    },
    event() {},
  });
  const watched = cards.slice(0, WATCHED);
  const turnTo = (market: number) => {
    for (const card of watched) card.prices = { market };
  };
  turnTo(HIGH);
  /** A busy machine may be too slow for Redis for a moment: the reply says so, and the member types it again. */
  const setWatch = async (id: string, by: { memberId: string }, tries = WATCH_TRIES): Promise<void> => {
    const { content } = await discord.type({ command: 'watch', options: { card: id, below: LINE }, ...by }).settled();
    if (!redis || (await watchesIn(redis.url)).some(({ cardId }) => cardId === id)) return;
    if (content !== UNREACHABLE || tries === 1) throw new Error(`the watch of ${id} is not set: ${content}`);
    await setWatch(id, by, tries - 1);
  };
  for (const [index, { id }] of watched.entries()) {
    const by = { memberId: discord.members[index % 2]?.id ?? '' };
    await discord.type({ command: 'card', options: { id }, ...by }).until(({ embeds }) => embeds.length > 0);
    await setWatch(id, by);
  }
  await sleep(FRESH_SECONDS * 1_000); // the next lookup of each has its first crossing
  let isLow = false;
  const turn = () => {
    isLow = !isLow;
    turnTo(isLow ? LOW : HIGH);
  };
  turn();
  const turning = setInterval(turn, TURN_MS).unref();

  return {
    stop: () => clearInterval(turning),
    async outcome() {
      const stored = await (redis ? watchesIn(redis.url) : storedWatches(dataDir));
      const gone = watched.filter(({ id }) => !stored.some(({ cardId }) => cardId === id));
      const lost = gone.map(({ id }) => `the watch of ${id} was lost`);
      const twice = [...shown].filter(([, ids]) => ids.size > 1).map(([nonce]) => `crossing shown twice: ${nonce}`);
      const miscounted = stored.flatMap((watch) => miscount(watch, [...shown.keys()]));
      return { crossings: shown.size, failures: [...lost, ...twice, ...miscounted] };
    },
  };
}

/** A crossing that is neither told nor to be told is lost; one more than there were was told twice. */
function miscount(watch: Watch, shown: readonly string[]): string[] {
  const told = shown.filter((nonce) => nonce.startsWith(`${watch.id}-`));
  const known = new Set([...told, ...watch.untold.map((crossing) => nonceOf({ watch, crossing }))]);
  if (known.size === watch.crossings) return [];
  return [`${known.size} of ${watch.crossings} crossings of ${watch.cardId} were told, or are to be`];
}

function storedWatches(dataDir: string): Watch[] {
  using database = new DatabaseSync(join(dataDir, 'state.sqlite'), { readOnly: true });
  return database
    .prepare('SELECT watch FROM watched_prices')
    .all()
    .flatMap(({ watch }) => parseWatch(String(watch)) ?? []);
}

async function watchesIn(url: string): Promise<Watch[]> {
  // A connection that stays would be one to the primary before, after a failover.
  const texts = await scoped(async () => (await clientOf({ url })).hVals(`${redisPrefix('cardbot')}:watches`));
  return texts.flatMap((text) => parseWatch(text) ?? []);
}
