import type { Asker } from '../asker.ts';
import type { Usage } from '../card.ts';
import { type CardServiceError, KeyRefused, RateLimited, Stopping } from '../errors.ts';
import type { Logger } from '../log.ts';
import { PLANS } from '../plans.ts';
import type { Ledger } from '../quota/ledger.ts';
import type { Pacer, Turn } from '../quota/pacer.ts';
import type { CardService } from '../service/card-service.ts';
import { asCardServiceError, severity } from './refusals.ts';
import { inTurn } from './request-outcome.ts';

/** The plan report as far as it is known. */
export interface UsageKnown {
  report: { usage: Usage; atMs: number } | undefined;
  /** Why there is no newer one. */
  problem: CardServiceError | undefined;
}

export interface UsageDeskOptions {
  service: CardService;
  pacer: Pacer;
  ledger: Ledger;
  log: Logger;
  hasKey: boolean;
}

const FRESH_MS = 60_000;

/** The plan's usage report. It never waits for a turn: without one, the last report must do. */
export class UsageDesk {
  readonly hasKey: boolean;
  readonly #service: CardService;
  readonly #pacer: Pacer;
  readonly #ledger: Ledger;
  readonly #log: Logger;
  readonly #closed = new AbortController();
  #known: UsageKnown = { report: undefined, problem: undefined };
  #triedAtMs = Number.NEGATIVE_INFINITY;
  #underWay: Promise<UsageKnown> | undefined;

  constructor({ service, pacer, ledger, log, hasKey }: UsageDeskOptions) {
    this.hasKey = hasKey;
    this.#service = service;
    this.#pacer = pacer;
    this.#ledger = ledger;
    this.#log = log;
  }

  /**
   * The last report, and the promise of a newer one when that is to be had: at most one request a minute, and only
   * with a token free. The promise never rejects.
   */
  async ask(asker: Asker): Promise<{ known: UsageKnown; newer: Promise<UsageKnown> | undefined }> {
    if (this.#underWay !== undefined) return { known: this.#known, newer: this.#underWay };
    if (!this.hasKey || Math.abs(Date.now() - this.#triedAtMs) < FRESH_MS)
      return { known: this.#known, newer: undefined };

    const triedAtMs = this.#triedAtMs;
    this.#triedAtMs = Date.now(); // before the turn comes, so that two who ask at once cost one request
    const got = await this.#pacer.take('report');
    if (got.kind !== 'turn') {
      this.#triedAtMs = triedAtMs;
      return { known: this.#known, newer: undefined };
    }
    this.#underWay = this.#ask(got.turn, asker).finally(() => {
      this.#underWay = undefined;
    });
    return { known: this.#known, newer: this.#underWay };
  }

  /** Gives up on a report that is under way. */
  close(): void {
    this.#closed.abort(new Stopping());
  }

  async #ask(turn: Turn, asker: Asker): Promise<UsageKnown> {
    const booking = this.#ledger.spent(asker);
    try {
      const usage = await inTurn(
        this.#pacer,
        turn,
        () => this.#service.usage({ signal: this.#closed.signal }),
        isAnswer,
      );
      this.#known = { report: { usage, atMs: Date.now() }, problem: undefined };
      const plan = PLANS.find((name) => name === usage.plan?.toLowerCase());
      if (plan) this.#pacer.hearPlan(plan);
    } catch (error) {
      if (error instanceof RateLimited) this.#ledger.refused(booking);
      this.#log[severity(error)]({ err: error }, 'usage report failed');
      this.#known = { ...this.#known, problem: asCardServiceError(error) };
    }
    return this.#known;
  }
}

/** A key that may not read the report can still look up cards, so this refusal closes nothing. */
function isAnswer(error: unknown): boolean {
  return error instanceof KeyRefused;
}
