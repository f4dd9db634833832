import type { Usage } from '../model/card.ts';

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
