import type { Answer } from '../card.ts';
import type { CardServiceError } from '../errors.ts';
import type { Lane } from '../quota/pacer.ts';

/** Who asked, and what for. `guildId` is absent in direct messages. */
export interface Asker {
  memberId: string;
  guildId: string | undefined;
}

/** One question in the waiting line. */
export interface Question {
  cardId: string;
  showPrices: boolean;
  lane: Lane;
  asker: Asker;
  /** After this nobody reads the answer any more. */
  deadlineMs: number;
  /** Told when the turn comes, while it does not; also when that moves. */
  onTurn?: (atMs: number) => void;
  /** Told when the request leaves. */
  onAsking?: () => void;
}

/** A question with the promise that it was given. */
export interface Waiting {
  question: Question;
  resolve: (answer: Answer) => void;
  reject: (error: CardServiceError) => void;
}

/** One card to be asked for once, and all who wait for it. */
export interface Flight {
  cardId: string;
  waiting: Waiting[];
  /** Place in the line: the lowest number is the oldest. */
  place: number;
  /** Attempts that failed other than by a 429. */
  failures: number;
  /** Not to be asked again before this, after a failure. */
  notBeforeMs: number;
  asking: boolean;
}

/** The best lane among the askers: whoever joins a refresh lifts it. */
export function laneOf({ waiting }: Flight): Lane {
  return waiting.some(({ question }) => question.lane === 'members') ? 'members' : 'background';
}

/** The latest deadline among the askers. */
export function deadlineOf({ waiting }: Flight): number {
  return Math.max(...waiting.map(({ question }) => question.deadlineMs));
}

/** Whether somebody wants prices, so that a copy without fresh ones does not do. */
export function wantsPrices({ waiting }: Flight): boolean {
  return waiting.some(({ question }) => question.showPrices);
}

/** The flights that wait for a turn, in the order of their turns: members first, then by age. */
export function inOrder(flights: Iterable<Flight>, nowMs: number): Flight[] {
  return [...flights]
    .filter((flight) => !flight.asking && flight.notBeforeMs <= nowMs)
    .sort((a, b) => laneRank(a) - laneRank(b) || a.place - b.place);
}

function laneRank(flight: Flight): number {
  return laneOf(flight) === 'members' ? 0 : 1;
}
