import { seededRandom } from '../../../sandbox/seeded-random.ts';
import {
  arrive,
  NOTHING_COUNTED,
  passTime,
  type Rate,
  type Ruling,
  type ServiceLimiter,
} from '../../../sandbox/service/limiters.ts';
import { EmbeddedCardService } from '../../../sandbox/service/service.ts';
import { begin, run as inItsTime, pause } from '../../simulate/fake-time.ts';
import type { BenchTable, Verdict } from '../table.ts';
import { type Bot, DAY_CARDS, LATENCY_MS, startBot } from './days.ts';

const PLAN_RATE: Rate = { requestsPerMinute: 10, burst: 20 };
const HALF_RATE: Rate = { requestsPerMinute: 5, burst: 10 };
const MINUTE_MS = 60_000;
const INTERVAL_MS = MINUTE_MS / PLAN_RATE.requestsPerMinute;
/** Some limiters need 11 minutes for the first run. */
const LONGEST_WAIT_SECONDS = '840';
const LATER_CARDS = 25;
const SILENCE_MS = 130_000;
const START_MS = Date.UTC(2026, 0, 5, 1);
/** Further 429s within this time are for requests that had left before the first was known. */
const EPISODE_MS = 5_000;
/** Of the first run: this many times the optimum, and so many times 429 in all runs. */
const [MOST_RATIO, MOST_EPISODES] = [1.25, 6];

interface Conditions {
  /** The cards of the first run; 100 unless given. */
  firstCards?: number;
  /** From a request until its answer, without the limiter's delay. @param request its number, from 1 */
  latencyMs?: (random: () => number, request: number) => number;
  /** One of so many answers is 503. */
  failsOneIn?: number;
  /** Requests a minute that somebody else sends with the same key. */
  othersPerMinute?: number;
  /** A fixed window takes over so long after the first command. */
  windowAfterMs?: number;
  /** In the first minute of the second run, there is half the rate and half the burst besides. */
  isHalved?: true;
}

const CONDITIONS: Readonly<Record<string, Conditions>> = {
  none: {},
  'latency from 50 ms to 3 s': { latencyMs: (random) => 50 + random() * 2_950 },
  'one single answer takes 6 s': { latencyMs: (_, request) => (request === 15 ? 6_000 : 200) },
  'one in 50 takes 6 s': { latencyMs: (random) => (random() < 1 / 50 ? 6_000 : 200) },
  'one in 20 takes 7 s': { latencyMs: (random) => (random() < 1 / 20 ? 7_000 : 200) },
  'the limit is halved for a minute': { isHalved: true },
  'one answer in 50 fails': { failsOneIn: 50 },
  // At two thirds of the rate, 66 cards take as long as 100
  'others spend a third': { othersPerMinute: PLAN_RATE.requestsPerMinute / 3, firstCards: 66 },
  'a fixed window after 240 s': { windowAfterMs: 240_000 },
};

/** One way for whatever limiter the service has. */
export async function run(): Promise<BenchTable> {
  const rows: BenchTable['rows'] = [];
  const verdicts: Verdict[] = [];
  for (const [name, limiter] of Object.entries(LIMITERS)) {
    const trials: Run[][] = [];
    for (const [condition, conditions] of Object.entries(CONDITIONS)) {
      const runs = await trial(name, limiter, conditions);
      trials.push(runs);
      verdicts.push([`${name}, ${condition}`, isGood(runs)]);
    }
    rows.push({
      limiter: name,
      'optimum, s': [100, LATER_CARDS].map((cards) => optimumMs(limiter, cards) / 1_000).join('; '),
      undisturbed: worstOf(trials.slice(0, 1)),
      'at worst': worstOf(trials),
    });
  }
  return {
    title: '100 cards at once, and 25 after 130 s of silence, twice, by limiters of "10 requests a minute, burst 20"',
    rows,
    notes: [`Disturbed by: ${Object.keys(CONDITIONS).slice(1).join('; ')}.`],
    verdicts,
  };
}

/** What becomes of a request that arrives now; one that is refused may state no wait. */
type Arrival = () => Ruling | { retryAfterMs: undefined };

/**
 * Those of the sandbox, two that count what they refuse, and two as nginx has them: `rate=10r/m` with `burst=20 delay=8`,
 * and without both. Each has counted nothing yet when it begins.
 */
const LIMITERS = {
  'token bucket': { atOnce: PLAN_RATE.burst, begin: sandbox('token bucket') },
  'fixed window': { begin: sandbox('fixed window') },
  delaying: { atOnce: 1, begin: sandbox('delaying') },
  'refusals counted': { begin: refusalsCounted },
  'fading window': { atOnce: 1, begin: fadingWindow },
  'delaying after 9': { atOnce: 9, begin: nginx({ burst: 20, delay: 8 }) },
  'no burst': { atOnce: 1, begin: nginx({ burst: 0, delay: 0 }) },
} satisfies Record<string, Limiter>;

interface Limiter {
  /** How many it answers at once after a long silence; unless given, the rate of a minute. */
  atOnce?: number;
  begin: (rate: Rate) => Arrival;
}

/** The time in which a client that knew the limiter would get so many answers after a long silence. */
function optimumMs({ atOnce }: Limiter, requests: number) {
  if (atOnce === undefined) return MINUTE_MS * (Math.ceil(requests / PLAN_RATE.requestsPerMinute) - 1);
  return Math.max(0, requests - atOnce) * INTERVAL_MS;
}

function sandbox(limiter: ServiceLimiter) {
  return (rate: Rate): Arrival => {
    let counted = NOTHING_COUNTED;
    return () => {
      const found = arrive(passTime(counted, limiter, rate, Date.now()), limiter, rate);
      counted = found.counted;
      return found.ruling;
    };
  };
}

/** The rate in any 60 s: a log that each request is added to before it is judged. */
function refusalsCounted({ requestsPerMinute }: Rate) {
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
function fadingWindow({ requestsPerMinute }: Rate) {
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
function nginx({ burst, delay }: { burst: number; delay: number }) {
  return ({ requestsPerMinute }: Rate): Arrival => {
    const perSecond = Math.floor((1_000 * requestsPerMinute) / 60) / 1_000;
    let [excess, lastMs] = [-1, 0];
    return () => {
      const nowMs = Date.now();
      const next = Math.max(0, excess + 1 - (perSecond * (nowMs - lastMs)) / 1_000);
      if (next > burst) return { retryAfterMs: undefined };
      [excess, lastMs] = [next, nowMs];
      return { delayMs: (1_000 * Math.max(0, excess - delay)) / perSecond };
    };
  };
}

/** One run: so many different cards at once, each for another member. */
type Run = Awaited<ReturnType<typeof trial>>[number];

/** 100 cards at once, and after a silence 25, twice, in simulated time. */
async function trial(name: string, limiter: Limiter, conditions: Conditions) {
  const { firstCards = 100, othersPerMinute = 0, windowAfterMs, isHalved } = conditions;
  begin(seededRandom('chance'), START_MS);
  const service = limitedService(name, limiter, conditions);
  const bot = await inItsTime(startBot(service.fetch, { LONGEST_WAIT_SECONDS }));
  const others = new AbortController();
  if (othersPerMinute > 0) void service.sendAsOthers(MINUTE_MS / othersPerMinute, others.signal);
  const runs = [];
  for (const [index, cards] of [firstCards, LATER_CARDS, LATER_CARDS].entries()) {
    if (index > 0) await inItsTime(pause(SILENCE_MS));
    if (index === 1 && isHalved) service.halve();
    const ids = DAY_CARDS.slice(index * 100, index * 100 + cards).map(({ id }) => id);
    const { spent, ...found } = await inItsTime(lookUp(bot, ids, service));
    // By the slower limiter, because nobody says when a limit is lifted.
    const optima = [limiter, windowAfterMs ? LIMITERS['fixed window'] : limiter].map((each) => optimumMs(each, spent));
    runs.push({ ...found, cards, optimumMs: Math.max(...optima) });
  }
  others.abort();
  await inItsTime(bot.close());
  return runs;
}

/** How many cards were shown, from the first command until the last of them, and how many times there were 429s. */
async function lookUp(bot: Bot, ids: readonly string[], service: ReturnType<typeof limitedService>) {
  const { counts, refusedAtMs } = service;
  const [besides, refusals, startedMs] = [counts.besides, refusedAtMs.length, Date.now()];
  let [shown, lastMs, spent] = [0, startedMs, ids.length];
  const lookups = ids.map(async (id, index) => {
    const { card } = await bot.lookUp(id, { memberId: `member ${index}`, guildId: 'server', isInstalled: true });
    if (card) [shown, lastMs, spent] = [shown + 1, Date.now(), ids.length + counts.besides - besides];
  });
  await Promise.all(lookups);
  const refused = refusedAtMs.slice(refusals);
  const episodes = refused.filter((atMs, at) => at === 0 || atMs - (refused[at - 1] ?? 0) > EPISODE_MS).length;
  return { shown, tookMs: lastMs - startedMs, spent, episodes };
}

/** A card service that a limiter stands in front of, under these conditions. */
function limitedService(
  name: string,
  limiter: Limiter,
  { failsOneIn, windowAfterMs, latencyMs = () => LATENCY_MS }: Conditions,
) {
  const random = seededRandom(name);
  const service = new EmbeddedCardService({ plan: 'free', requestsPerMinute: 1e6, burst: 1e6, cards: DAY_CARDS });
  const limits = new Map([['whole', limiter.begin(PLAN_RATE)]]);
  /** `besides`: requests that spend the rate, too: those that fail, and those of others. */
  const counts = { requests: 0, ok: 0, besides: 0 };
  const refusedAtMs: number[] = [];
  if (windowAfterMs)
    void pause(windowAfterMs).then(() => limits.set('whole', LIMITERS['fixed window'].begin(PLAN_RATE)));

  const limited: typeof fetch = async (input, init) => {
    const tookMs = latencyMs(random, ++counts.requests);
    let delayMs = 0;
    for (const arrival of limits.values()) {
      const ruling = arrival();
      if ('retryAfterMs' in ruling) {
        await pause(Math.min(tookMs, LATENCY_MS));
        return refusal(ruling.retryAfterMs);
      }
      delayMs = Math.max(delayMs, ruling.delayMs);
    }
    service.set({ latencyMs: tookMs + delayMs });
    return service.fetch(input, init);
  };
  return {
    counts,
    refusedAtMs,
    halve() {
      limits.set('half', limiter.begin(HALF_RATE));
      void pause(MINUTE_MS).then(() => limits.delete('half'));
    },
    /** As the bot sees it. */
    async fetch(...given: Parameters<typeof fetch>) {
      const response = await limited(...given);
      if (response.status === 429) refusedAtMs.push(Date.now());
      if (!response.ok || !failsOneIn || ++counts.ok % failsOneIn !== 0) return response;
      counts.besides++;
      return Response.json({}, { status: 503 });
    },
    /** They ask for a card that nobody has. */
    async sendAsOthers(everyMs: number, end: AbortSignal) {
      while (!end.aborted) {
        const { status, headers } = await limited('http://cards.example/cards/of-others');
        if (status === 404) counts.besides++;
        await pause(1_000 * Number(headers.get('retry-after') ?? 0) + everyMs * (0.5 + random()));
      }
    },
  };
}

function refusal(waitMs: number | undefined) {
  const retryAfter = waitMs && Math.ceil(waitMs) / 1_000;
  const headers = retryAfter ? { 'retry-after': String(Math.ceil(retryAfter)) } : {};
  const body = { _tag: 'RateLimitExceeded', message: 'Rate limit exceeded.', retryAfter };
  return Response.json(body, { status: 429, headers });
}

const isComplete = ({ shown, cards }: Run) => shown === cards;
const ratio = ({ tookMs, optimumMs }: Run) => tookMs / optimumMs;
const secondsOver = ({ tookMs, optimumMs }: Run) => Math.round((tookMs - optimumMs) / 1_000);

function isGood(runs: readonly Run[]) {
  const episodes = runs.reduce((sum, each) => sum + each.episodes, 0);
  return (
    runs.every(isComplete) && runs.slice(0, 1).every((run) => ratio(run) <= MOST_RATIO) && episodes <= MOST_EPISODES
  );
}

/** Each figure of the first runs, and of the later ones: `1.02, 1; +3, 0` */
function worstOf(trials: readonly (readonly Run[])[]) {
  const [first, later] = [trials.flatMap((runs) => runs.slice(0, 1)), trials.flatMap((runs) => runs.slice(1))];
  const over = Math.max(...later.map(secondsOver));
  return [
    figures(first, Math.max(...first.map(ratio)).toFixed(2)),
    figures(later, `${over < 0 ? '−' : '+'}${Math.abs(over)}`),
  ].join('; ');
}

/** How long the runs took, or how many cards one of them has shown that did not show all; and the most episodes of 429s. */
function figures(runs: readonly Run[], took: string) {
  const incomplete = runs.find((run) => !isComplete(run));
  const shown = incomplete && `${incomplete.shown} of ${incomplete.cards}`;
  return `${shown ?? took}, ${Math.max(...runs.map(({ episodes }) => episodes))}`;
}
