import { seededRandom } from '../../../src/sandbox/seeded-random.ts';
import { inFakeTime } from '../quota/fake-time.ts';
import type { StartStrategy, Strategy } from '../quota/strategy.ts';
import { BURST, type Limiter, PER_MINUTE } from './service-limiters.ts';
import { type ServiceCounts, type ServiceOptions, startService } from './trial-service.ts';

/** One run: so many different cards at once, each for another member. */
export interface Run {
  cards: number;
  shown: number;
  /** From the first command until the last card was shown. */
  tookMs: number;
  optimumMs: number;
  /** 429s that came shortly after one another are one episode. */
  episodes: number;
}

export interface Conditions extends ServiceOptions {
  /** The cards of the first run. */
  firstCards?: number;
  /** The bot is stopped and started again so long after the first command. */
  restartAfterMs?: number;
  /** Other limiters that take over so long after the first command. */
  changes?: readonly { afterMs: number; limiter: Limiter }[];
}

/** A strategy that can be stopped and started again. */
export type StartRestartable = (
  ...parameters: Parameters<StartStrategy>
) => Promise<Strategy & { restart?(): Promise<void> }>;

const FIRST_CARDS = 100;
const LATER_CARDS = 25;
const SILENCE_MS = 130_000;
const START_MS = Date.UTC(2026, 0, 5, 1);

/** Many cards at once, and after a silence 25, twice, in fake time. */
export function trial(start: StartRestartable, limiter: Limiter, conditions: Conditions = {}): Promise<Run[]> {
  const { firstCards = FIRST_CARDS, restartAfterMs, changes = [] } = conditions;
  return inFakeTime(START_MS, async () => {
    const service = startService(limiter.begin(), seededRandom(limiter.name), conditions);
    const strategy = await start({
      url: 'http://cards.example',
      fetch: service.fetch,
      requestsPerMinute: PER_MINUTE,
      burst: BURST,
    });
    if (restartAfterMs !== undefined) setTimeout(() => void strategy.restart?.(), restartAfterMs);
    let limiters = [limiter];
    for (const change of changes) {
      setTimeout(() => {
        limiters = [...limiters, change.limiter];
        service.limitBy(change.limiter.begin());
      }, change.afterMs);
    }

    /** By the slowest limiter so far, because a change for the better cannot be noticed at once. */
    const optimumMs = (requests: number) => Math.max(...limiters.map((each) => each.optimumMs(requests)));
    const runs: Run[] = [];
    for (const [index, cards] of [firstCards, LATER_CARDS, LATER_CARDS].entries()) {
      if (index > 0) await wait(SILENCE_MS);
      runs.push(await run(strategy, service.counts, `run ${index}`, cards, optimumMs));
    }
    service.close();
    await strategy.close();
    return runs;
  });
}

async function run(
  strategy: Strategy,
  counts: ServiceCounts,
  name: string,
  cards: number,
  optimumMs: (requests: number) => number,
): Promise<Run> {
  const before = { ...counts };
  const startedMs = Date.now();
  let [lastMs, ofOthers] = [startedMs, counts.ofOthers];
  const lookUp = async (index: number) => {
    const { card } = await strategy.lookUp(`${name} card ${index}`, { memberId: `member ${index}`, guildId: 'server' });
    if (card) [lastMs, ofOthers] = [Date.now(), counts.ofOthers];
    return card;
  };
  const shown = await Promise.all(Array.from({ length: cards }, (_, index) => lookUp(index)));
  return {
    cards,
    shown: shown.filter((card) => card).length,
    tookMs: lastMs - startedMs,
    // A failed request and one of somebody else spend the rate, too
    optimumMs: optimumMs(cards + counts.failures - before.failures + ofOthers - before.ofOthers),
    episodes: counts.episodes - before.episodes,
  };
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
