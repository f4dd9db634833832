/** What answers have taught of requests for several cards at once. The service shows neither their cost nor their limit. */
export interface BulkLearned {
  /** More cards than this were refused in one request; `undefined`: none were. */
  most: number | undefined;
  refusedAtMs: number;
  /** The most that one request has brought, as long as no fewer were refused since. */
  listed: number;
  /** Until then every card is requested by itself. */
  singlyUntilMs: number;
  /** Requests for several cards that failed in a row. */
  failures: number;
  /** What may be wrong with the listing, or with the service as a whole: the next request for one card shows which. */
  doubt: string | undefined;
  /** Requests that the service counts for several cards: one, or one for each. */
  cost: BulkCost;
  /** How often in a row it counted otherwise. */
  countedOtherwise: number;
  /** An answer has shown the cost; before that it is taken to be one. */
  isCostSeen: boolean;
  /** Until then each card takes a permit: a request for several was refused, perhaps because it counts as several. */
  eachUntilMs: number;
}

export type BulkCost = 'one' | 'each';

/** How a request for `size` cards ended. */
export type BulkOutcome =
  | { kind: 'answered' }
  | { kind: 'tooMany' | 'blocked' | 'unusable' | 'keyRefused' | 'failed'; detail: string }
  | { kind: 'rateLimited' }
  /** It says nothing of how several cards are to be requested. */
  | { kind: 'other' };

export interface EndedBulk {
  outcome: BulkOutcome;
  size: number;
  /** Failures in a row that were known when it left: those that were under way together are one. */
  afterFailures: number;
  /** By how much it lowered what remains of the day; `undefined` unless it was the only request under way in all processes. */
  lowered: number | undefined;
  nowMs: number;
}

/** What remains of the day, and how many permits other processes were given so far. */
export interface Counted {
  remaining: number;
  permitsElsewhere: number;
}

/** By how much one request lowered what remains; `undefined` when another process sent one meanwhile, too. */
export function loweredBy(before: Counted | undefined, after: Counted | undefined): number | undefined {
  if (!before || !after || before.permitsElsewhere !== after.permitsElsewhere) return undefined;
  return before.remaining - after.remaining;
}

export const NO_BULK_LEARNED: BulkLearned = {
  most: undefined,
  refusedAtMs: 0,
  listed: 0,
  singlyUntilMs: 0,
  failures: 0,
  doubt: undefined,
  cost: 'one',
  countedOtherwise: 0,
  isCostSeen: false,
  eachUntilMs: 0,
};

const SINGLY_MS = 60 * 60_000;
/** As for everything that is learned of the service: a quarter of an hour later more is tried again. */
const QUIET_MS = 15 * 60_000;
/** One failure is chance. A lookup has three attempts, so that the last one is for the card alone. */
const FAILURES_TO_DOUBT = 2;
/** A firewall that takes exception to one id of twenty lets the others pass sooner: twenty are halved four times. */
const BLOCKS_TO_DOUBT = 6;
/** What another request with the same key costs can look like it once. */
const COUNTED_TO_BELIEVE = 2;

/** How many cards a request may carry now. @param configured `CARD_SERVICE_BULK_MAX` */
export function mostInOne(
  { most, refusedAtMs, singlyUntilMs, doubt }: BulkLearned,
  configured: number,
  nowMs: number,
): number {
  if (doubt !== undefined || singlyUntilMs > nowMs) return 1;
  if (most === undefined) return configured;
  const quietQuarters = Math.max(0, Math.floor((nowMs - refusedAtMs) / QUIET_MS));
  return Math.min(configured, most * 2 ** quietQuarters);
}

/** What a request for several cards is assumed to cost now. */
export function costNow({ cost, eachUntilMs }: BulkLearned, nowMs: number): BulkCost {
  return eachUntilMs > nowMs ? 'each' : cost;
}

/** What is known after one more request, for several cards or one. */
export function afterBulk(before: BulkLearned, ended: EndedBulk): BulkLearned {
  const learned = ended.size > 1 ? afterSeveral(before, ended) : afterOne(before, ended);
  return withCost(learned, ended);
}

function afterSeveral(known: BulkLearned, { outcome, size, afterFailures, nowMs }: EndedBulk): BulkLearned {
  const isKnownFailure = known.failures > afterFailures;
  switch (outcome.kind) {
    case 'answered':
      return { ...known, listed: Math.max(known.listed, size), failures: 0, doubt: undefined };
    case 'tooMany':
      return afterRefusal(known, size, nowMs);
    case 'unusable':
      return singly(known, nowMs);
    case 'keyRefused':
      return { ...known, doubt: outcome.detail };
    case 'failed':
      return isKnownFailure ? known : afterFailure(known, outcome.detail, FAILURES_TO_DOUBT);
    case 'blocked':
      return isKnownFailure ? known : afterFailure(known, outcome.detail, known.listed > 0 ? BLOCKS_TO_DOUBT : 1);
    case 'rateLimited':
      return known.isCostSeen ? known : { ...known, eachUntilMs: nowMs + QUIET_MS };
    case 'other':
      return known;
  }
}

function afterFailure(known: BulkLearned, detail: string, enough: number): BulkLearned {
  const failures = known.failures + 1;
  return { ...known, failures, doubt: failures >= enough ? detail : known.doubt };
}

/**
 * A service that brings as many takes exception to one of these cards, not to their number: then it will refuse smaller
 * lists with that card, too. Refused once more, the number is what it refuses.
 */
function afterRefusal(known: BulkLearned, size: number, nowMs: number): BulkLearned {
  if (known.listed >= size) return { ...known, listed: size - 1 };
  if (mostInOne(known, size, nowMs) < size) return known; // it had left before that was known
  return { ...known, most: Math.floor(size / 2), refusedAtMs: nowMs };
}

/** What works for one card and not for several is wrong with the listing; what fails for both is not. */
function afterOne(known: BulkLearned, { outcome, nowMs }: EndedBulk): BulkLearned {
  if (known.doubt === undefined) return known;
  if (outcome.kind === 'answered') return singly(known, nowMs);
  const saysNothing = outcome.kind === 'other' || outcome.kind === 'rateLimited';
  return saysNothing ? known : { ...known, failures: 0, doubt: undefined };
}

function singly(known: BulkLearned, nowMs: number): BulkLearned {
  return { ...known, singlyUntilMs: nowMs + SINGLY_MS, failures: 0, doubt: undefined };
}

function withCost(known: BulkLearned, { outcome, size, lowered }: EndedBulk): BulkLearned {
  if (size < 2 || outcome.kind !== 'answered') return known;
  const counted = costOf(size, lowered);
  if (counted === undefined) return known;
  if (counted === known.cost) return { ...known, countedOtherwise: 0, isCostSeen: true, eachUntilMs: 0 };
  const times = known.countedOtherwise + 1;
  if (times < COUNTED_TO_BELIEVE) return { ...known, countedOtherwise: times };
  return { ...known, cost: counted, countedOtherwise: 0, isCostSeen: true, eachUntilMs: 0 };
}

/** What lowers what remains by less than its size was counted as one, however many requests others with this key sent. */
function costOf(size: number, lowered = 0): BulkCost | undefined {
  if (lowered === size) return 'each';
  return lowered > 0 && lowered < size ? 'one' : undefined;
}
