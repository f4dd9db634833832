import type { ServiceCard } from '../../../sandbox/sample-cards.ts';
import { seededRandom } from '../../../sandbox/seeded-random.ts';
import { type CardServiceOptions, EmbeddedCardService } from '../../../sandbox/service/service.ts';
import { Lookups } from '../../../src/lookup/lookups.ts';
import type { Requester } from '../../../src/model/quota.ts';
import { REPLY_DEADLINE_MS } from '../../../src/replies/ports.ts';
import { begin, install, isInstalled, pause, run, simulatedMs } from '../../simulate/fake-time.ts';
import { openedServices } from '../../support/opened-services.ts';
import { count, percent } from '../table.ts';

if (!isInstalled) install();

export const DAY_MS = 86_400_000;
export const HOUR_MS = 3_600_000;
export const SERVICE_LATENCY_MS = 200;
/** 00:00 UTC, when the day's count starts: nothing is spent yet, and the next reset is when the day ends. */
const MIDNIGHT_MS = Date.UTC(2026, 0, 5);
/** A member comes back within a minute after the stated time. */
const COMES_BACK_WITHIN_MS = 60_000;
/** How long a member watches "thinking…" without wondering. */
const SHORT_WAIT_MS = 3_000;
/** How long the prices of a card are fresh: the bot's default. A request for it meanwhile is needless. */
const FRESH_MS = 6 * HOUR_MS;
const [MEMBERS, SERVERS] = [300, 40];
const CARDS = 500;
const LOOKUPS = 20_000;
/** By how much the busiest hour is above the mean, and the quietest below. */
const SWING = 0.8;
/** The hour in UTC in which most is looked up: the evening in Europe, and the last hours before the reset. */
const BUSIEST_HOUR = 20;

/** The variables that the bot's requests for several cards need. */
export const LISTS = { CARD_SERVICE_BULK_PATH: '/cards?ids={ids}' };

interface Lookup {
  /** Whole milliseconds since the first day began. */
  atMs: number;
  cardId: string;
  requester: Requester;
}

/** What a member saw in the end. */
interface Outcome {
  /** Whether a card was shown; a stale copy counts. */
  card: boolean;
  isStale?: boolean;
  /** The copy was not renewed, because there was no request for it; known once the lookup has ended. */
  isKept?: boolean;
  /** When to ask again, if stated. */
  comeBackAtMs?: number | undefined;
}

/** The cards that are looked up; all exist. Their ids are digits, as several services want them. */
export const DAY_CARDS: readonly ServiceCard[] = Array.from({ length: CARDS }, (_, rank) => ({
  id: String(rank + 1),
  name: `Card of rank ${rank + 1}`,
  tcg: 'Lanternfolk',
  set: { id: 'bench', name: 'Benchmark' },
  prices: { market: 1, low: 0.5, high: 2 },
}));

const CUMULATIVE: number[] = [];
for (let rank = 1; rank <= CARDS; rank++) CUMULATIVE.push((CUMULATIVE.at(-1) ?? 0) + 1 / rank);

/** 20,000 lookups of one day. @param firstHourShare of them that come in the first hour; 1/24 makes an even day */
export function dayOfLookups(firstHourShare: number): Lookup[] {
  const random = seededRandom('a day of lookups');
  const inFirstHour = Math.round(LOOKUPS * firstHourShare);
  return inOrder(LOOKUPS, random, (index) =>
    Math.floor(index < inFirstHour ? random() * HOUR_MS : HOUR_MS + random() * (DAY_MS - HOUR_MS)),
  );
}

/** Days with a rhythm, each with lookups of its own. */
export function rhythmicDays(days: number, lookups: number, cards = CARDS): Lookup[][] {
  const shareAt = (atMs: number) =>
    1 + SWING * Math.cos((2 * Math.PI * (atMs - (BUSIEST_HOUR + 0.5) * HOUR_MS)) / DAY_MS);
  return Array.from({ length: days }, (_, day) => {
    const random = seededRandom(`day ${day} of ${lookups} lookups`);
    const anyTime = (): number => {
      const atMs = Math.floor(random() * DAY_MS);
      return random() * (1 + SWING) < shareAt(atMs) ? atMs : anyTime();
    };
    return inOrder(lookups, random, () => day * DAY_MS + anyTime(), cards);
  });
}

/** Cards by Zipf's law, the second half as often as the first; members at random, each of them in one server. */
function inOrder(count: number, random: () => number, timeOf: (index: number) => number, cards = CARDS) {
  return Array.from({ length: count }, (_, index) => {
    const atMs = timeOf(index);
    const member = Math.floor(random() * MEMBERS);
    const share = random() * (CUMULATIVE[cards - 1] ?? 0);
    const cardId = String(CUMULATIVE.findIndex((upTo) => upTo > share) + 1);
    const requester = { memberId: `member ${member}`, guildId: `server ${member % SERVERS}`, isInstalled: true };
    return { atMs, cardId, requester };
  }).sort((a, b) => a.atMs - b.atMs);
}

export type Bot = Awaited<ReturnType<typeof startBot>>;

/** The bot from a lookup to its files, without Discord. @param variables of the Free plan's, unless they say otherwise */
export async function startBot(fetch: typeof globalThis.fetch, variables: Record<string, string> = {}) {
  const bot = await openedServices(variables, fetch);
  const options = { ...bot.services, longestWaitMs: bot.config.longestWaitMs };
  return {
    ...bot,
    /** One `/card`, until it shows a card or says why not. */
    async lookUp(cardId: string, requester: Requester): Promise<Outcome> {
      const receivedAtMs = Date.now();
      const wanted = { requester, receivedAtMs, deadlineMs: receivedAtMs + REPLY_DEADLINE_MS };
      const lookups = await Lookups.open([{ cardId, showPrices: true }], wanted, options);
      const [atOnce] = lookups.soFar().cards;
      const ended = lookups.lookUpAll().then(() => lookups.inTheEnd().cards[0]);
      if (atOnce?.answer) {
        const outcome: Outcome = { card: true, isStale: Boolean(atOnce.isRenewing || atOnce.error) };
        void ended.then((end) => Object.assign(outcome, { isKept: Boolean(end?.error) }));
        return outcome;
      }
      const end = await ended;
      if (end?.answer) return { card: Date.now() <= wanted.deadlineMs };
      const [, comeBackAtMs] = Object.entries(end?.error ?? {}).find(([fact]) => fact === 'untilMs') ?? [];
      return { card: false, comeBackAtMs };
    },
  };
}

/**
 * Days from a cold start in simulated time.
 *
 * @param service of the Free plan, unless it says otherwise; its prices may change meanwhile
 * @param prepare is done before the first lookup
 */
export async function live(
  lookupsByDay: readonly (readonly Lookup[])[],
  variables: Record<string, string> = {},
  service: CardServiceOptions = {},
  prepare = async (_: Bot) => {},
) {
  begin(seededRandom('chance'), MIDNIGHT_MS);
  const embedded = new EmbeddedCardService({ cards: DAY_CARDS, latencyMs: SERVICE_LATENCY_MS, ...service });
  const endMs = lookupsByDay.length * DAY_MS;
  /** When those left that were answered; how many others were refused; how many cards were asked for needlessly. */
  const requests = { sentAtMs: [] as number[], refused: 0, needless: 0 };
  const freshUntilMs = new Map<string, number>();
  const recorded: typeof fetch = async (input, init) => {
    const sentAtMs = simulatedMs();
    const response = await embedded.fetch(input, init);
    if (sentAtMs >= endMs) return response;
    if (response.status === 429) requests.refused++;
    else requests.sentAtMs.push(sentAtMs);
    if (!response.ok) return response;
    const url = String(input);
    for (const id of new URL(url).searchParams.get('ids')?.split(',') ?? [url]) {
      if (sentAtMs < (freshUntilMs.get(id) ?? 0)) requests.needless++;
      else freshUntilMs.set(id, simulatedMs() + FRESH_MS);
    }
    return response;
  };
  const bot = await run(startBot(recorded, variables));
  await run(prepare(bot));
  const living: ReturnType<typeof liveOnce>[] = [];
  for (const [day, lookups] of lookupsByDay.entries()) {
    living.push(...lookups.map((lookup) => liveOnce(lookup, bot, endMs)));
    await run(until((day + 1) * DAY_MS - 1));
  }
  const lived = await run(Promise.all(living));
  await run(bot.close());
  return { lived, requests };
}

/** One lookup and everything that followed from it: the outcome of the first command, and how long that took. */
async function liveOnce({ atMs, cardId, requester }: Lookup, bot: Bot, endMs: number) {
  await until(atMs);
  const outcome = await bot.lookUp(cardId, requester);
  const waitMs = simulatedMs() - atMs;
  let last = outcome;
  while (last.comeBackAtMs !== undefined && last.comeBackAtMs < MIDNIGHT_MS + endMs) {
    await until(last.comeBackAtMs - MIDNIGHT_MS + Math.random() * COMES_BACK_WITHIN_MS);
    last = await bot.lookUp(cardId, requester);
  }
  /** From the first command until they saw the card; nothing when they never did. */
  const seenAfterMs = last.card ? [simulatedMs() - atMs] : [];
  return { atMs, cardId, outcome, waitMs, seenAfterMs };
}

export function until(atMs: number): Promise<void> {
  return pause(atMs - simulatedMs());
}

/** The figures of days; `cells`: as the columns show them, lookups by the outcome of their first command. */
export function reportOf({ lived, requests }: Awaited<ReturnType<typeof live>>) {
  const withCard = lived.filter(({ outcome }) => outcome.card);
  const atOnce = withCard.filter(({ waitMs }) => waitMs === 0).length;
  const quick = withCard.filter(({ waitMs }) => waitMs <= SHORT_WAIT_MS).length;
  const firsts = new Map(lived.toReversed().map((each) => [each.cardId, each]));
  // Also those that were seen on coming back at the stated time.
  const seenAfterMs = [...firsts.values()].flatMap((first) => first.seenAfterMs);
  const { refused, needless, sentAtMs } = requests;
  const slowestMinutes = Math.ceil(Math.max(0, ...seenAfterMs) / 60_000);
  const slowest = slowestMinutes < 120 ? `${slowestMinutes} min` : `${Math.round(slowestMinutes / 60)} h`;
  const share = (lookups: number) => percent(lookups, lived.length);
  return {
    ...{ spent: sentAtMs.length, refused, needless },
    quickShare: quick / lived.length,
    unseen: firsts.size - seenAfterMs.length,
    cells: {
      answered: count(sentAtMs.length),
      'refused (429)': count(refused),
      needless: count(needless),
      'at once': share(atOnce),
      'at once, stale': share(withCard.filter(({ outcome }) => outcome.isStale).length),
      '≤ 3 s': share(quick - atOnce),
      later: share(withCard.length - quick),
      'no card': share(lived.length - withCard.length),
      'first lookups': `${seenAfterMs.length} of ${firsts.size} in ${slowest}`,
    },
  };
}
