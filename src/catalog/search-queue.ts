import type { Requester } from '../model/quota.ts';

/** What a worker is asked. */
export interface Question {
  kind: 'search' | 'searchInList' | 'resolve' | 'resolveList' | 'printings' | 'mentions';
  /** Of `printings`: an id. */
  text: string;
  who: Requester;
}

interface Waiting {
  question: Question;
  deadlineMs: number;
  /** Ends the wait; only the first call counts. */
  end(answer: unknown): void;
}

/**
 * Questions to a worker that answers one at a time. Of the searches of one member that wait, only the newest is run; an
 * answer that is late counts as none.
 */
export class SearchQueue {
  readonly #run: (question: Question) => void;
  readonly #waiting = new Map<string, Waiting>();
  #running: Waiting | undefined;
  #singles = 0;

  constructor(run: (question: Question) => void) {
    this.#run = run;
  }

  /** @returns `undefined` when there is no answer by the deadline */
  ask<T>(question: Question, deadlineMs: number): Promise<T | undefined> {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const timer = setTimeout(() => resolve(undefined), Math.max(0, deadlineMs - Date.now()));
    const end = (answer: unknown) => {
      clearTimeout(timer);
      resolve(answer);
    };
    const key = question.kind.startsWith('search') ? `search ${question.who.memberId}` : `single ${this.#singles++}`;
    this.#waiting.get(key)?.end(undefined);
    this.#waiting.delete(key); // it goes to the end
    this.#waiting.set(key, { question, deadlineMs, end });
    this.#next();
    return promise as Promise<T | undefined>;
  }

  /** Of the question that was run. @param answer `undefined`: it failed */
  answered(answer: unknown): void {
    this.#running?.end(answer);
    this.#running = undefined;
    this.#next();
  }

  /** The worker is gone: nothing that waits is answered. */
  abandon(): void {
    const all = [...(this.#running ? [this.#running] : []), ...this.#waiting.values()];
    this.#running = undefined;
    this.#waiting.clear();
    for (const { end } of all) end(undefined);
  }

  #next(): void {
    if (this.#running) return;
    for (const [key, waiting] of this.#waiting) {
      this.#waiting.delete(key);
      if (waiting.deadlineMs <= Date.now()) continue; // its timer ends it
      this.#running = waiting;
      this.#run(waiting.question);
      return;
    }
  }
}
