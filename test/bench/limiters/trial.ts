import { EmbeddedCardService } from '../../../sandbox/card-service.ts';
import { seededRandom } from '../../../sandbox/seeded-random.ts';
import { DAY_CARDS } from '../quota/day-of-lookups.ts';
import { inFakeTime } from '../quota/fake-time.ts';
import { type RecordedRequest, recordFetch } from '../quota/recorded-fetch.ts';
import type { StartStrategy, Strategy } from '../quota/strategy.ts';
import { type Arrival, type BenchLimiter, limiterNamed, MINUTE_MS, PLAN_RATE } from './bench-limiters.ts';

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
  /** Default: all three. */
  runs?: number;
  /** From a request until its answer, without the limiter's delay. @param request its number, from 1 */
  latencyMs?: (random: () => number, request: number) => number;
  /** One of so many answers is 503. */
  failsOneIn?: number;
  /** Requests a minute that somebody else sends with the same key. */
  othersPerMinute?: number;
  /** Another limiter takes over so long after the first command. */
  change?: { afterMs: number; limiter: string };
  /** In the first minute of the second run, there is half the rate and half the burst besides. */
  isHalved?: true;
  /** What the service answers, as the strategy sees it. */
  answered?: (response: Response) => Response;
}

const LATER_CARDS = 25;
const SILENCE_MS = 130_000;
const LATENCY_MS = 200;
/** The limiter is in front of the service. */
const UNLIMITED = { requestsPerMinute: 1e6, burst: 1e6 };
const HALF_RATE = { requestsPerMinute: PLAN_RATE.requestsPerMinute / 2, burst: PLAN_RATE.burst / 2 };
const NO_LIMIT: Arrival = () => ({ delayMs: 0 });
const START_MS = Date.UTC(2026, 0, 5, 1);
/** Further 429s within this time are for requests that had left before the first was known. */
const EPISODE_MS = 5_000;

/** 100 cards at once, and after a silence 25, twice, in fake time. */
export function trial(start: StartStrategy, limiter: BenchLimiter, conditions: Conditions = {}): Promise<Run[]> {
  const {
    firstCards = 100,
    runs: count = 3,
    othersPerMinute = 0,
    latencyMs = () => LATENCY_MS,
    change,
    isHalved,
  } = conditions;
  return inFakeTime(START_MS, async () => {
    const random = seededRandom(limiter.name);
    const service = new EmbeddedCardService({ plan: 'free', ...UNLIMITED, cards: DAY_CARDS });
    const limits = { whole: limiter.begin(PLAN_RATE), half: NO_LIMIT };
    const limited = behind(limits, service, (request) => latencyMs(random, request));
    const limiters = change ? [limiter, limiterNamed(change.limiter)] : [limiter];
    for (const later of limiters.slice(1))
      setTimeout(() => Object.assign(limits, { whole: later.begin(PLAN_RATE) }), change?.afterMs);
    const { fetch, requests } = recordFetch(under(conditions, limited));
    const strategy = await start({ url: 'http://cards.example', fetch, ...PLAN_RATE });
    const stopOthers = othersPerMinute > 0 ? sendAsOthers(limited, MINUTE_MS / othersPerMinute, random) : () => {};

    const runs: Run[] = [];
    for (const [index, cards] of [firstCards, LATER_CARDS, LATER_CARDS].slice(0, count).entries()) {
      if (index > 0) await wait(SILENCE_MS);
      if (index === 1 && isHalved) {
        limits.half = limiter.begin(HALF_RATE);
        setTimeout(() => Object.assign(limits, { half: NO_LIMIT }), MINUTE_MS);
      }
      const ids = DAY_CARDS.slice(index * 100, index * 100 + cards).map(({ id }) => id);
      const { spent, ...found } = await run(strategy, ids, { service, requests });
      // By the slower limiter, because nobody says when a limit is lifted.
      runs.push({ ...found, optimumMs: Math.max(...limiters.map(({ optimumMs }) => optimumMs(spent))) });
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

/** The service's `fetch` behind these limiters. */
function behind(
  limits: Readonly<Record<string, Arrival>>,
  service: EmbeddedCardService,
  latencyMs: (request: number) => number,
): typeof fetch {
  let number = 0;
  return async (input, init) => {
    const tookMs = latencyMs(++number);
    let delayMs = 0;
    for (const arrive of Object.values(limits)) {
      const ruling = arrive();
      if (ruling === 'refused' || 'retryAfterMs' in ruling) {
        await wait(Math.min(tookMs, LATENCY_MS));
        return refusal(ruling === 'refused' ? undefined : ruling.retryAfterMs);
      }
      delayMs = Math.max(delayMs, ruling.delayMs);
    }
    service.set({ latencyMs: tookMs + delayMs });
    return service.fetch(input, init);
  };
}

function refusal(retryAfterMs: number | undefined): Response {
  const seconds = retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs) / 1_000;
  const headers = seconds === undefined ? undefined : { 'retry-after': String(Math.ceil(seconds)) };
  const body = { _tag: 'RateLimitExceeded', message: 'Rate limit exceeded.', retryAfter: seconds };
  return Response.json(body, { status: 429, ...(headers && { headers }) });
}

/** `fetch` under these conditions. A 503 counts as a request. */
function under(
  { failsOneIn = Number.POSITIVE_INFINITY, answered = (response) => response }: Conditions,
  limited: typeof fetch,
): typeof fetch {
  let answers = 0;
  return async (input, init) => {
    const response = answered(await limited(input, init));
    const fails = response.ok && ++answers % failsOneIn === 0;
    return fails ? Response.json({}, { status: 503 }) : response;
  };
}

/** @returns what stops them */
function sendAsOthers(limited: typeof fetch, everyMs: number, random: () => number): () => void {
  let stopped = false;
  const send = async () => {
    if (stopped) return;
    const { headers } = await limited('http://cards.example/cards/of-others');
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
