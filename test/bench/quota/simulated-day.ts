import { type CardServiceOptions, EmbeddedCardService } from '../../../sandbox/card-service.ts';
import type { CardServiceSwitches } from '../../../sandbox/card-service-controls.ts';
import { PLAN_LIMITS } from '../../../src/model/plan.ts';
import { DAY_CARDS, DAY_MS, type Lookup } from './day-of-lookups.ts';
import { inFakeTime } from './fake-time.ts';
import { type RecordedRequest, recordFetch } from './recorded-fetch.ts';
import type { Outcome, StartStrategy, Strategy } from './strategy.ts';

/** 00:00 UTC, when the day's count starts: nothing is spent yet, and the next reset is when the day ends. */
const MIDNIGHT_MS = Date.UTC(2026, 0, 5);
/** The latency of the service. */
const LATENCY_MS = 200;
/** A member comes back within a minute after the stated time. */
const COMES_BACK_WITHIN_MS = 60_000;

/** Discord accepts no answer later than this after the command. */
const INTERACTION_LIFE_MS = 15 * 60_000;

/** One lookup and everything that followed from it. */
export interface Lived {
  lookup: Lookup;
  /** The outcome of the first command, and how long it took. */
  outcome: Outcome;
  waitMs: number;
  /** The time from the first command until they saw the card; `undefined` when they never did. */
  seenAfterMs: number | undefined;
}

export interface SimulatedDay {
  lived: Lived[];
  /** Those sent before the last day ended; times in ms since the first began. */
  requests: RecordedRequest[];
}

/** Days of the Free plan from a cold start, without sockets and in fake time. @param options its cards may change their prices meanwhile */
export function simulateDays(
  start: StartStrategy,
  lookupsByDay: readonly (readonly Lookup[])[],
  { limiter, ...options }: CardServiceOptions & Partial<Pick<CardServiceSwitches, 'limiter'>> = {},
): Promise<SimulatedDay> {
  return inFakeTime(MIDNIGHT_MS, async () => {
    const service = new EmbeddedCardService({ plan: 'free', cards: DAY_CARDS, latencyMs: LATENCY_MS, ...options });
    if (limiter) service.set({ limiter });
    const { fetch, requests } = recordFetch(service.fetch);
    const strategy = await start({ url: 'http://cards.example', fetch, ...PLAN_LIMITS.free });
    const endMs = lookupsByDay.length * DAY_MS;
    const living: Promise<Lived>[] = [];
    for (const [day, lookups] of lookupsByDay.entries()) {
      await until(day * DAY_MS);
      living.push(...lookups.map((lookup) => live(lookup, strategy, endMs)));
    }
    await until(endMs - 1);
    const lived = await Promise.all(living);
    await strategy.close();
    const ofTheDays = requests.map(sinceMidnight).filter(({ sentAtMs }) => sentAtMs < endMs);
    return { lived, requests: ofTheDays };
  });
}

async function live(lookup: Lookup, strategy: Strategy, endMs: number): Promise<Lived> {
  await until(lookup.atMs);
  const outcome = await outcomeOf(lookup, strategy);
  const waitMs = sinceMidnightMs() - lookup.atMs;

  let last = outcome;
  while (last.comeBackAtMs !== undefined && last.comeBackAtMs < MIDNIGHT_MS + endMs) {
    await until(last.comeBackAtMs - MIDNIGHT_MS + Math.random() * COMES_BACK_WITHIN_MS);
    last = await outcomeOf(lookup, strategy);
  }
  return { lookup, outcome, waitMs, seenAfterMs: last.card ? sinceMidnightMs() - lookup.atMs : undefined };
}

async function outcomeOf({ cardId, requester }: Lookup, strategy: Strategy): Promise<Outcome> {
  const startedAtMs = Date.now();
  const outcome = await strategy.lookUp(cardId, requester);
  return Date.now() - startedAtMs <= INTERACTION_LIFE_MS ? outcome : { card: false, stale: false };
}

export function until(atMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, atMs - sinceMidnightMs()));
}

export function sinceMidnightMs(): number {
  return Date.now() - MIDNIGHT_MS;
}

function sinceMidnight(request: RecordedRequest): RecordedRequest {
  return { ...request, sentAtMs: request.sentAtMs - MIDNIGHT_MS, answeredAtMs: request.answeredAtMs - MIDNIGHT_MS };
}
