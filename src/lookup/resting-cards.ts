import { LRUCache } from 'lru-cache';
import { LOOKUP_BACK_OFF } from '../limiter/decision.ts';
import { type CardServiceError, isRefusal, meaningOf, ServiceDown, UnexpectedAnswer } from '../model/errors.ts';
import { backOffMs } from '../time/back-off.ts';

/** Attempts at one card, 429s apart. */
export const MAX_FAILURES = 3;
const MAX_CARDS = 1_000;
/** The next answer for an id would hardly fit either. */
const UNEXPECTED_MS = 5 * 60_000;
/** A refused key or plan may be tried this often, and so may an id that alone was refused. */
const REFUSED_MS = 60_000;

/** No request is sent for a card meanwhile. */
export interface Rest {
  error: CardServiceError;
  leftMs: number;
  /** Whether lookups wait until it is over; otherwise they are refused with the error. */
  isSatOut: boolean;
  /** Attempts that failed in a row. */
  failures: number;
}

/**
 * How long a card is left alone after an error that concerns it, or may.
 *
 * @param failures in a row, with this one
 * @param areOthersAnswered since the first of these, so that the service is not down
 */
export function restAfter(
  error: CardServiceError,
  failures: number,
  areOthersAnswered: boolean,
): Pick<Rest, 'leftMs' | 'isSatOut'> {
  if (error instanceof UnexpectedAnswer) return { leftMs: UNEXPECTED_MS, isSatOut: false };
  if (isRefusal(error)) return { leftMs: REFUSED_MS, isSatOut: false };
  if (failures >= MAX_FAILURES && areOthersAnswered) return { leftMs: UNEXPECTED_MS, isSatOut: false };
  const { statedMs = 0 } = meaningOf(error); // of a 503 with `Retry-After`; a longer one stops all requests
  const leftMs = Math.min(Math.max(backOffMs(failures, LOOKUP_BACK_OFF), statedMs), LOOKUP_BACK_OFF.longestMs);
  return { leftMs, isSatOut: failures < MAX_FAILURES || statedMs > 0 };
}

interface Failed extends Omit<Rest, 'leftMs'> {
  untilMs: number;
  firstAtMs: number;
}

/** The cards that are left alone after an error. Times are monotonic: a clock that is set changes none. */
export class RestingCards {
  readonly #byId = new LRUCache<string, Failed>({
    max: MAX_CARDS,
    perf: { now: () => performance.now() }, // looked up each time: lru-cache keeps the one that it was loaded with
  });
  readonly #mostTogether = new LRUCache<string, number>({ max: MAX_CARDS });
  #answeredAtMs = Number.NEGATIVE_INFINITY;

  /**
   * One more attempt at a card has failed.
   *
   * @param together cards of the request: of several another may be what fails
   */
  failed(cardId: string, error: CardServiceError, together = 1): Rest {
    const nowMs = performance.now();
    const { failures: before = 0, firstAtMs = nowMs } = this.#byId.get(cardId) ?? {};
    const failures = before + 1;
    if (failures >= MAX_FAILURES && together > 1) this.listAgain(cardId, Math.ceil(together / 2));
    const { leftMs, isSatOut } = restAfter(
      error,
      together === 1 ? failures : Math.min(failures, MAX_FAILURES - 1),
      this.#answeredAtMs > firstAtMs,
    );
    const shown = error instanceof ServiceDown ? withTime(error, Date.now() + leftMs) : error;
    const rest = { error: shown, isSatOut, failures };
    const ttl = Math.max(leftMs, UNEXPECTED_MS); // what failed longer ago says little
    this.#byId.set(cardId, { ...rest, untilMs: nowMs + leftMs, firstAtMs }, { ttl });
    return { ...rest, leftMs };
  }

  /** A list of more cards did not bring this one: it was refused, has failed, or left it out. */
  listAgain(cardId: string, most: number): void {
    this.#mostTogether.set(cardId, most);
  }

  /** How many cards a request that asks for this one may carry. */
  mostTogether(cardId: string): number {
    return this.#mostTogether.get(cardId) ?? Number.POSITIVE_INFINITY;
  }

  answered(cardId: string): void {
    this.#byId.delete(cardId);
    this.#mostTogether.delete(cardId);
    this.#answeredAtMs = performance.now();
  }

  /** `undefined` when a request may be sent for it. */
  of(cardId: string): Rest | undefined {
    const { untilMs = 0, ...rest } = this.#byId.get(cardId) ?? {};
    const leftMs = untilMs - performance.now();
    return leftMs > 0 ? ({ ...rest, leftMs } as Rest) : undefined;
  }

  /** Whether its last attempt failed. */
  hasFailed(cardId: string): boolean {
    return this.#byId.has(cardId);
  }
}

function withTime(error: ServiceDown, untilMs: number): ServiceDown {
  return new ServiceDown({ reason: error.reason, untilMs }, { cause: error.cause });
}
