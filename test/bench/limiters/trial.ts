import { createCardService, type EmbeddedCardService } from '../../../src/sandbox/card-service.ts';
import { seededRandom } from '../../../src/sandbox/seeded-random.ts';
import type { ServiceLimiter } from '../../../src/sandbox/service-limiters.ts';
import { DAY_CARDS } from '../quota/day-of-lookups.ts';
import { inFakeTime } from '../quota/fake-time.ts';
import { type RecordedRequest, recordFetch } from '../quota/recorded-fetch.ts';
import type { StartStrategy, Strategy } from '../quota/strategy.ts';
import { BURST, OPTIMUM_MS, PER_MINUTE } from './optimum.ts';

/** One run: so many different cards at once, each for another member. */
export interface Run {
  cards: number;
  shown: number;
  /** From the first command until the last card was shown. */
  tookMs: number;
  /** For a client that knows the limiter. */
  optimumMs: number;
  /** 429s that came shortly after one another are one episode. */
  episodes: number;
}

export interface Conditions {
  /** The cards of the first run. */
  firstCards?: number;
  /** From a request until its answer, without the limiter's delay. */
  latencyMs?: (random: () => number) => number;
  /** One of so many answers is 503. */
  failsOneIn?: number;
  /** Requests a minute that somebody else sends with the same key. */
  othersPerMinute?: number;
  /** Another limiter takes over so long after the first command. */
  change?: { afterMs: number; limiter: ServiceLimiter };
  /** What the service answers, as the strategy sees it. */
  answered?: (response: Response) => Response;
}

const LATER_CARDS = 25;
const SILENCE_MS = 130_000;
const START_MS = Date.UTC(2026, 0, 5, 1);
/** Further 429s within this time are for requests that had left before the first was known. */
const EPISODE_MS = 5_000;
const MINUTE_MS = 60_000;

/** 100 cards at once, and after a silence 25, twice, in fake time. */
export function trial(start: StartStrategy, limiter: ServiceLimiter, conditions: Conditions = {}): Promise<Run[]> {
  const { firstCards = 100, othersPerMinute = 0, change } = conditions;
  return inFakeTime(START_MS, async () => {
    const random = seededRandom(limiter);
    const pace = { requestsPerMinute: PER_MINUTE, burst: BURST };
    const service = createCardService({ plan: 'free', ...pace, cards: DAY_CARDS });
    service.set({ limiter });
    if (change) setTimeout(() => service.set({ limiter: change.limiter }), change.afterMs);
    const { fetch, requests } = recordFetch(under(conditions, service, random));
    const strategy = await start({ url: 'http://cards.example', fetch, ...pace });
    const stopOthers = othersPerMinute > 0 ? sendAsOthers(service, MINUTE_MS / othersPerMinute, random) : () => {};

    /** By the slower limiter, because nobody says when a limit is lifted. */
    const optimumMs = (spent: number) =>
      Math.max(OPTIMUM_MS[limiter](spent), change ? OPTIMUM_MS[change.limiter](spent) : 0);
    const runs: Run[] = [];
    for (const [index, cards] of [firstCards, LATER_CARDS, LATER_CARDS].entries()) {
      if (index > 0) await wait(SILENCE_MS);
      const ids = DAY_CARDS.slice(index * 100, index * 100 + cards).map(({ id }) => id);
      const { spent, ...found } = await run(strategy, ids, { service, requests });
      runs.push({ ...found, optimumMs: optimumMs(spent) });
    }
    stopOthers();
    await strategy.close();
    return runs;
  });
}

async function run(
  strategy: Strategy,
  ids: readonly string[],
  { service, requests }: { service: EmbeddedCardService; requests: readonly RecordedRequest[] },
): Promise<Omit<Run, 'optimumMs'> & { spent: number }> {
  // A failed request and one of somebody else spend the rate, too.
  const spentBesides = () => ofOthers(service) + requests.filter(({ status }) => status === 503).length;
  const [besidesBefore, requestsBefore, startedMs] = [spentBesides(), requests.length, Date.now()];
  let [lastMs, spent] = [startedMs, ids.length];
  const lookUp = async (id: string, index: number) => {
    const { card } = await strategy.lookUp(id, { memberId: `member ${index}`, guildId: 'server' });
    if (card) [lastMs, spent] = [Date.now(), ids.length + spentBesides() - besidesBefore];
    return card;
  };
  const shown = (await Promise.all(ids.map(lookUp))).filter((card) => card).length;
  const refusedAtMs = requests.slice(requestsBefore).flatMap(({ status, answeredAtMs }) => {
    return status === 429 ? [answeredAtMs] : [];
  });
  const episodes = refusedAtMs.filter((atMs, at) => atMs - (refusedAtMs[at - 1] ?? 0) > EPISODE_MS).length;
  return { cards: ids.length, shown, tookMs: lastMs - startedMs, spent, episodes };
}

/** They ask for a card that nobody has. */
function ofOthers({ counts }: EmbeddedCardService): number {
  return counts.byStatus[404] ?? 0;
}

/** The service's `fetch` under these conditions. A 503 counts as a request. */
function under(
  { latencyMs = () => 200, failsOneIn = Number.POSITIVE_INFINITY, answered = (response) => response }: Conditions,
  service: EmbeddedCardService,
  random: () => number,
): typeof fetch {
  let answers = 0;
  return async (input, init) => {
    service.set({ latencyMs: latencyMs(random) });
    const response = answered(await service.fetch(input, init));
    const fails = response.ok && ++answers % failsOneIn === 0;
    return fails ? Response.json({}, { status: 503 }) : response;
  };
}

/** @returns what stops them */
function sendAsOthers(service: EmbeddedCardService, everyMs: number, random: () => number): () => void {
  let stopped = false;
  const send = async () => {
    if (stopped) return;
    const { headers } = await service.fetch('http://cards.example/cards/of-others');
    const waitMs = 1_000 * Number(headers.get('retry-after') ?? 0);
    setTimeout(send, waitMs + everyMs * (0.5 + random()));
  };
  void send();
  return () => {
    stopped = true;
  };
}

/** The global timer, because only that one is faked. */
function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
