import type { RecordedRequest } from './recorded-fetch.ts';
import type { Lived, SimulatedDay } from './simulated-day.ts';
import { FRESH_MS } from './strategy.ts';

/** How long a member watches "thinking…" without wondering. */
const SHORT_WAIT_MS = 3_000;

/** The figures of one strategy's day. */
export interface DayReport {
  lookups: number;
  /** Requests that the service answered and that it refused with 429. */
  spent: number;
  refused: number;
  /** Cards that were requested although their last answer was still fresh. */
  needless: number;
  /** Lookups by the outcome of their first command; the sum is all lookups. */
  atOnce: number;
  shortWait: number;
  longWait: number;
  withoutCard: number;
  /** Among those with a card. */
  staleCopies: number;
  /** Of each card; `seen`: from the first command, or after coming back at the stated time, and how long that took. */
  firstLookups: { cards: number; seen: number; longestMs: number };
}

export function dayReport({ lived, requests }: SimulatedDay): DayReport {
  const withCard = lived.filter(({ outcome }) => outcome.card);
  const waiting = withCard.filter(({ waitMs }) => waitMs > 0);
  const shortWait = waiting.filter(({ waitMs }) => waitMs <= SHORT_WAIT_MS).length;
  return {
    lookups: lived.length,
    spent: requests.filter(({ status }) => status !== 429).length,
    refused: requests.filter(({ status }) => status === 429).length,
    needless: needless(requests),
    atOnce: withCard.length - waiting.length,
    shortWait,
    longWait: waiting.length - shortWait,
    withoutCard: lived.length - withCard.length,
    staleCopies: withCard.filter(({ outcome }) => outcome.stale).length,
    firstLookups: firstLookups(lived),
  };
}

/** Counted from the answer that made the card fresh. */
function needless(requests: readonly RecordedRequest[]): number {
  const freshUntilMs = new Map<string, number>();
  let twice = 0;
  for (const { path, cardIds, status, sentAtMs, answeredAtMs } of requests) {
    if (status !== 200) continue;
    for (const card of cardIds.length > 0 ? cardIds.map((id) => `/cards/${id}`) : [path]) {
      const untilMs = freshUntilMs.get(card);
      if (untilMs !== undefined && sentAtMs < untilMs) twice++;
      else freshUntilMs.set(card, answeredAtMs + FRESH_MS);
    }
  }
  return twice;
}

function firstLookups(lived: readonly Lived[]): DayReport['firstLookups'] {
  const firsts = new Map<string, Lived>();
  for (const one of lived.toSorted((a, b) => a.lookup.atMs - b.lookup.atMs)) {
    if (!firsts.has(one.lookup.cardId)) firsts.set(one.lookup.cardId, one);
  }
  const seenAfterMs = [...firsts.values()].flatMap(({ seenAfterMs }) => seenAfterMs ?? []);
  return {
    cards: firsts.size,
    seen: seenAfterMs.length,
    longestMs: Math.max(0, ...seenAfterMs),
  };
}
