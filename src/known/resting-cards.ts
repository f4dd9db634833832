import { LRUCache } from 'lru-cache';
import { type CardServiceError, isRefusal, meaningOf, ServiceDown, UnexpectedAnswer } from '../model/errors.ts';
import { backOffMs, LOOKUP_BACK_OFF } from '../time.ts';

/** Attempts at one card, 429s apart. */
const MAX_FAILURES = 3;
const MAX_CARDS = 1_000;
/** The next answer for an id would hardly fit either. */
const UNEXPECTED_MS = 5 * 60_000;
/** A refused key or plan may be tried this often, and so may an id that alone was refused. */
const REFUSED_MS = 60_000;

/** No request is sent for a card meanwhile. */
interface Rest {
  error: CardServiceError;
  /** By the monotonic clock. */
  untilMs: number;
  /** Whether lookups that come meanwhile wait until it is over; otherwise they are refused with the error. */
  isSatOut: boolean;
  /** Whether those that have waited for the card are refused with the error; otherwise they wait again. */
  isGivenUp: boolean;
}

interface Failed extends Rest {
  /** Attempts in a row; those in bulk, of which another card may be what failed, are never the last. */
  failures: number;
  firstAtMs: number;
  isSuspect: boolean;
}

/** The cards that are left alone after an error. Times are monotonic: a clock that is set changes none. */
export class RestingCards {
  readonly #byId = new LRUCache<string, Failed>({
    max: MAX_CARDS,
    perf: { now: () => performance.now() }, // looked up each time: lru-cache keeps the one that it was loaded with
  });
  readonly #alone = new LRUCache<string, true>({ max: MAX_CARDS });
  #answeredAtMs = -Infinity;

  /**
   * One more attempt at a card has failed.
   *
   * @param isInBulk of several cards another may be what fails
   * @param isSuspect whether it is the card of the request that may be what fails
   * @param isHiccup the service may have failed one time too many: a probe that is waited for tells
   */
  failed(cardId: string, error: CardServiceError, { isInBulk = false, isSuspect = true, isHiccup = false } = {}): Rest {
    const nowMs = performance.now();
    const known = this.#byId.get(cardId);
    const { failures: before = 0, firstAtMs = nowMs } = known ?? {};
    const failures = Math.min(before + 1, isInBulk ? MAX_FAILURES - 1 : Infinity);
    const isLast = failures >= MAX_FAILURES && !isHiccup;
    const { leftMs, isSatOut } = restAfter(error, failures, {
      isLast,
      areOthersAnswered: this.#answeredAtMs > firstAtMs,
    });
    const { cause } = error;
    const untilMs = Date.now() + leftMs;
    const failed: Failed = {
      error: error instanceof ServiceDown ? new ServiceDown({ reason: error.reason, untilMs }, { cause }) : error,
      untilMs: nowMs + leftMs,
      isSatOut,
      isGivenUp: isLast,
      failures,
      firstAtMs,
      isSuspect: isSuspect || known?.isSuspect === true,
    };
    this.#byId.set(cardId, failed, { ttl: Math.max(leftMs, UNEXPECTED_MS) }); // what failed longer ago says little
    return failed;
  }

  /** A bulk request did not bring it. @param againAtMost with how many together it may be asked for again */
  leftOut(cardId: string, againAtMost = 1): void {
    if (againAtMost === 1) this.#alone.set(cardId, true);
  }

  /** Whether it is asked for by itself until it is answered. */
  isAlone(cardId: string): boolean {
    return this.#alone.has(cardId);
  }

  answered(cardId: string): void {
    this.#byId.delete(cardId);
    this.#alone.delete(cardId);
    this.#answeredAtMs = performance.now();
  }

  /** `undefined` when a request may be sent for it. */
  of(cardId: string): Rest | undefined {
    const failed = this.#byId.get(cardId);
    return failed && failed.untilMs > performance.now() ? failed : undefined;
  }

  /**
   * Whether it may be what fails, rather than the service: one card of each request that has failed, until it is
   * answered.
   */
  isSuspect(cardId: string): boolean {
    return this.#byId.get(cardId)?.isSuspect === true;
  }
}

/**
 * How long a card is left alone after an error that concerns it, or may.
 *
 * @param isLast attempt that those wait for who wait for the card
 * @param areOthersAnswered since it failed first, so that the service is not down
 */
function restAfter(
  error: CardServiceError,
  failures: number,
  { isLast, areOthersAnswered }: { isLast: boolean; areOthersAnswered: boolean },
): { leftMs: number; isSatOut: boolean } {
  if (error instanceof UnexpectedAnswer) return { leftMs: UNEXPECTED_MS, isSatOut: false };
  if (isRefusal(error)) return { leftMs: REFUSED_MS, isSatOut: false };
  if (isLast && areOthersAnswered) return { leftMs: UNEXPECTED_MS, isSatOut: false };
  const { statedMs = 0 } = meaningOf(error); // of a 503 with `Retry-After`; a longer one stops all requests
  const leftMs = Math.min(Math.max(backOffMs(failures, LOOKUP_BACK_OFF), statedMs), LOOKUP_BACK_OFF.longestMs);
  return { leftMs, isSatOut: !isLast || statedMs > 0 };
}
