import type { Requester } from '../model/quota.ts';
import { withTimeout } from '../time/timers.ts';
import type { PrintingsPart } from './catalog.ts';
import type { PastedLine } from './pasted-list.ts';

/** A member waits for this before names count as not searched. */
const LONGEST_ANSWER_MS = 1_500;

/** What a worker is asked. */
export interface Question {
  kind: 'search' | 'searchInList' | 'resolve' | 'resolveList' | 'printings' | 'mentions' | 'resolveLines';
  /** What the member typed; for `printings` the id of a card. */
  text: string;
  who: Requester;
  /** Of `printings`. */
  part?: PrintingsPart;
  /** Of `resolveLines`. */
  lines?: readonly PastedLine[];
}

interface Waiting {
  question: Question;
  deadlineMs: number;
  end(answer: unknown): void;
}

/**
 * Questions to a worker that answers one at a time, once it has begun. Searches only suggest something to members who
 * type, so they come after all other questions, on which lookups depend; the lines of a long list come last. If a
 * member has several searches waiting, only the newest is run. An answer that is late counts as none.
 */
export class SearchQueue {
  readonly #run: (question: Question) => void;
  readonly #waiting = new Map<string | symbol, Waiting>();
  #running: Waiting | undefined;
  #isFree = false;

  constructor(run: (question: Question) => void) {
    this.#run = run;
  }

  /** @returns `undefined` when there is no answer by the deadline */
  ask<T>(question: Question, deadlineMs = Date.now() + LONGEST_ANSWER_MS): Promise<T | undefined> {
    const { promise, resolve } = Promise.withResolvers<T | undefined>();
    const end = resolve as (answer: unknown) => void;
    const key = turnOf(question) === 'searches' ? question.who.memberId : Symbol();
    this.#waiting.get(key)?.end(undefined);
    this.#waiting.delete(key); // it goes to the end
    this.#waiting.set(key, { question, deadlineMs, end });
    this.#next();
    return withTimeout(Math.max(0, deadlineMs - Date.now()), promise);
  }

  /** The worker has begun, or answers the question that was run. @param answer `undefined` when it failed */
  freed(answer?: unknown): void {
    this.#running?.end(answer);
    this.#running = undefined;
    this.#isFree = true;
    this.#next();
  }

  /** The worker is gone: nothing that waits is answered. */
  abandon(): void {
    const all = [...(this.#running ? [this.#running] : []), ...this.#waiting.values()];
    this.#running = undefined;
    this.#isFree = false;
    this.#waiting.clear();
    for (const { end } of all) end(undefined);
  }

  #next(): void {
    if (!this.#isFree) return;
    const waiting = Map.groupBy(this.#waiting, ([, { question }]) => turnOf(question));
    for (const [key, next] of TURNS.flatMap((turn) => waiting.get(turn) ?? [])) {
      this.#waiting.delete(key);
      if (next.deadlineMs <= Date.now()) continue; // its timer ends it
      this.#running = next;
      this.#isFree = false;
      this.#run(next.question);
      return;
    }
  }
}

const TURNS = ['lookups', 'searches', 'lists'] as const;

function turnOf({ kind }: Question): (typeof TURNS)[number] {
  if (kind === 'search' || kind === 'searchInList') return 'searches';
  return kind === 'resolveLines' ? 'lists' : 'lookups';
}
