import { seededRandom } from '../../../sandbox/seeded-random.ts';
import { PLAN_LIMITS, type Rate, type ServiceLimiter } from '../../../sandbox/service/limiters.ts';
import { EmbeddedCardService } from '../../../sandbox/service/service.ts';
import { begin, run as inItsTime, pause } from '../../simulate/fake-time.ts';
import type { BenchTable, Verdict } from '../table.ts';
import { type Bot, DAY_CARDS, SERVICE_LATENCY_MS, startBot } from './days.ts';

const { requestsPerMinute, burst } = PLAN_LIMITS.free;
const HALF_RATE: Rate = { requestsPerMinute: requestsPerMinute / 2, burst: burst / 2 };
const MINUTE_MS = 60_000;
/** Some limiters need 11 minutes for the first run. */
const LONGEST_WAIT_SECONDS = '840';
const LATER_CARDS = 25;
const SILENCE_MS = 130_000;
const START_MS = Date.UTC(2026, 0, 5, 1);
/** Further 429s within this time are for requests that had left before the first was known. */
const EPISODE_MS = 5_000;
/** Of the first run: this many times the optimum, and so many times 429 in all runs. */
const [MOST_RATIO, MOST_EPISODES] = [1.25, 6];

interface Limiter {
  kind: ServiceLimiter;
  /** Nor does its 429 state a wait, as with nginx. */
  hasNoBurst?: true;
  /** How many it answers at once after a long silence; unless given, the rate of a minute. */
  atOnce?: number;
}

const FIXED_WINDOW: Limiter = { kind: 'fixed window' };
/** As the sandbox has them; each has counted nothing yet when it begins. */
const LIMITERS: Readonly<Record<string, Limiter>> = {
  'token bucket': { kind: 'token bucket', atOnce: burst },
  'fixed window': FIXED_WINDOW,
  delaying: { kind: 'delaying', atOnce: 1 },
  'no burst': { kind: 'token bucket', hasNoBurst: true, atOnce: 1 },
};

interface Conditions {
  /** The cards of the first run; 100 unless given. */
  firstCards?: number;
  /** From a request until its answer, without the limiter's delay. @param request its number, from 1 */
  latencyMs?: (random: () => number, request: number) => number;
  /** One of so many answers is 503. */
  failsOneIn?: number;
  /** Somebody else asks with the same key, this long after their answer before. */
  othersAfterMs?: number;
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
  'others spend a third': { othersAfterMs: 18_000, firstCards: 66 },
  'a fixed window after 240 s': { windowAfterMs: 240_000 },
};

/** One way for whatever limiter the service has. */
export async function run(): Promise<BenchTable> {
  const [rows, verdicts]: [BenchTable['rows'], Verdict[]] = [[], []];
  for (const [name, limiter] of Object.entries(LIMITERS)) {
    const trials: Trial[] = [];
    for (const [condition, conditions] of Object.entries(CONDITIONS)) {
      const tried = await trial(limiter, conditions);
      trials.push(tried);
      const isGood = tried.ratio <= MOST_RATIO && tried.episodes <= MOST_EPISODES && tried.missing === 0;
      verdicts.push([`${name}, ${condition}`, isGood]);
    }
    /** Undisturbed, and at worst. */
    const both = (figure: keyof Trial, digits = 0) => {
      const [undisturbed = 0, ...others] = trials.map((each) => each[figure]);
      return [undisturbed, Math.max(undisturbed, ...others)].map((value) => value.toFixed(digits)).join('; ');
    };
    rows.push({
      limiter: name,
      'optimum, s': [100, LATER_CARDS].map((cards) => optimumMs(limiter, cards) / 1_000).join('; '),
      'first run': both('ratio', 2),
      'later, s': both('secondsOver'),
      '429s': both('episodes'),
      missing: both('missing'),
    });
  }
  return {
    title: '100 cards at once, and 25 after 130 s of silence, twice, by limiters of "10 requests a minute, burst 20"',
    rows,
    notes: [`Disturbed by: ${Object.keys(CONDITIONS).slice(1).join('; ')}.`],
    verdicts,
  };
}

/** The time in which a client that knew the limiter would get so many answers after a long silence. */
function optimumMs({ atOnce }: Limiter, requests: number) {
  if (atOnce === undefined) return MINUTE_MS * (Math.ceil(requests / requestsPerMinute) - 1);
  return (Math.max(0, requests - atOnce) * MINUTE_MS) / requestsPerMinute;
}

interface Trial {
  /** Until the last card of the first run, as a multiple of the optimum, and how much later the last one of a later run came. */
  ratio: number;
  secondsOver: number;
  /** How many times there were 429s, and how many cards were not shown, in all runs. */
  episodes: number;
  missing: number;
}

/** 100 cards at once, and after a silence 25, twice, in simulated time. */
async function trial(limiter: Limiter, conditions: Conditions): Promise<Trial> {
  const { firstCards = 100, windowAfterMs, isHalved } = conditions;
  begin(seededRandom('chance'), START_MS);
  const service = limitedService(limiter, conditions);
  const bot = await inItsTime(startBot(service.fetch, { LONGEST_WAIT_SECONDS }));
  const found: Trial = { ratio: 0, secondsOver: 0, episodes: 0, missing: 0 };
  for (const [index, cards] of [firstCards, LATER_CARDS, LATER_CARDS].entries()) {
    if (index > 0) await inItsTime(pause(SILENCE_MS));
    if (index === 1 && isHalved) service.halve();
    const ids = DAY_CARDS.slice(index * 100, index * 100 + cards).map(({ id }) => id);
    const { shown, tookMs, spent, episodes } = await inItsTime(lookUp(bot, ids, service.found));
    // By the slower limiter, because nobody says when a limit is lifted.
    const optima = [limiter, windowAfterMs ? FIXED_WINDOW : limiter].map((each) => optimumMs(each, spent));
    const bestMs = Math.max(...optima);
    if (index === 0) found.ratio = tookMs / bestMs;
    else found.secondsOver = Math.max(found.secondsOver, (tookMs - bestMs) / 1_000);
    found.episodes += episodes;
    found.missing += cards - shown;
  }
  await inItsTime(bot.close());
  return found;
}

/** One run: so many different cards at once, each for another member. `tookMs`: until the last that was shown. */
async function lookUp(bot: Bot, ids: readonly string[], found: Found) {
  const [besides, refusals, startedMs] = [found.besides, found.refusedAtMs.length, Date.now()];
  let [shown, tookMs, spent] = [0, 0, ids.length];
  const lookups = ids.map(async (id, index) => {
    const { card } = await bot.lookUp(id, { memberId: `member ${index}`, guildId: 'server', isInstalled: true });
    if (card) [shown, tookMs, spent] = [shown + 1, Date.now() - startedMs, ids.length + found.besides - besides];
  });
  await Promise.all(lookups);
  const refused = found.refusedAtMs.slice(refusals);
  const episodes = refused.filter((atMs, at) => at === 0 || atMs - (refused[at - 1] ?? 0) > EPISODE_MS).length;
  return { shown, tookMs, spent, episodes };
}

/** What a service has seen; `besides`: requests that spend the rate, too: those that fail, and those of others. */
interface Found {
  besides: number;
  refusedAtMs: number[];
}

/** A card service with this limiter, under these conditions. */
function limitedService(
  limiter: Limiter,
  { failsOneIn, othersAfterMs, windowAfterMs, latencyMs = () => SERVICE_LATENCY_MS }: Conditions,
) {
  const random = seededRandom(limiter.kind);
  const service = embedded(limiter, PLAN_LIMITS.free);
  const found: Found = { besides: 0, refusedAtMs: [] };
  let [requests, answers, halvedUntilMs] = [0, 0, 0];
  let half = service;

  const limited: typeof fetch = async (...given) => {
    const refusal = Date.now() < halvedUntilMs ? await half.fetch(...given) : undefined;
    if (refusal?.status === 429) return refusal;
    service.set({ latencyMs: latencyMs(random, ++requests) });
    return service.fetch(...given);
  };
  /** They ask for a card that nobody has. */
  const others = async (afterMs: number) => {
    while (true) {
      const { status, headers } = await limited('http://cards.example/cards/of-others');
      if (status === 404) found.besides++;
      await pause(1_000 * Number(headers.get('retry-after') ?? 0) + afterMs * (0.5 + random()));
    }
  };
  if (othersAfterMs) void others(othersAfterMs);
  if (windowAfterMs) void pause(windowAfterMs).then(() => service.set({ limiter: 'fixed window' }));
  return {
    found,
    halve() {
      half = embedded(limiter, HALF_RATE);
      halvedUntilMs = Date.now() + MINUTE_MS;
    },
    /** As the bot sees it. */
    async fetch(...given: Parameters<typeof fetch>) {
      const response = await limited(...given);
      if (response.status === 429) {
        found.refusedAtMs.push(Date.now());
        if (limiter.hasNoBurst) return new Response(null, { status: 429 });
      }
      if (!response.ok || !failsOneIn || ++answers % failsOneIn !== 0) return response;
      found.besides++;
      return Response.json({}, { status: 503 });
    },
  };
}

function embedded({ kind, hasNoBurst }: Limiter, { requestsPerMinute, burst }: Rate) {
  const service = new EmbeddedCardService({ requestsPerMinute, burst: hasNoBurst ? 1 : burst, cards: DAY_CARDS });
  service.set({ limiter: kind });
  return service;
}
