import { Incident, type Logger } from '../log.ts';
import type { CardRecord } from '../model/card.ts';
import { CardServiceError, RateLimited, ServiceDown, Stopping } from '../model/errors.ts';
import type { Events } from '../model/events.ts';
import type { Requester } from '../model/quota.ts';
import type { Ledger } from '../quota/ledger.ts';
import type { Limiter, Permit } from '../quota/limiter.ts';
import { backOffMs } from '../time/back-off.ts';
import { blockedError } from './admission.ts';
import type { Cards, Fetched } from './cards.ts';
import type { PendingLookup } from './pending-lookup.ts';
import type { PendingLookups } from './pending-lookups.ts';
import { asCardServiceError, sendRequest, severity } from './service-requests.ts';

/** Which of several processes looks a card up; the others wait for the result. No method rejects. */
export interface CardLock {
  /** Whether there are other processes, which may have stored a card in the meantime. */
  readonly isShared: boolean;
  /** @returns `false` while another process looks this card up */
  acquire(cardId: string): Promise<boolean>;
  /** To be called once for each lock acquired, whatever became of the request. */
  release(cardId: string): Promise<void>;
}

/** For a process that shares its quota with no other. */
export const NO_CARD_LOCK: CardLock = {
  isShared: false,
  acquire: () => Promise.resolve(true),
  release: () => Promise.resolve(),
};

/** Another process looks this card up: an answer takes about as long. */
const LOCK_RETRY_MS = 50;
/** Attempts at one card, 429s apart. */
const MAX_FAILURES = 3;
const RETRY = { firstMs: 1_000, longestMs: 60_000 };

export interface LookupRequestsOptions {
  pendingLookups: PendingLookups;
  cards: Pick<Cards, 'fresh' | 'fetch' | 'store'>;
  limiter: Limiter;
  ledger: Ledger;
  cardLock: CardLock;
  events: Events;
  log: Logger;
}

/** The requests under way for batches of pending lookups: each lookup ends in an answer, in an error, or in the queue again. */
export class LookupRequests {
  readonly #options: LookupRequestsOptions;
  readonly #underWay = new Set<Promise<void>>();
  readonly #abort = new AbortController();
  readonly #outage: Incident;

  constructor(options: LookupRequestsOptions) {
    this.#options = options;
    this.#outage = new Incident(options.log, {
      level: 'warn',
      begins: 'the card service fails',
      ends: 'the card service answers again',
    });
  }

  /** @returns those that need a request, each locked for this process: to be sent or abandoned */
  async prepare(selected: readonly PendingLookup[]): Promise<PendingLookup[]> {
    const needRequest = await Promise.all(selected.map((pending) => this.#needsRequest(pending)));
    return selected.filter((_, index) => needRequest[index]);
  }

  /** No request is sent for them now. */
  async abandon(batch: readonly PendingLookup[]): Promise<void> {
    for (const { cardId } of batch) await this.#options.cardLock.release(cardId);
  }

  /**
   * Sends one request for those of the batch that are still wanted, booked on the requester of the first. Releases the
   * permit and the locks.
   *
   * @returns when that is done, and what follows from it; never rejects
   */
  send(batch: readonly PendingLookup[], permit: Permit): Promise<void> {
    const { pendingLookups, limiter } = this.#options;
    const wanted = batch.filter((pending) => !pendingLookups.isClosed && pendingLookups.has(pending));
    for (const pending of wanted) pendingLookups.requested(pending, Date.now());
    const [requester] = wanted.map(({ bookedOn }) => bookedOn);
    const request = (
      requester ? this.#request(wanted, permit, requester) : limiter.release(permit, { kind: 'abandoned' })
    )
      .then(() => this.abandon(batch))
      .finally(() => this.#underWay.delete(request));
    this.#underWay.add(request);
    return request;
  }

  /** Leaves the requests under way `graceMs` to be answered. */
  async close(graceMs: number): Promise<void> {
    const timer = setTimeout(() => this.#abort.abort(new Stopping()), graceMs);
    await Promise.allSettled(this.#underWay);
    clearTimeout(timer);
  }

  async #request(batch: readonly PendingLookup[], permit: Permit, requester: Requester): Promise<void> {
    const { cards } = this.#options;
    const cardIds = batch.map(({ cardId }) => cardId);
    try {
      const answers = await sendRequest(
        this.#options,
        { permit, requester, endpoint: 'card', cardsIn },
        () => cards.fetch(cardIds, this.#abort.signal),
        (fetched) => cards.store(fetched),
      );
      for (const pending of batch) this.#end(pending, answers.get(pending.cardId), requester);
    } catch (error) {
      for (const pending of batch) this.#failed(pending, error);
    }
  }

  async #needsRequest(pending: PendingLookup): Promise<boolean> {
    const { pendingLookups, cardLock } = this.#options;
    // In one round trip, the lock first: what its last owner stored is there once this process gets it.
    const [isLocked, isAnswered] = await Promise.all([
      cardLock.acquire(pending.cardId),
      this.#answeredWithoutRequest(pending),
    ]);
    if (!isLocked) pending.notBeforeMs = Date.now() + LOCK_RETRY_MS;
    const isWanted = !isAnswered && pendingLookups.has(pending);
    if (isLocked && !isWanted) void cardLock.release(pending.cardId);
    return isLocked && isWanted;
  }

  async #answeredWithoutRequest(pending: PendingLookup): Promise<boolean> {
    const { pendingLookups, cards, ledger, cardLock } = this.#options;
    const { wantsPrices } = pending;
    try {
      const answer = await cards.fresh(pending.cardId, wantsPrices, cardLock.isShared);
      if (answer && pending.wantsPrices === wantsPrices && pendingLookups.has(pending)) {
        for (const { requester } of pending.waiters) ledger.saved(requester);
        pendingLookups.answer(pending, answer);
      }
      return answer !== undefined;
    } catch (error) {
      pendingLookups.refuse(pending, asCardServiceError(error));
      return true;
    }
  }

  /** @param answer `undefined`: the card was left out of the answer, and waits for another request */
  #end(pending: PendingLookup, answer: CardRecord | CardServiceError | undefined, bookedOn: Requester): void {
    const { pendingLookups, ledger } = this.#options;
    if (answer === undefined) pendingLookups.requeue(pending);
    else if (answer instanceof CardServiceError) this.#failed(pending, answer);
    else {
      this.#outage.succeeded();
      for (const { requester } of pending.waiters) if (requester !== bookedOn) ledger.saved(requester);
      pendingLookups.answer(pending, answer);
    }
  }

  #failed(pending: PendingLookup, error: unknown): void {
    const { pendingLookups } = this.#options;
    pendingLookups.requeue(pending);
    this.#log(pending.cardId, error);
    if (error instanceof RateLimited) return; // it waits for the next permit
    const statedMs = error instanceof ServiceDown ? (error.retryAfterMs ?? 0) : 0;
    if (statedMs > 0) pendingLookups.postpone(pending.cardId, Date.now() + statedMs);
    const again = error instanceof ServiceDown && ++pending.failures < MAX_FAILURES;
    if (again) pending.notBeforeMs = Date.now() + Math.max(backOffMs(pending.failures, RETRY), statedMs);
    else pendingLookups.refuse(pending, this.#finalError(error));
  }

  #log(cardId: string, error: unknown): void {
    const { log } = this.#options;
    if (error instanceof ServiceDown) {
      this.#outage.failed({ cardId, err: error });
      log.debug({ cardId, reason: error.message }, 'lookup failed');
    } else log[severity(error)]({ cardId, err: error }, 'lookup failed');
  }

  /** The last of several failures may have opened the breaker, which knows until when. */
  #finalError(error: unknown): CardServiceError {
    const { blocked } = this.#options.limiter.schedule();
    return error instanceof ServiceDown && blocked ? blockedError(blocked) : asCardServiceError(error);
  }
}

/** Cards that the service has; an id without one brought none. */
function cardsIn(fetched: Fetched): number {
  return [...fetched.values()].filter((found) => found !== undefined && !(found instanceof Error)).length;
}
