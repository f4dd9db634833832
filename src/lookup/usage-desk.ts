import type { Asker } from '../asker.ts';
import { type CardServiceError, KeyRefused, Stopping } from '../errors.ts';
import type { Logger } from '../log.ts';
import { PLANS } from '../plans.ts';
import type { Ledger } from '../quota/ledger.ts';
import type { Pacer, Turn } from '../quota/pacer.ts';
import type { CardService } from '../service/card-service.ts';
import { asCardServiceError, isCounted, severity } from './refusals.ts';
import type { ReportBoard, UsageReport } from './report-board.ts';
import { inTurn } from './request-outcome.ts';

/** The plan report as far as it is known. */
export interface UsageKnown {
  report: UsageReport | undefined;
  /** Why there is no newer one; `undefined` when this is the newest that may be had. */
  missing: MissingReport | undefined;
}

/** The report could not be asked for just now, or was asked for within the last minute and did not come. */
export type MissingReport = { why: 'not asked' } | { why: 'failed'; error: CardServiceError; atMs: number };

export interface UsageDeskOptions {
  service: CardService;
  pacer: Pacer;
  ledger: Ledger;
  board: ReportBoard;
  log: Logger;
  hasKey: boolean;
}

/** The plan's usage report. It never waits for a turn: without one, the last report must do. */
export class UsageDesk {
  readonly hasKey: boolean;
  readonly #service: CardService;
  readonly #pacer: Pacer;
  readonly #ledger: Ledger;
  readonly #board: ReportBoard;
  readonly #log: Logger;
  readonly #closed = new AbortController();
  #failed: { error: CardServiceError; atMs: number } | undefined;
  #underWay: Promise<UsageKnown> | undefined;

  constructor({ service, pacer, ledger, board, log, hasKey }: UsageDeskOptions) {
    this.hasKey = hasKey;
    this.#service = service;
    this.#pacer = pacer;
    this.#ledger = ledger;
    this.#board = board;
    this.#log = log;
  }

  /**
   * The last report, and the promise of a newer one when that is to be had: at most one request a minute, and only
   * with a token free. The promise never rejects.
   */
  async ask(asker: Asker): Promise<{ known: UsageKnown; newer: Promise<UsageKnown> | undefined }> {
    // Claimed before the turn comes, so that two who ask at once cost one request.
    if (this.#underWay === undefined && this.hasKey && (await this.#board.claim())) {
      const got = await this.#pacer.take('report');
      this.#failed = undefined; // longer ago than a minute: no news of the present
      if (got.kind === 'turn') this.#launch(got.turn, asker);
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

  #launch(turn: Turn, asker: Asker): void {
    this.#underWay = this.#ask(turn, asker)
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

  async #ask(turn: Turn, asker: Asker): Promise<void> {
    const booking = this.#ledger.spent(asker);
    try {
      const usage = await inTurn(
        this.#pacer,
        turn,
        () => this.#service.usage({ signal: this.#closed.signal }),
        isAnswer,
      );
      await this.#board.post({ usage, atMs: Date.now() });
      const plan = PLANS.find((name) => name === usage.plan?.toLowerCase());
      if (plan) this.#pacer.hearPlan(plan);
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
