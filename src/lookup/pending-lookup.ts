import type { CardRecord } from '../model/card.ts';
import type { CardServiceError } from '../model/errors.ts';
import type { Requester } from '../model/requester.ts';
import type { Lane } from '../quota/limiter.ts';
import { compareRanks, type Rank, type Standing } from './fairness.ts';

/** One question in the waiting line. */
export interface Lookup {
  cardId: string;
  showPrices: boolean;
  lane: Lane;
  requester: Requester;
  /** After this nobody reads the answer any more. */
  deadlineMs: number;
  /** Told when the turn comes, while it does not; also when that moves. */
  onSchedule?: (atMs: number) => void;
  /** Told when the request leaves, or at once when it is under way already. */
  onRequest?: () => void;
}

/** A question with the promise that it was given, and its rank. */
export interface Waiter extends Standing {
  lookup: Lookup;
  resolve: (answer: CardRecord) => void;
  reject: (error: CardServiceError) => void;
  /** Admitted, and not waiting yet: nothing is asked for it alone. */
  held: boolean;
  /** A request has left for it. */
  requested: boolean;
}

/** What decides about a flight's turn. */
export interface QueuePlace {
  /** The best lane among the askers: whoever joins a refresh lifts it. */
  lane: Lane;
  /** The best rank among the askers of that lane. */
  rank: Rank;
  /** When it came to its rank, as a time in ms: among equal ranks the older goes first. */
  queuedAtMs: number;
}

/** One card to be asked for once, and all who wait for it. */
export interface PendingLookup extends QueuePlace {
  cardId: string;
  waiting: Waiter[];
  /** On whom the request is booked: the first asker of its lane. The others are saved one. */
  payer: Requester;
  /** The earliest turn that was forecast to one of its askers; after that it is overdue. */
  promisedAtMs: number;
  /** Attempts that failed other than by a 429. */
  failures: number;
  /** Not to be asked again before this, after a failure. */
  notBeforeMs: number;
  asking: boolean;
}

/** The order of turns: members before the background, then by rank, then by age. */
export function comparePlaces(a: QueuePlace, b: QueuePlace): number {
  if (a.lane !== b.lane) return a.lane === 'members' ? -1 : 1;
  return compareRanks(a.rank, b.rank) || a.queuedAtMs - b.queuedAtMs;
}

/** Whether somebody wants prices, so that a copy without fresh ones does not do. */
export function wantsPrices({ waiting }: PendingLookup): boolean {
  return waiting.some(({ lookup }) => lookup.showPrices);
}
