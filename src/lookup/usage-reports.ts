import { z } from 'zod';
import type { Logger } from '../log.ts';
import { type CardServiceError, isRefusal, meaningOf, Stopping } from '../model/errors.ts';
import type { Events } from '../model/events.ts';
import { type Requester, Usage } from '../model/quota.ts';
import { type Claims, isMine } from '../model/store/claims.ts';
import { type Rows, readJson } from '../model/store/rows.ts';
import type { Permit } from '../quota/decision.ts';
import type { Ledger } from '../quota/ledger.ts';
import type { Limiter } from '../quota/limiter.ts';
import type { CardService } from '../service/card-service.ts';
import { DAY_MS, withTimeout } from '../time.ts';
import { asCardServiceError, sendBooked } from './booked-request.ts';

/** `atMs`: when the service gave it. */
const UsageReport = z.object({ usage: Usage, atMs: z.number() });
export type UsageReport = z.infer<typeof UsageReport>;

/** The plan report as far as it is known. */
export interface UsageKnown {
  report: UsageReport | undefined;
  /** Why there is none newer: it could not be requested just now, or was within the last minute, and failed. */
  missing?: 'notRequested' | FailedReport | undefined;
}

export interface FailedReport {
  error: CardServiceError;
  atMs: number;
}

/** What is shown now, and what replaces it later. */
export interface UsageSoFar {
  now: UsageKnown;
  /** The outcome of a request that takes longer; never rejects. */
  later?: Promise<UsageKnown> | undefined;
}

/** One report is requested in this time, whoever wants it. */
const REPORT_EVERY_MS = 60_000;
const CLAIM_NAME = 'report';

/** In the part of its account. */
const LAST = 'last';
const KEPT_MS = 35 * DAY_MS;

export interface UsageReportsOptions {
  service: CardService;
  limiter: Limiter;
  ledger: Ledger;
  claims: Claims;
  rows: Rows;
  /** The processes of an account share the last report that any of them got. */
  account: string;
  events: Events;
  log: Logger;
  offer: ReportOffer;
}

/** Whether the service has usage reports for this bot; `needsKey`: it would have with a key. */
export type ReportOffer = 'available' | 'needsKey' | 'none';

/** The plan's usage report. It never waits for a permit: without a free one, the last report is shown. */
export class UsageReports {
  readonly offer: ReportOffer;
  readonly #options: UsageReportsOptions;
  readonly #closed = new AbortController();
  /** The last that this process knows. */
  #last: UsageReport | undefined;
  #failed: FailedReport | undefined;
  #underWay: Promise<UsageKnown> | undefined;

  constructor(options: UsageReportsOptions) {
    this.offer = options.offer;
    this.#options = options;
  }

  /**
   * The report as it is known, a new one if possible: at most one request a minute, and only with a permit free.
   *
   * @param waitMs how long a request under way may keep the caller waiting; after that its outcome comes as `later`
   */
  async ask(requester: Requester, waitMs: number): Promise<UsageSoFar> {
    const untilMs = Date.now() + waitMs;
    // Claimed before the permit is acquired, so that two who ask at once cost one request.
    const claim = { ttlMs: REPORT_EVERY_MS, endsWithOwner: false };
    const claims = this.#options.claims;
    if (!this.#underWay && this.offer === 'available' && isMine(await claims.claim(CLAIM_NAME, claim))) {
      const acquired = await this.#options.limiter.acquire('report');
      this.#failed = undefined; // longer ago than a minute
      if (acquired.kind !== 'permit') {
        await claims.release(CLAIM_NAME);
        return { now: { report: await this.#lastReport(), missing: 'notRequested' } };
      }
      this.#underWay = this.#fetch(acquired.permit, requester).finally(() => {
        this.#underWay = undefined;
      });
    }
    const later = this.#underWay;
    const inTime = later && (await withTimeout(Math.max(0, untilMs - Date.now()), later));
    return inTime ? { now: inTime } : { now: await this.#known(), later };
  }

  /** Ends a request that is under way. */
  close(): void {
    this.#closed.abort(new Stopping());
  }

  get #part(): string {
    return `report:${this.#options.account}`;
  }

  async #known(): Promise<UsageKnown> {
    const report = await this.#lastReport();
    const isFailedLast = this.#failed && this.#failed.atMs > (report?.atMs ?? 0);
    return { report, missing: isFailedLast ? this.#failed : undefined };
  }

  async #lastReport(): Promise<UsageReport | undefined> {
    const found = await readJson(this.#options.rows, UsageReport, this.#part, [LAST]);
    this.#last = latest(found?.get(LAST), this.#last);
    return this.#last;
  }

  /** Reports of several processes may come in any order: the service's latest is kept. */
  async #keep(report: UsageReport): Promise<void> {
    this.#last = latest(this.#last, report);
    if ((await this.#lastReport()) !== report) return;
    const row = { part: this.#part, key: LAST, value: JSON.stringify(report) };
    await this.#options.rows.write([row], { keepMs: KEPT_MS });
  }

  async #fetch(permit: Permit, requester: Requester): Promise<UsageKnown> {
    const { service, limiter, log } = this.#options;
    log.debug({ member: requester.memberId }, 'usage report requested');
    try {
      const send = () => service.usage(this.#closed.signal).catch(asAnswer);
      const request = { permit, requester, endpoint: 'usage' } as const;
      const { answer: usage, released } = await sendBooked(this.#options, request, send);
      await released;
      if (isRefusal(usage)) throw usage;
      await this.#keep({ usage, atMs: Date.now() });
      if (usage.plan !== undefined) limiter.observePlan(usage.plan.toLowerCase());
    } catch (error) {
      log[meaningOf(error).level]({ err: error }, 'usage report failed');
      this.#failed = { error: asCardServiceError(error), atMs: Date.now() };
    }
    return this.#known();
  }
}

/** A key or plan that may not read the report can still look up cards, so this refusal is an answer like any other. */
function asAnswer(error: unknown) {
  if (isRefusal(error)) return error;
  throw error;
}

/**
 * The later of two reports, or `b` if both are of one time. A report of the future was noted before the clock was set
 * back.
 */
function latest(a: UsageReport | undefined, b: UsageReport | undefined): UsageReport | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const nowMs = Date.now() + REPORT_EVERY_MS; // clocks of two machines may differ
  if (a.atMs > nowMs !== b.atMs > nowMs) return a.atMs > nowMs ? b : a;
  return a.atMs > b.atMs ? a : b;
}
