/** What is known of the cost of requests for several cards at once. */
export interface CostLearned {
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

export const NO_COST_LEARNED: CostLearned = {
  cost: 'one',
  countedOtherwise: 0,
  isCostSeen: false,
  eachUntilMs: 0,
};

/** As for everything that is learned of the service: a quarter of an hour later more is tried again. */
export const QUIET_MS = 15 * 60_000;
/** What another request with the same key costs can look like it once. */
const COUNTED_TO_BELIEVE = 2;

/** What a request for several cards is assumed to cost now. */
export function costNow({ cost, eachUntilMs }: CostLearned, nowMs: number): BulkCost {
  return eachUntilMs > nowMs ? 'each' : cost;
}

/** What is known after a list for `size` cards. @param lowered by how much it lowered what remains of the day, if known */
export function costAfter<Known extends CostLearned>(
  known: Known,
  { kind, size, lowered, nowMs }: { kind: string; size: number; lowered: number | undefined; nowMs: number },
): Known {
  if (kind === 'rateLimited') return known.isCostSeen ? known : { ...known, eachUntilMs: nowMs + QUIET_MS };
  const counted = kind === 'answered' ? costOf(size, lowered) : undefined;
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
