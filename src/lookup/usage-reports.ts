import type { Logger } from '../log.ts';
import type { Usage } from '../model/card.ts';
import { type CardServiceError, KeyRefused, Stopping } from '../model/errors.ts';
import { PLANS } from '../model/plan.ts';
import type { Requester } from '../model/requester.ts';
import type { Ledger } from '../quota/ledger.ts';
import type { Limiter, Permit } from '../quota/limiter.ts';
import type { CardService } from '../service/card-service.ts';
import { withPermit } from './permitted-request.ts';
import { asCardServiceError, isCounted, severity } from './refusals.ts';

/** The plan report as far as it is known. */
export interface UsageKnown {
  report: UsageReport | undefined;
  /** Why there is no newer one; `undefined` when this is the newest that may be had. */
  missing: MissingReport | undefined;
}

/** The report could not be asked for just now, or was asked for within the last minute and did not come. */
export type MissingReport = { why: 'not asked' } | { why: 'failed'; error: CardServiceError; atMs: number };

export interface UsageReportsOptions {
  service: CardService;
  limiter: Limiter;
  ledger: Ledger;
  board: ReportBoard;
  log: Logger;
  hasKey: boolean;
}

/** The plan's usage report. It never waits for a turn: without one, the last report must do. */
export class UsageReports {
  readonly hasKey: boolean;
  readonly #service: CardService;
  readonly #limiter: Limiter;
  readonly #ledger: Ledger;
  readonly #board: ReportBoard;
  readonly #log: Logger;
  readonly #closed = new AbortController();
  #failed: { error: CardServiceError; atMs: number } | undefined;
  #underWay: Promise<UsageKnown> | undefined;

  constructor({ service, limiter, ledger, board, log, hasKey }: UsageReportsOptions) {
    this.hasKey = hasKey;
    this.#service = service;
    this.#limiter = limiter;
    this.#ledger = ledger;
    this.#board = board;
    this.#log = log;
  }

  /**
   * The last report, and the promise of a newer one when that is to be had: at most one request a minute, and only
   * with a token free. The promise never rejects.
   */
  async ask(requester: Requester): Promise<{ known: UsageKnown; newer: Promise<UsageKnown> | undefined }> {
    // Claimed before the turn comes, so that two who ask at once cost one request.
    if (this.#underWay === undefined && this.hasKey && (await this.#board.claim())) {
      const got = await this.#limiter.acquire('report');
      this.#failed = undefined; // longer ago than a minute: no news of the present
      if (got.kind === 'permit') this.#launch(got.permit, requester);
      else {
        await this.#board.giveBack();
        return { known: { report: await this.#board.last(), missing: { why: 'not asked' } }, newer: undefined };
      }
    }
    return { known: await this.#known(), newer: this.#underWay };
  }

  /** Gives up on a report that is under way. */
  close(): void {
    this.#closed.abort(new Stopping());
  }

  #launch(permit: Permit, requester: Requester): void {
    this.#underWay = this.#ask(permit, requester)
      .then(() => this.#known())
      .finally(() => {
        this.#underWay = undefined;
      });
  }

  async #known(): Promise<UsageKnown> {
    const report = await this.#board.last();
    const failed = this.#failed && this.#failed.atMs > (report?.atMs ?? 0) ? this.#failed : undefined;
    return { report, missing: failed && { why: 'failed', ...failed } };
  }

  async #ask(permit: Permit, requester: Requester): Promise<void> {
    const booking = this.#ledger.spent(requester);
    try {
      const usage = await withPermit(
        this.#limiter,
        permit,
        () => this.#service.usage({ signal: this.#closed.signal }),
        isAnswer,
      );
      await this.#board.post({ usage, atMs: Date.now() });
      const plan = PLANS.find((name) => name === usage.plan?.toLowerCase());
      if (plan) this.#limiter.observePlan(plan);
    } catch (error) {
      if (!isCounted(error)) this.#ledger.refused(booking);
      this.#log[severity(error)]({ err: error }, 'usage report failed');
      this.#failed = { error: asCardServiceError(error), atMs: Date.now() };
    }
  }
}

/** A key that may not read the report can still look up cards, so this refusal closes nothing. */
function isAnswer(error: unknown): boolean {
  return error instanceof KeyRefused;
}

export interface UsageReport {
  usage: Usage;
  /** When the service gave it. */
  atMs: number;
}

/** A report is asked for once in so long, whoever asks. */
export const REPORT_EVERY_MS = 60_000;

/** The last usage report, and whose turn it is to ask for the next. No method rejects. */
export interface ReportBoard {
  /** @returns whether the caller is the one to ask: once a minute, whoever comes first */
  claim(): Promise<boolean>;
  /** Nothing was asked: the next to come may. */
  giveBack(): Promise<void>;
  /** Of several the service's latest stays, in whatever order they are posted. */
  post(report: UsageReport): Promise<void>;
  /** `undefined` before the first. */
  last(): Promise<UsageReport | undefined>;
}

/** The board of a single process. */
export class LocalReportBoard implements ReportBoard {
  #claimedAtMs = Number.NEGATIVE_INFINITY;
  #claimedBeforeMs = Number.NEGATIVE_INFINITY;
  #last: UsageReport | undefined;

  async claim(): Promise<boolean> {
    if (Math.abs(Date.now() - this.#claimedAtMs) < REPORT_EVERY_MS) return false;
    this.#claimedBeforeMs = this.#claimedAtMs;
    this.#claimedAtMs = Date.now();
    return true;
  }

  async giveBack(): Promise<void> {
    this.#claimedAtMs = this.#claimedBeforeMs;
  }

  async post(report: UsageReport): Promise<void> {
    this.#last = latest(this.#last, report);
  }

  async last(): Promise<UsageReport | undefined> {
    return this.#last;
  }
}

/** Of two at the same time the second. One that is of a time to come was noted before the clock was set back. */
export function latest(a: UsageReport | undefined, b: UsageReport | undefined): UsageReport | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const nowMs = Date.now() + REPORT_EVERY_MS; // clocks of two machines may differ
  if (a.atMs > nowMs !== b.atMs > nowMs) return a.atMs > nowMs ? b : a;
  return a.atMs > b.atMs ? a : b;
}
