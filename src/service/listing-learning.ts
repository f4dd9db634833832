import { isRefusal, RateLimited, ServiceDown } from '../model/errors.ts';
import { DAY_MS } from '../time/utc-day.ts';
import type { ListAnswer } from './listing-format.ts';

/** What answers have taught of requests for several cards at once. The service does not show their limit. */
export interface ListingLearned {
  /** More cards than this were refused in one request; `undefined`: none were. */
  most: number | undefined;
  refusedAtMs: number;
  /** The most that one request has brought, as long as no fewer were refused since. */
  listed: number;
  /** When a list last brought a card. */
  workedAtMs: number;
  /** Until then every card is requested by itself, and why. */
  singly: { untilMs: number; detail: string };
  /** How often in a row lists were found not to work while single cards did; each time they are tried again later. */
  timesGivenUp: number;
  /** The ids of each list that brought none of its cards, until a request for one of them alone finds it. */
  emptyLists: readonly (readonly string[])[];
  /** Lists in a row that brought nothing although there is such a card. */
  wronglyEmpty: number;
  /** Requests for several cards that failed in a row. */
  failures: number;
  /** What may be wrong with the listing, or with the service as a whole: the next request for one card shows which. */
  doubt: string | undefined;
  /** After a 429 to several cards, every card is requested by itself until then, because the service may count each of them. */
  afterRefusal: RefusalPause;
}

export interface RefusalPause {
  untilMs: number;
  waitMs: number;
}

/** How a request for one card or several ended. */
export type ListingOutcome =
  | ListAnswer
  | { kind: 'failed'; detail: string }
  | { kind: 'rateLimited' }
  /** It says nothing of how several cards are to be requested. */
  | { kind: 'other' };

export interface EndedBatch {
  outcome: ListingOutcome;
  ids: readonly string[];
  /** What was known when it left: what was under way together fails as one. */
  leftAfter: ListingLearned;
  nowMs: number;
}

export const NO_LISTING_LEARNED: ListingLearned = {
  most: undefined,
  refusedAtMs: 0,
  listed: 0,
  workedAtMs: Number.NEGATIVE_INFINITY,
  singly: { untilMs: 0, detail: '' },
  timesGivenUp: 0,
  emptyLists: [],
  wronglyEmpty: 0,
  failures: 0,
  doubt: undefined,
  afterRefusal: { untilMs: 0, waitMs: 0 },
};

const MINUTE_MS = 60_000;
/** A quarter of an hour later more is tried again, as with everything that is learned of the service. */
const QUIET_MS = 15 * MINUTE_MS;
/** Lists that never worked are not tried again sooner, and those that did are not forgotten sooner. */
const HOUR_MS = 60 * MINUTE_MS;
/** One failure is chance, and two are a hiccup if lists work after it: then one card is asked for first. */
const FAILURES_TO_DOUBT = 2;
/** A firewall that blocks one id of twenty lets the others pass sooner: twenty are halved four times. */
const BLOCKS_TO_DOUBT = 6;
/** A card may have come into being between a list and the request for it alone. */
const EMPTY_TO_BELIEVE = 2;
/** Lists of cards that do not exist are rightly empty, so that they may be many. */
const MOST_EMPTY_KEPT = 10;

/** How many cards a request may carry now. @param configured `list.max` of the description */
export function mostInOne(
  { most, refusedAtMs, singly, doubt, afterRefusal }: ListingLearned,
  configured: number,
  nowMs: number,
): number {
  if (doubt !== undefined || Math.max(singly.untilMs, afterRefusal.untilMs) > nowMs) return 1;
  if (most === undefined) return configured;
  const quietQuarters = Math.max(0, Math.floor((nowMs - Math.max(refusedAtMs, singly.untilMs)) / QUIET_MS));
  return Math.min(configured, most * 2 ** quietQuarters);
}

/** What is known after one more request, for several cards or one. */
export function learnFromBatch(before: ListingLearned, ended: EndedBatch): ListingLearned {
  return ended.ids.length < 2 ? afterOne(before, ended) : afterSeveral(before, ended);
}

function afterSeveral(known: ListingLearned, { outcome, ids, leftAfter, nowMs }: EndedBatch): ListingLearned {
  const isKnown = known.timesGivenUp > leftAfter.timesGivenUp;
  const isKnownFailure = isKnown || known.failures > leftAfter.failures;
  switch (outcome.kind) {
    case 'listed':
      if (outcome.cards.size > 0) return afterList(known, ids.length, nowMs);
      return isKnown ? known : { ...afterNothing(known, ids), failures: 0 };
    case 'tooMany':
      return afterRefusal(known, ids, { isKnown, nowMs });
    case 'unusable':
    case 'keyRefused':
      return isKnown ? known : { ...known, doubt: outcome.detail };
    case 'failed':
    case 'blocked':
      return isKnownFailure ? known : afterFailure(known, outcome);
    case 'rateLimited':
      return { ...known, afterRefusal: pauseAfter(known.afterRefusal, nowMs) };
    default:
      return known;
  }
}

/** A quarter of an hour after the first 429 to a list, twice as long with each further one, up to a day. */
export function pauseAfter(before: RefusalPause, nowMs: number): RefusalPause {
  if (nowMs < before.untilMs) return before; // this list had left before the last refusal was known
  const isForgotten = nowMs - before.untilMs > DAY_MS;
  const waitMs = isForgotten ? QUIET_MS : Math.min(Math.max(QUIET_MS, 2 * before.waitMs), DAY_MS);
  return { untilMs: nowMs + waitMs, waitMs };
}

function afterList({ most, refusedAtMs, singly, afterRefusal, listed }: ListingLearned, size: number, nowMs: number) {
  const kept = { most, refusedAtMs, singly, afterRefusal };
  return { ...NO_LISTING_LEARNED, ...kept, listed: Math.max(listed, size), workedAtMs: nowMs };
}

function afterNothing(known: ListingLearned, ids: readonly string[]): ListingLearned {
  return { ...known, emptyLists: [...known.emptyLists, ids].slice(-MOST_EMPTY_KEPT) };
}

function afterFailure(
  known: ListingLearned,
  { kind, detail }: Extract<ListingOutcome, { kind: 'failed' | 'blocked' }>,
): ListingLearned {
  const failures = known.failures + 1;
  const ofBlocks = known.listed > 0 ? BLOCKS_TO_DOUBT : 1;
  const ofFailures = known.timesGivenUp > 0 ? 1 : FAILURES_TO_DOUBT;
  const enough = kind === 'blocked' ? ofBlocks : ofFailures;
  return { ...known, failures, doubt: failures >= enough ? detail : known.doubt };
}

/**
 * A service that has brought as many refuses one of these cards, not their number: then it will refuse smaller
 * lists with that card, too. Refused once more, the number is what it refuses.
 */
function afterRefusal(
  before: ListingLearned,
  ids: readonly string[],
  { isKnown, nowMs }: { isKnown: boolean; nowMs: number },
): ListingLearned {
  const size = ids.length;
  const most = Math.floor(size / 2);
  // What cannot be halved into lists is not refused for the number of its cards.
  const known = most > 1 || isKnown ? before : afterNothing(before, ids);
  if (known.listed >= size) return { ...known, listed: size - 1 };
  if (mostInOne(known, size, nowMs) < size) return known; // it had left before that was known
  return { ...known, most, refusedAtMs: nowMs };
}

/** What works for one card and not for several is wrong with the listing; what fails for both is not. */
function afterOne(known: ListingLearned, { outcome, ids, nowMs }: EndedBatch): ListingLearned {
  if (outcome.kind === 'listed') {
    if (known.doubt !== undefined) return givenUp(known, known.doubt, nowMs);
    return outcome.cards.size > 0 ? afterFinding(known, ids, nowMs) : known;
  }
  const saysNothing = outcome.kind === 'other' || outcome.kind === 'rateLimited';
  return saysNothing || known.doubt === undefined ? known : { ...known, failures: 0, doubt: undefined };
}

/** A listing that ignores the ids brings other cards, or none, and no error. */
function afterFinding(known: ListingLearned, [found = '']: readonly string[], nowMs: number): ListingLearned {
  const emptyLists = known.emptyLists.filter((ids) => !ids.includes(found));
  if (emptyLists.length === known.emptyLists.length) return known;
  const wronglyEmpty = known.wronglyEmpty + known.emptyLists.length - emptyLists.length;
  const learned = { ...known, emptyLists, wronglyEmpty };
  if (wronglyEmpty < EMPTY_TO_BELIEVE) return learned;
  return givenUp({ ...learned, emptyLists: [] }, 'it brings none of the cards', nowMs); // the others left together with it
}

/** What has just worked, or failed as in a hiccup, may work again: at first the one card that was answered is wait enough. */
function givenUp(known: ListingLearned, detail: string, nowMs: number): ListingLearned {
  const { workedAtMs, timesGivenUp, failures } = known;
  const isHiccup = timesGivenUp === 0 && failures >= FAILURES_TO_DOUBT;
  const waitMs = timesGivenUp === 0 ? 0 : MINUTE_MS * 2 ** (timesGivenUp - 1);
  const untilMs = nowMs + (nowMs - workedAtMs > HOUR_MS && !isHiccup ? HOUR_MS : Math.min(waitMs, HOUR_MS));
  return { ...known, singly: { untilMs, detail }, timesGivenUp: timesGivenUp + 1, failures: 0, doubt: undefined };
}

/** How a request ended that brought only an error. */
export function failedOutcome(error: unknown): ListingOutcome {
  if (error instanceof ServiceDown) return { kind: 'failed', detail: error.message };
  if (error instanceof RateLimited) return { kind: 'rateLimited' };
  return isRefusal(error) ? { kind: 'keyRefused', detail: error.message } : { kind: 'other' };
}
