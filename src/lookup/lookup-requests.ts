import type { Permit } from '../limiter/decision.ts';
import type { Limiter } from '../limiter/limiter.ts';
import { Incident, type Logger } from '../log.ts';
import type { CardRecord } from '../model/card.ts';
import { type Claims, isMine } from '../model/claims.ts';
import { CardServiceError, CeilingReached, meaningOf, ServiceDown, Stopping } from '../model/errors.ts';
import type { Events } from '../model/events.ts';
import type { Requester } from '../model/quota.ts';
import type { Ledger } from '../quota/ledger.ts';
import type { CardService } from '../service/card-service.ts';
import type { Cards } from './cards.ts';
import type { PendingLookup } from './pending-lookup.ts';
import type { PendingLookups } from './pending-lookups.ts';
import { MAX_FAILURES } from './resting-cards.ts';
import { asCardServiceError, blockedError, sendRequest } from './service-requests.ts';

/** Another process looks this card up: an answer takes about as long. */
const CLAIM_RETRY_MS = 50;
/** A card is claimed for a request, for the permit before it and for storing the answer: a claim is not renewed. */
const CLAIM_MARGIN_MS = 2_000;
const claimOf = (cardId: string) => `card:${cardId}`;

export interface LookupRequestsOptions {
  pendingLookups: PendingLookups;
  cards: Pick<Cards, 'knownBeforeRequest' | 'store' | 'resting'>;
  limiter: Limiter;
  ledger: Ledger;
  claims: Claims;
  /** What one request takes at most. */
  requestTimeoutMs: number;
  service: Pick<CardService, 'fetch'>;
  events: Events;
  log: Logger;
}

/**
 * The requests under way for batches of pending lookups: each lookup ends in an answer, in an error, or in the queue
 * again.
 */
export class LookupRequests {
  readonly #options: LookupRequestsOptions;
  readonly #underWay = new Set<Promise<void>>();
  readonly #abort = new AbortController();
  readonly #outage: Incident;

  constructor(options: LookupRequestsOptions) {
    this.#options = options;
    this.#outage = new Incident(options.log, {
      level: 'warn',
      begins: 'the card service is failing: if it lasts, check CARD_SERVICE_URL and the connection',
      ends: 'the card service answers again',
    });
  }

  /** @returns those that need a request, each claimed by this process: to be sent, or their claims released */
  async prepare(selected: readonly PendingLookup[]): Promise<PendingLookup[]> {
    const isToBeSent = await Promise.all(selected.map((pending) => this.#claimUnlessAnswered(pending)));
    return selected.filter((_, index) => isToBeSent[index]);
  }

  /** Another process may request them: no request for them is under way here. */
  async releaseClaims(batch: readonly PendingLookup[]): Promise<void> {
    await Promise.all(batch.map(({ cardId }) => this.#options.claims.release(claimOf(cardId))));
  }

  /**
   * Sends one request for those of the batch that are still wanted, booked on the first requester in its lane who may
   * spend it, and none if there is nobody. Releases the permit and the claims.
   *
   * @returns when that is done, and what follows from it; never rejects
   */
  sendWanted(batch: readonly PendingLookup[], permit: Permit): Promise<void> {
    const { pendingLookups, limiter } = this.#options;
    const wanted = batch.filter((pending) => !pendingLookups.isClosed && pendingLookups.has(pending));
    for (const pending of wanted) pendingLookups.requested(pending, Date.now());
    const booked = wanted.find(({ lane, bookedOn }) => lane === wanted[0]?.lane && bookedOn.ceiling?.left !== 0);
    const sent = booked ? this.#request(wanted, booked, permit) : limiter.release(permit, { kind: 'abandoned' });
    if (!booked) this.#endBeyondCeiling(wanted);
    const request: Promise<void> = sent
      .then(() => this.releaseClaims(batch))
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

  async #request(batch: readonly PendingLookup[], booked: PendingLookup, permit: Permit): Promise<void> {
    const { pendingLookups, service } = this.#options;
    const cardIds = batch.map(({ cardId }) => cardId);
    const requester = booked.bookedOn;
    const bookedOn = new Map([[booked, requester]]);
    this.#logSent(batch, booked);
    const kept = new Map(batch.map((pending) => [pending.cardId, pending.kept]));
    try {
      const endpoint = batch.length > 1 ? 'cards' : 'card';
      const request = { permit, requester, endpoint, cardIds } as const;
      const send = () => service.fetch(cardIds, this.#abort.signal);
      const { answer: fetched, released } = await sendRequest(this.#options, request, send);
      pendingLookups.counted(batch);
      const records = await this.#options.cards.store(fetched.cards, kept);
      await released;
      for (const pending of batch) {
        const answer = records.get(pending.cardId);
        if (answer) this.#end(pending, answer, bookedOn.get(pending));
        else {
          // That it was left out of a list does not mean that there is none.
          this.#options.cards.resting.listAgain(pending.cardId, fetched.againAtMost ?? 1);
          pendingLookups.requeue(pending);
        }
      }
    } catch (error) {
      if (meaningOf(error).isCounted) pendingLookups.counted(batch);
      this.#log(cardIds, error);
      for (const pending of batch) this.#failed(pending, error, batch.length);
    }
  }

  /** Ends what may cost its requester nothing more; others who want the same cards wait again. */
  #endBeyondCeiling(batch: readonly PendingLookup[]): void {
    const { pendingLookups } = this.#options;
    for (const pending of batch) {
      pendingLookups.requeue(pending);
      pendingLookups.leave(pending, ({ requester }) => requester.ceiling?.left === 0, new CeilingReached());
    }
  }

  /** @returns whether the lookup needs a request, and this process has claimed it */
  async #claimUnlessAnswered(pending: PendingLookup): Promise<boolean> {
    const { pendingLookups, claims, requestTimeoutMs } = this.#options;
    const name = claimOf(pending.cardId);
    // In one round trip, the claim first: what its last owner stored is there once this process has it.
    const [claimed, isAnswered] = await Promise.all([
      claims.claim(name, { ttlMs: requestTimeoutMs + CLAIM_MARGIN_MS, endsWithOwner: true }),
      this.#answerWithoutRequest(pending),
    ]);
    if (claimed !== 'mine') pendingLookups.postpone(pending, CLAIM_RETRY_MS);
    if (!isMine(claimed)) pending.askedElsewhere();
    // Another process may be asking, too, for what is claimed here alone.
    const isToBeSent = claimed === 'mine' && !isAnswered && pendingLookups.has(pending);
    if (isMine(claimed) && !isToBeSent) void claims.release(name);
    return isToBeSent;
  }

  /** Ends the lookup if its card is known by now, or may not be requested. @returns whether it has ended */
  async #answerWithoutRequest(pending: PendingLookup): Promise<boolean> {
    const { pendingLookups, cards, ledger, claims } = this.#options;
    const { wantsPrices } = pending;
    try {
      const { kind, answer } = await cards.knownBeforeRequest(pending.cardId, wantsPrices);
      pending.kept = answer;
      if (kind !== 'fresh') return false;
      if (pending.wantsPrices === wantsPrices && pendingLookups.has(pending)) {
        for (const { lookup } of pending.waiters) ledger.saved(lookup.requester);
        // By another process; in files it came with another spelling of the id, which has counted it.
        if (claims.isShared) pending.counted(Math.max(answer.fetchedAtMs, answer.delistedAtMs ?? 0));
        pendingLookups.answer(pending, answer);
      }
    } catch (error) {
      pendingLookups.refuse(pending, asCardServiceError(error));
    }
    return true;
  }

  /** @param bookedOn the requester whom its request was booked on; of another card it was booked with that */
  #end(pending: PendingLookup, answer: CardRecord | CardServiceError, bookedOn: Requester | undefined): void {
    const { pendingLookups, ledger } = this.#options;
    if (answer instanceof CardServiceError) {
      this.#log([pending.cardId], answer);
      this.#failed(pending, answer);
      return;
    }
    this.#outage.succeeded();
    for (const { lookup } of pending.waiters) if (lookup.requester !== bookedOn) ledger.saved(lookup.requester);
    pendingLookups.answer(pending, answer);
  }

  /** @param together cards of the request */
  #failed(pending: PendingLookup, error: unknown, together = 1): void {
    const { pendingLookups, limiter, cards } = this.#options;
    pendingLookups.requeue(pending);
    const { retry } = meaningOf(error);
    if (retry === 'nextPermit') return;
    if (retry === 'never') {
      pendingLookups.refuse(pending, asCardServiceError(error));
      return;
    }
    const rest = cards.resting.failed(pending.cardId, asCardServiceError(error), together);
    const isEnough = rest.failures >= MAX_FAILURES;
    // The last of several failures may have been one too many: the probe may show that it was a hiccup.
    const view = limiter.view();
    const { reason, untilMs = 0 } = view.stop ?? {};
    const blocked = view.refusalFor('members');
    const isSatOut = reason === 'outage' && untilMs > Date.now() && !blocked;
    if (!isEnough || together > 1 || isSatOut) pendingLookups.postpone(pending, rest.leftMs);
    else pendingLookups.refuse(pending, blocked ? blockedError(blocked) : rest.error);
  }

  /** For whom a request leaves. */
  #logSent(batch: readonly PendingLookup[], { lane }: PendingLookup): void {
    const members = new Set(
      batch.flatMap(({ waiters }) => [...waiters].map(({ lookup }) => lookup.requester.memberId)),
    );
    const cardIds = batch.map(({ cardId }) => cardId);
    this.#options.log.debug({ cardIds, lane, members: [...members] }, 'card requested');
  }

  #log(cardIds: readonly string[], error: unknown): void {
    const { log } = this.#options;
    const what = cardIds.length > 1 ? { cardIds } : { cardId: cardIds[0] };
    if (error instanceof ServiceDown) {
      this.#outage.failed({ ...what, err: error });
      log.debug({ ...what, reason: error.message }, 'card request failed');
    } else log[meaningOf(error).level]({ ...what, err: error }, 'card request failed');
  }
}
