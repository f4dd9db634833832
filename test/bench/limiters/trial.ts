import { seededRandom } from '../../../sandbox/seeded-random.ts';
import {
  arrive,
  NOTHING_COUNTED,
  passTime,
  type Rate,
  type Ruling,
  SERVICE_LIMITERS,
  type ServiceLimiter,
} from '../../../sandbox/service/limiters.ts';
import { EmbeddedCardService } from '../../../sandbox/service/service.ts';
import { begin, pause, run } from '../../simulate/fake-time.ts';
import { type Bot, DAY_CARDS, LATENCY_MS, startBot } from '../quota/days.ts';

export const PLAN_RATE: Rate = { requestsPerMinute: 10, burst: 20 };
export const MINUTE_MS = 60_000;
export const INTERVAL_MS = MINUTE_MS / PLAN_RATE.requestsPerMinute;
const HALF_RATE = { requestsPerMinute: PLAN_RATE.requestsPerMinute / 2, burst: PLAN_RATE.burst / 2 };
/** Some limiters need 11 minutes for the first run. */
const LONGEST_WAIT_SECONDS = '840';
const LATER_CARDS = 25;
const SILENCE_MS = 130_000;
const START_MS = Date.UTC(2026, 0, 5, 1);
/** Further 429s within this time are for requests that had left before the first was known. */
const EPISODE_MS = 5_000;

/** What becomes of a request that arrives now. One that is refused without a stated wait is just `refused`. */
export type Arrival = () => Ruling | 'refused';

export interface BenchLimiter {
  name: string;
  /** The time in which a client that knew the limiter would get so many answers after a long silence. */
  optimumMs: (requests: number) => number;
  /** It has counted nothing yet. */
  begin: (rate: Rate) => Arrival;
}

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
  /** The cards of the first run; 100 unless given. */
  firstCards?: number;
  /** All three unless given. */
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
  /** What the service answers, as the bot sees it. */
  answered?: (response: Response) => void;
}

const byWindows = (requests: number) => MINUTE_MS * (Math.ceil(requests / PLAN_RATE.requestsPerMinute) - 1);
const after = (atOnce: number) => (requests: number) => Math.max(0, requests - atOnce) * INTERVAL_MS;
const OPTIMUM_MS: Readonly<Record<ServiceLimiter, BenchLimiter['optimumMs']>> = {
  'token bucket': after(PLAN_RATE.burst),
  'fixed window': byWindows,
  delaying: after(1),
};

/** Those of the sandbox, two that count what they refuse, and two as nginx has them: `rate=10r/m` with `burst=20 delay=8`, and without both. */
export const LIMITERS: readonly BenchLimiter[] = [
  ...SERVICE_LIMITERS.map((name) => ({
    name,
    optimumMs: OPTIMUM_MS[name],
    begin: (rate: Rate) => sandbox(name, rate),
  })),
  { name: 'refusals counted', optimumMs: byWindows, begin: refusalsCounted },
  { name: 'fading window', optimumMs: after(1), begin: fadingWindow },
  { name: 'delaying after 9', optimumMs: after(9), begin: (rate) => nginx(rate, { burst: 20, delay: 8 }) },
  { name: 'no burst', optimumMs: after(1), begin: (rate) => nginx(rate, { burst: 0, delay: 0 }) },
];

export function limiterNamed(name: string): BenchLimiter {
  const found = LIMITERS.find((limiter) => limiter.name === name);
  if (!found) throw new Error(`there is no limiter ${name}`);
  return found;
}

function sandbox(limiter: ServiceLimiter, rate: Rate): Arrival {
  let counted = NOTHING_COUNTED;
  return () => {
    const found = arrive(passTime(counted, limiter, rate, Date.now()), limiter, rate);
    counted = found.counted;
    return found.ruling;
  };
}

/** The rate in any 60 s: a log that each request is added to before it is judged. */
function refusalsCounted({ requestsPerMinute }: Rate): Arrival {
  let log: number[] = [];
  return () => {
    const nowMs = Date.now();
    log = [...log.filter((atMs) => nowMs - atMs < MINUTE_MS), nowMs];
    if (log.length <= requestsPerMinute) return { delayMs: 0 };
    return { retryAfterMs: (log.at(-requestsPerMinute) ?? nowMs) + MINUTE_MS - nowMs };
  };
}

/**
 * The rate in each minute, refused requests included, and what the minute before counted fades away evenly (HAProxy
 * `http_req_rate`, the sliding window counters of gateways).
 */
function fadingWindow({ requestsPerMinute }: Rate): Arrival {
  let [before, since, beganMs] = [0, 0, Number.NEGATIVE_INFINITY];
  return () => {
    const nowMs = Date.now();
    const minutes = Math.floor((nowMs - beganMs) / MINUTE_MS);
    if (minutes >= 2) [before, since, beganMs] = [0, 0, nowMs];
    if (minutes === 1) [before, since, beganMs] = [since, 0, beganMs + MINUTE_MS];
    const counted = since + before * (1 - (nowMs - beganMs) / MINUTE_MS);
    since += 1;
    if (Math.floor(counted) < requestsPerMinute) return { delayMs: 0 };
    const roomIn = since < requestsPerMinute ? 1 - (requestsPerMinute - since) / before : 2 - requestsPerMinute / since;
    return { retryAfterMs: Math.floor(beganMs + roomIn * MINUTE_MS) + 1 - nowMs };
  };
}

/**
 * nginx `limit_req`. It keeps its rate in whole thousandths of a request a second: of ten a minute, one comes in 6.024 s.
 * What it has refused does not count; what was given up while it waited does.
 */
export function nginx({ requestsPerMinute }: Rate, { burst, delay }: { burst: number; delay: number }): Arrival {
  const perSecond = Math.floor((1_000 * requestsPerMinute) / 60) / 1_000;
  let [excess, lastMs] = [-1, 0];
  return () => {
    const nowMs = Date.now();
    const next = Math.max(0, excess + 1 - (perSecond * (nowMs - lastMs)) / 1_000);
    if (next > burst) return 'refused';
    [excess, lastMs] = [next, nowMs];
    return { delayMs: (1_000 * Math.max(0, excess - delay)) / perSecond };
  };
}

/** 100 cards at once, and after a silence 25, twice, in simulated time. */
export async function trial(limiter: BenchLimiter, conditions: Conditions = {}): Promise<Run[]> {
  const { firstCards = 100, runs: count = 3, othersPerMinute = 0, change, isHalved } = conditions;
  begin(seededRandom('chance'), START_MS);
  const service = limitedService(limiter, conditions);
  const limiters = change ? [limiter, limiterNamed(change.limiter)] : [limiter];
  const bot = await run(startBot(service.fetch, { LONGEST_WAIT_SECONDS }));
  const others = new AbortController();
  if (othersPerMinute > 0) void service.sendAsOthers(MINUTE_MS / othersPerMinute, others.signal);
  const runs: Run[] = [];
  for (const [index, cards] of [firstCards, LATER_CARDS, LATER_CARDS].slice(0, count).entries()) {
    if (index > 0) await run(pause(SILENCE_MS));
    if (index === 1 && isHalved) service.halve();
    const ids = DAY_CARDS.slice(index * 100, index * 100 + cards).map(({ id }) => id);
    const { spent, ...found } = await run(lookUp(bot, ids, service));
    // By the slower limiter, because nobody says when a limit is lifted.
    runs.push({ ...found, optimumMs: Math.max(...limiters.map(({ optimumMs }) => optimumMs(spent))) });
  }
  others.abort();
  await run(bot.close());
  return runs;
}

type LimitedService = ReturnType<typeof limitedService>;

async function lookUp(bot: Bot, ids: readonly string[], { counts, refusedAtMs }: LimitedService) {
  const [besides, refusals, startedMs] = [counts.besides, refusedAtMs.length, Date.now()];
  let [lastMs, spent] = [startedMs, ids.length];
  const shown = await Promise.all(
    ids.map(async (id, index) => {
      const { card } = await bot.lookUp(id, { memberId: `member ${index}`, guildId: 'server', isInstalled: true });
      if (card) [lastMs, spent] = [Date.now(), ids.length + counts.besides - besides];
      return card;
    }),
  );
  const refused = refusedAtMs.slice(refusals);
  const episodes = refused.filter((atMs, at) => atMs - (refused[at - 1] ?? 0) > EPISODE_MS).length;
  return { cards: ids.length, shown: shown.filter(Boolean).length, tookMs: lastMs - startedMs, spent, episodes };
}

/** A card service that a limiter stands in front of, under these conditions. */
function limitedService(limiter: BenchLimiter, { failsOneIn, change, answered, latencyMs }: Conditions) {
  const random = seededRandom(limiter.name);
  const service = new EmbeddedCardService({ plan: 'free', requestsPerMinute: 1e6, burst: 1e6, cards: DAY_CARDS });
  const limits = new Map([['whole', limiter.begin(PLAN_RATE)]]);
  /** Requests that spend the rate, too: those that fail, and those of others. */
  const counts = { besides: 0, ok: 0 };
  const refusedAtMs: number[] = [];
  let number = 0;
  if (change) void pause(change.afterMs).then(() => limits.set('whole', limiterNamed(change.limiter).begin(PLAN_RATE)));

  const limited: typeof fetch = async (input, init) => {
    const tookMs = latencyMs?.(random, ++number) ?? LATENCY_MS;
    let delayMs = 0;
    for (const arrival of limits.values()) {
      const ruling = arrival();
      if (ruling === 'refused' || 'retryAfterMs' in ruling) {
        await pause(Math.min(tookMs, LATENCY_MS));
        return refusal(ruling === 'refused' ? undefined : ruling.retryAfterMs);
      }
      delayMs = Math.max(delayMs, ruling.delayMs);
    }
    service.set({ latencyMs: tookMs + delayMs });
    return service.fetch(input, init);
  };
  return {
    counts,
    refusedAtMs,
    halve(): void {
      limits.set('half', limiter.begin(HALF_RATE));
      void pause(MINUTE_MS).then(() => limits.delete('half'));
    },
    /** As the bot sees it. */
    async fetch(...given: Parameters<typeof fetch>): Promise<Response> {
      const response = await limited(...given);
      answered?.(response);
      if (response.status === 429) refusedAtMs.push(Date.now());
      if (!response.ok || !failsOneIn || ++counts.ok % failsOneIn !== 0) return response;
      counts.besides++;
      return Response.json({}, { status: 503 });
    },
    /** They ask for a card that nobody has. */
    async sendAsOthers(everyMs: number, end: AbortSignal): Promise<void> {
      while (!end.aborted) {
        const { status, headers } = await limited('http://cards.example/cards/of-others');
        if (status === 404) counts.besides++;
        await pause(1_000 * Number(headers.get('retry-after') ?? 0) + everyMs * (0.5 + random()));
      }
    },
  };
}

function refusal(retryAfterMs: number | undefined): Response {
  const seconds = retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs) / 1_000;
  const headers = seconds === undefined ? undefined : { 'retry-after': String(Math.ceil(seconds)) };
  const body = { _tag: 'RateLimitExceeded', message: 'Rate limit exceeded.', retryAfter: seconds };
  return Response.json(body, { status: 429, ...(headers && { headers }) });
}
