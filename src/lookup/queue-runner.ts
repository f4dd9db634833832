import { type CardServiceError, Stopping } from '../model/errors.ts';
import { SingleRunner, Timer } from '../time/timers.ts';
import type { QueueExchange } from './fair-order.ts';
import { type PendingLookup, wantsPrices } from './pending-lookup.ts';
import { asCardServiceError, blockedError } from './refusals.ts';
import { ScheduleNotices } from './schedule-notices.ts';
import { ServiceRequests, type ServiceRequestsOptions } from './service-requests.ts';

/** Another process asks for this card: an answer takes about so long to come. */
const LOOK_AGAIN_MS = 50;
/** Long enough for another process to take the token that is its turn, and short beside any plan's interval (120 ms). */
const POLITE_MS = 60;

export interface QueueRunnerOptions extends Omit<ServiceRequestsOptions, 'ended'> {
  queueExchange: QueueExchange;
}

/** Hands out turns to the flights in line, in fair order, as long as there are any to be had. */
export class QueueRunner {
  readonly #options: QueueRunnerOptions;
  readonly #notices: ScheduleNotices;
  readonly #alarm = new Timer(() => void this.work());
  readonly #requests: ServiceRequests;
  readonly #handingOut = new SingleRunner(() =>
    this.#handOut().catch((err: unknown) => this.#options.log.error({ err }, 'waiting line failed')),
  );
  #closing = false;

  constructor(options: QueueRunnerOptions) {
    this.#options = options;
    this.#notices = new ScheduleNotices(options.pendingLookups, options.limiter);
    this.#requests = new ServiceRequests({ ...options, ended: () => void this.work() });
    options.limiter.onChange(() => void this.work());
  }

  get isClosing(): boolean {
    return this.#closing;
  }

  /** Hands out turns until there are none to be had; a change meanwhile is looked at, too. */
  work(): Promise<void> {
    return this.#handingOut.run();
  }

  /** Tells the other processes what waits here, and hears what waits there. */
  async hearOthers(): Promise<void> {
    const { pendingLookups, queueExchange } = this.#options;
    pendingLookups.hear(await queueExchange.exchange(pendingLookups.summary(Date.now())));
  }

  /** Tells all who still wait, gives the requests under way `graceMs` to be answered, and sends nothing more. */
  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    this.#alarm.clear();
    this.#notices.clear();
    this.#refuseAll(() => true, new Stopping());
    await this.#requests.close(graceMs);
  }

  async #handOut(): Promise<void> {
    const { pendingLookups, limiter, cardLock } = this.#options;
    const { blocked: closed } = limiter.schedule();
    if (closed) this.#refuseAll(() => true, blockedError(closed));
    while (!this.#closing) {
      await this.hearOthers();
      const pending = pendingLookups.next(Date.now());
      if (!pending) {
        if (pendingLookups.nextRetryMs(Date.now()) !== undefined) this.#notices.tellSoon();
        return this.#sleepUntil(undefined);
      }
      if (!(await cardLock.acquire(pending.cardId))) {
        pending.notBeforeMs = Date.now() + LOOK_AGAIN_MS;
        continue;
      }
      const { launched, untilMs } = await this.#serve(pending);
      if (!launched) await cardLock.release(pending.cardId);
      if (untilMs === undefined) continue;
      this.#notices.tellSoon();
      return this.#sleepUntil(untilMs);
    }
  }

  /** `untilMs`: no turn is to be had before. */
  async #serve(pending: PendingLookup): Promise<{ launched: boolean; untilMs?: number }> {
    const { pendingLookups, limiter } = this.#options;
    if (await this.#answeredWithoutAsking(pending)) return { launched: false };

    const got = await limiter.acquire(pending.lane, pendingLookups.isNextOfAll(pending, Date.now()) ? 0 : POLITE_MS);
    if (got.kind === 'wait') return { launched: false, untilMs: got.untilMs };
    if (got.kind === 'blocked') {
      this.#refuseAll(({ lane }) => got.reason !== 'reserve' || lane === 'renewals', blockedError(got));
      return { launched: false };
    }
    // While the turn was fetched all may have been refused, or have given up.
    if (this.#closing || pendingLookups.get(pending.cardId) !== pending) {
      await limiter.release(got.permit, { kind: 'abandoned' });
      return { launched: false };
    }
    this.#requests.launch(pending, got.permit);
    return { launched: true };
  }

  /** Until a turn is to be had, or a question may be asked again after a failure: that may be of the better lane. */
  #sleepUntil(permitAtMs: number | undefined): void {
    const times = [permitAtMs, this.#options.pendingLookups.nextRetryMs(Date.now())].filter(
      (atMs) => atMs !== undefined,
    );
    if (times.length > 0 && !this.#closing) this.#alarm.set(Math.min(...times));
  }

  async #answeredWithoutAsking(pending: PendingLookup): Promise<boolean> {
    const { pendingLookups, cards, ledger } = this.#options;
    const withPrices = wantsPrices(pending);
    try {
      const answer = await cards.withoutAsking(pending.cardId, withPrices);
      if (answer && wantsPrices(pending) === withPrices) {
        for (const { lookup } of pending.waiting) ledger.saved(lookup.requester);
        pendingLookups.answer(pending, answer);
      }
      return answer !== undefined;
    } catch (error) {
      pendingLookups.refuse(pending, asCardServiceError(error));
      return true;
    }
  }

  #refuseAll(whom: (pending: PendingLookup) => boolean, error: CardServiceError): void {
    const { pendingLookups } = this.#options;
    for (const pending of pendingLookups.waiting()) if (whom(pending)) pendingLookups.refuse(pending, error);
  }
}
